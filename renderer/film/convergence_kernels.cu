#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/film/convergence.h"

TL_DEVICE_BEGIN

namespace {

/// The estimated standard error of a pixel's mean and its bias, as a fraction of the display's
/// range: scaled by the slope of the square root, limited near black to sRGB's 12.92.
TL_HD float displayed_error(const FilmView& film, View<const vec3> bias, std::uint32_t pixel) {
    vec4 sum = film.radiance_sum[pixel], half = film.half_sum[pixel];
    if (!(sum.w > 0) || !(half.w > 0)) return kInfinity;
    float largest = 0;
    for (int c = 0; c < 3; ++c) {
        constexpr float kDarkest = 1 / (4 * 12.92f * 12.92f);
        float mean = sum[c] / sum.w, apart = fabsf(half[c] / half.w - mean);
        // A channel that is certainly clipped to white has no visible error.
        if (mean - 3 * apart > 1) continue;
        if (!bias.empty()) apart += fabsf(bias[pixel][c]);
        largest = maximum(largest, apart / (2 * sqrtf(maximum(mean, kDarkest))));
    }
    return largest;
}

}  // namespace

void find_done_pixels(Scratch& scratch, const FilmView& film, View<const vec3> bias, float error,
                      View<std::uint8_t> done, View<std::uint32_t> n_undone) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    FilmView in = film;
    auto undone = scratch.take<std::uint32_t>(done.size);
    parallel_for(
        stream, "find done pixels", static_cast<std::uint32_t>(done.size),
        TL_LAMBDA(std::uint32_t i) {
            int width = in.extent.width, height = in.extent.height;
            int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
            float largest = 0;
            for (int v = maximum(y - 1, 0); v <= minimum(y + 1, height - 1); ++v)
                for (int u = maximum(x - 1, 0); u <= minimum(x + 1, width - 1); ++u)
                    largest = maximum(
                        largest,
                        displayed_error(in, bias, static_cast<std::uint32_t>(v * width + u)));
            if (largest < error) done[i] = 1;
            undone[i] = done[i] ? 0u : 1u;
        });
    reduce<std::uint32_t>(scratch, undone, n_undone);
}

TL_DEVICE_END
