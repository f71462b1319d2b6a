// A part of a picture, whose rays are processed together.
#pragma once

#include "renderer/shading/camera_rays.h"

namespace tl {

/// Items [first, first + size) of a PixelOrder.
struct PicturePart {
    PixelOrder order;
    std::uint32_t first, size;

    /// The pixel of the part's item; false for items outside the picture.
    TL_HD bool pixel(std::uint32_t item, std::uint32_t& x, std::uint32_t& y) const {
        return order.pixel(first + item, x, y);
    }
};

}  // namespace tl
