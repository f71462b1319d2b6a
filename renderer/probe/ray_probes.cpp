#include "renderer/probe/ray_probes.h"

#include "renderer/shading/camera_rays.h"

namespace tl {

std::size_t PrimaryProbe::n_items() const {
    return PixelOrder(extent).n_items;
}

}  // namespace tl
