// A part of a picture whose rays are alive at a time.
#pragma once

#include "renderer/shading/camera_rays.h"

namespace tl {

/// Items [first, first + size) of an order of pixels.
struct PicturePart {
    PixelOrder order;
    std::uint32_t first, size;

    /// The pixel of the part's item; false for items outside of the picture.
    TL_HD bool pixel(std::uint32_t item, std::uint32_t& x, std::uint32_t& y) const {
        return order.pixel(first + item, x, y);
    }
};

}  // namespace tl
