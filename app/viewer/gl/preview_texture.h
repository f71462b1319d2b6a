// A GL texture with a small picture for the interface.
#pragma once

#include <cstdint>

#include "renderer/images/image_io.h"

namespace tl {

class PreviewTexture {
  public:
    /// All uses need a current GL context.
    PreviewTexture() = default;
    ~PreviewTexture();
    PreviewTexture(const PreviewTexture&) = delete;
    PreviewTexture& operator=(const PreviewTexture&) = delete;

    /// An empty picture frees the texture.
    void update(const Image8& image);
    /// Frees the texture.
    void clear();
    /// The GL texture name; 0 before the first update.
    [[nodiscard]] std::uintptr_t name() const { return texture_; }

  private:
    Extent extent_;
    unsigned texture_ = 0;
};

}  // namespace tl
