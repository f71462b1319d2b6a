// Closest hits without a tree.
#pragma once

#include "accel/primitives.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// Closest hits from testing all primitives, on the same device, so that rounding is the same.
inline std::vector<Hit> brute_force(Stream& stream, const std::vector<Primitive>& primitives,
                                    const std::vector<Ray>& rays) {
    DeviceArray<Primitive> all(stream, std::span<const Primitive>(primitives));
    DeviceArray<Ray> ray_array(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hits(stream, rays.size());
    View<const Primitive> list = all.view();
    View<const Ray> in = ray_array.view();
    View<Hit> out = hits.view();
    parallel_for(
        stream, "brute force", static_cast<std::uint32_t>(rays.size()), TL_LAMBDA(std::uint32_t i) {
            Hit hit;
            for (std::size_t k = 0; k < list.size; ++k)
                intersect(list[k], in[i], hit.found() ? hit.t : in[i].t_max, hit);
            out[i] = hit;
        });
    return hits.download(stream);
}

}  // namespace tl::TL_DEVICE_NAME
