#include "app/viewer/gl/presenter.h"

#include <glad/gl.h>

#include "app/viewer/gl/gl_program.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "shaders/shaders.h"

namespace tl {

Presenter::Presenter() {
    program_ = link_program(shaders::kPresentVert, shaders::kPresentFrag);
    glCreateVertexArrays(1, &vertex_array_);
}

Presenter::~Presenter() {
    path_.reset();
    glDeleteTextures(1, &texture_);
    glDeleteVertexArrays(1, &vertex_array_);
    glDeleteProgram(program_);
}

void Presenter::choose_path() {
    path_.reset();
    reason_.clear();
    bool cuda = device_->kind() == DeviceKind::cuda;
    if (cuda && refusal_.empty()) {
        try {
            path_ = make_cuda_path(*device_, extent_);
        } catch (const UserError& error) {
            refusal_ = error.what();
            print_warning("CUDA cannot share the picture with OpenGL: " + refusal_);
        }
    }
    if (!path_) {
        path_ = make_mapped_path(extent_);
        if (cuda) reason_ = refusal_;
    }
    way_ = reason_.empty() ? path_->name() : "copied through the host";
}

void Presenter::begin(Session& session) {
    Extent extent = session.extent();
    if (extent.width <= 0 || extent.height <= 0) return;
    if (!path_ || &session.device() != device_ || extent != extent_) {
        device_ = &session.device();
        extent_ = extent;
        choose_path();
    }
    path_->begin();
}

void Presenter::tone_map(Session& session) {
    if (!path_) return;
    StageTimer::Scope stage(session.timer(), "present", StageKind::display);
    path_->write(session);
}

void Presenter::end(Session& session) {
    if (!path_) return;
    PixelSlice slice;
    try {
        slice = path_->hand_over();
    } catch (const UserError& error) {
        // Sharing that worked at first can still fail if the display moves to another GPU.
        if (session.device().kind() != DeviceKind::cuda || !refusal_.empty()) throw;
        refusal_ = error.what();
        choose_path();
        path_->begin();
        path_->write(session);
        slice = path_->hand_over();
    }
    prepare_texture();
    timer_.begin();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, slice.buffer);
    glTextureSubImage2D(texture_, 0, 0, 0, extent_.width, extent_.height, GL_RGBA, GL_UNSIGNED_BYTE,
                        reinterpret_cast<const void*>(slice.offset));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    timer_.end();
    path_->was_read();
}

/// The texture has the size of the picture that it shows, until the next one is ready.
void Presenter::prepare_texture() {
    if (texture_ && texture_extent_ == extent_) return;
    texture_extent_ = extent_;
    glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, GL_RGBA8, extent_.width, extent_.height);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void Presenter::draw(unsigned framebuffer, const Rect& viewport, int window_height,
                     const SplitView& split) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (!texture_ || viewport.width <= 0 || viewport.height <= 0) return;
    glViewport(viewport.x, window_height - viewport.y - viewport.height, viewport.width,
               viewport.height);
    glUseProgram(program_);
    bool two = split.second && split.second->texture_ && !split.instead;
    glUniform1f(0, two ? split.at : 2);  // everything is left of 2
    glUniform1f(1, two ? split.difference_gain : 0);
    glBindTextureUnit(0, split.instead ? split.instead : texture_);
    glBindTextureUnit(1, two ? split.second->texture_ : texture_);
    glBindVertexArray(vertex_array_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
}

}  // namespace tl
