// A small picture that the interface shows, as a GL texture.
#pragma once

#include <cstdint>

#include "renderer/images/image_io.h"

namespace tl {

class PreviewTexture {
  public:
    /// Needs a current GL context whenever it is used.
    PreviewTexture() = default;
    ~PreviewTexture();
    PreviewTexture(const PreviewTexture&) = delete;
    PreviewTexture& operator=(const PreviewTexture&) = delete;

    void update(const Image8& image);
    /// GL's name; 0 before the first update.
    [[nodiscard]] std::uintptr_t name() const { return texture_; }

  private:
    Extent extent_;
    unsigned texture_ = 0;
};

}  // namespace tl
