// Splatting of light to pixels in any order. Sums are fixed point, so that they do not depend on
// the order.
#pragma once

#include <cstdint>

#include "core/device/array.h"
#include "renderer/film/film_view.h"
#include "renderer/photon/vcm/camera_plane.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

/// Sums of the light splatted to each pixel.
struct Splats {
    View<std::uint64_t> sums;  ///< three per pixel, in units of kUnit; empty: no splats

    /// Radiance per unit, W/(sr m^2): sums up to 4e9 are kept to 2e-10.
    static constexpr float kUnit = 0x1p-32f;

    /// Adds light at an image position to all pixels whose filter covers it.
    TL_D void add(const CameraPlane& plane, Extent extent, vec2 place, vec3 radiance) const {
        float reach = plane.reach();
        int first_x = first_of(place.x - reach), last_x = last_of(place.x + reach, extent.width);
        int first_y = first_of(place.y - reach), last_y = last_of(place.y + reach, extent.height);
        for (int y = first_y; y <= last_y; ++y) {
            float row = plane.share(place.y - (static_cast<float>(y) + 0.5f));
            for (int x = first_x; x <= last_x; ++x) {
                float share = row * plane.share(place.x - (static_cast<float>(x) + 0.5f));
                if (share > 0)
                    add(static_cast<std::uint32_t>(y * extent.width + x), radiance * share);
            }
        }
    }
    [[nodiscard]] TL_D vec3 of(std::uint32_t pixel) const {
        vec3 sum(0);
        if (!sums.empty())
            for (std::uint32_t c = 0; c < 3; ++c)
                sum[c] = static_cast<float>(sums[3 * pixel + c]) * kUnit;
        return sum;
    }

  private:
    [[nodiscard]] TL_HD static int first_of(float x) {
        return static_cast<int>(maximum(floorf(x - 0.5f), 0.0f));
    }
    [[nodiscard]] TL_HD static int last_of(float x, int size) {
        return static_cast<int>(minimum(ceilf(x), static_cast<float>(size - 1)));
    }
    TL_D void add(std::uint32_t pixel, vec3 radiance) const {
        constexpr float kMost = 0x1p+59f;  // no sixteen of them overflow
        for (std::uint32_t c = 0; c < 3; ++c) {
            auto units = static_cast<std::uint64_t>(minimum(radiance[c] / kUnit + 0.5f, kMost));
            if (units == 0) continue;
#if defined(__CUDACC__)
            atomicAdd(reinterpret_cast<unsigned long long*>(&sums[3 * pixel + c]), units);
#else
            std::atomic_ref(sums[3 * pixel + c]).fetch_add(units, std::memory_order_relaxed);
#endif
        }
    }
};

TL_DEVICE_END
