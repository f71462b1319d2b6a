// A film for kernels.
#pragma once

#include <cstdint>

#include "core/base/macros.h"
#include "core/base/math.h"

namespace tl {

/// A film's arrays in device memory; row 0 is the top.
struct FilmView {
    vec4* radiance_sum = nullptr;        ///< rgb: sum of samples, W/(sr m^2); w: number of samples
    std::uint32_t* ray_count = nullptr;  ///< rays traced for each pixel in the newest frame
    Extent extent;
    vec4* half_sum = nullptr;            ///< sum of only the odd-numbered samples, or null
    const std::uint8_t* done = nullptr;  ///< not 0: the pixel is converged; or null
    /// Row-major indices of the tiles, 16 x 16 pixels, that samples are taken in; null: all tiles.
    const std::uint32_t* tiles = nullptr;
    std::uint32_t n_tiles = 0;  ///< entries of `tiles`

    [[nodiscard]] TL_HD bool is_done(std::uint32_t pixel) const { return done && done[pixel]; }
    /// Adds a part of the pixel's sample `sample`; `begins`: whether it is the first part. The
    /// first part of sample 0 replaces the old value.
    TL_HD void add(std::uint32_t pixel, std::uint32_t sample, vec3 radiance,
                   bool begins = true) const {
        vec4 more(radiance, begins ? 1 : 0);
        radiance_sum[pixel] = (begins && sample == 0 ? vec4(0) : radiance_sum[pixel]) + more;
        if (!half_sum || sample % 2 == 0) return;
        half_sum[pixel] = (begins && sample == 1 ? vec4(0) : half_sum[pixel]) + more;
    }
};

}  // namespace tl
