#include "app/viewer/gl/preview_texture.h"

#include <glad/gl.h>

namespace tl {

PreviewTexture::~PreviewTexture() {
    clear();
}

void PreviewTexture::clear() {
    if (texture_) glDeleteTextures(1, &texture_);
    texture_ = 0;
}

void PreviewTexture::update(const Image8& image) {
    if (image.extent.pixels() == 0) return clear();
    if (!texture_ || image.extent != extent_) {
        if (texture_) glDeleteTextures(1, &texture_);
        glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
        glTextureStorage2D(texture_, 1, GL_RGBA8, image.extent.width, image.extent.height);
        glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        extent_ = image.extent;
    }
    glTextureSubImage2D(texture_, 0, 0, 0, extent_.width, extent_.height, GL_RGBA, GL_UNSIGNED_BYTE,
                        image.rgba.data());
}

}  // namespace tl
