#include <algorithm>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/film/convergence.h"
#include "renderer/film/displayed_error.h"

TL_DEVICE_BEGIN

void find_done_pixels(Scratch& scratch, const FilmView& film, const FilmRegion& region,
                      View<const vec3> bias, float error, View<std::uint8_t> done,
                      View<std::uint32_t> n_undone) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    FilmView in = film;
    auto end_of = [](std::uint32_t end, int most) {
        return static_cast<int>(std::min(end, static_cast<std::uint32_t>(most)));
    };
    int left = end_of(region.left, in.extent.width), right = end_of(region.right, in.extent.width);
    int top = end_of(region.top, in.extent.height),
        bottom = end_of(region.bottom, in.extent.height);
    auto undone = scratch.take<std::uint32_t>(done.size);
    parallel_for(
        stream, "find done pixels", static_cast<std::uint32_t>(done.size),
        TL_LAMBDA(std::uint32_t i) {
            int width = in.extent.width;
            int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
            undone[i] = 0;
            if (x < left || x >= right || y < top || y >= bottom) return;
            float largest = 0;
            for (int v = maximum(y - 1, top); v <= minimum(y + 1, bottom - 1); ++v)
                for (int u = maximum(x - 1, left); u <= minimum(x + 1, right - 1); ++u) {
                    auto pixel = static_cast<std::uint32_t>(v * width + u);
                    largest =
                        maximum(largest, displayed_error(in.radiance_sum[pixel], in.half_sum[pixel],
                                                         bias.empty() ? vec3(0) : bias[pixel]));
                }
            if (largest < error) done[i] = 1;
            undone[i] = done[i] ? 0u : 1u;
        });
    reduce<std::uint32_t>(scratch, undone, n_undone);
}

TL_DEVICE_END
