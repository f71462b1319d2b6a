#include "renderer/false_color/heat_scale.h"

#include <algorithm>

#include "core/device/fitting_array.h"

namespace tl {

View<std::uint32_t> HeatScale::sums(Stream& stream, Extent extent, std::uint32_t sample) {
    resize_fitting(sums_, stream, static_cast<std::size_t>(extent.pixels()));
    extent_ = extent;
    n_samples_ = sample + 1;
    return sums_.view();
}

void HeatScale::show(Scratch& scratch, const ColorScaleConfig& config, const HeatScale* leader,
                     const FilmView& film) {
    scale_.config = config;
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto values = scratch.take<float>(sums_.size());
    TL_DISPATCH(stream.device(), find_heat_means(stream, sums_.view(), n_samples_, values));
    scale_.show(scratch, values, ColorScale::Numbers::counts, leader ? &leader->scale_ : nullptr,
                film);
}

FalseColorScale HeatScale::read(Stream& stream, const std::string& title) const {
    if (n_samples_ == 0) return {title};
    return scale_.read(stream, title);
}

float HeatScale::value(Stream& stream, int x, int y) const {
    return static_cast<float>(sum(stream, x, y)) / static_cast<float>(std::max(n_samples_, 1u));
}

std::uint32_t HeatScale::sum(Stream& stream, int x, int y) const {
    if (n_samples_ == 0 || x < 0 || y < 0 || x >= extent_.width || y >= extent_.height) return 0;
    std::uint32_t sum = 0;
    stream.device().download(stream, &sum, sums_.data() + y * extent_.width + x, sizeof sum);
    return sum;
}

}  // namespace tl
