#include "renderer/false_color/heat_scale.h"

#include <algorithm>

#include "renderer/false_color/color_map.h"

namespace tl {

Settings HeatScale::settings() {
    return {
        {"scale", scale_, 0.0f, 1000.0f, "",
         "count that gets the last colour; 0: the percentile of the picture"},
        {"percentile", percentile_, 50.0f, 100.0f, "%",
         "share of the pixels that an automatic scale covers; 100: the maximum"},
    };
}

View<std::uint32_t> HeatScale::sums(Stream& stream, Extent extent, std::uint32_t sample) {
    if (colors_.empty()) colors_.assign(stream, heat_colors());
    readout_.resize_discard(stream, 1);
    sums_.resize_discard(stream, static_cast<std::size_t>(extent.pixels()));
    extent_ = extent;
    n_samples_ = sample + 1;
    return sums_.view();
}

void HeatScale::show(Scratch& scratch, const HeatScale* leader, const FilmView& film) {
    auto& stream = scratch.stream();
    auto& device = stream.device();
    Scratch::Scope scope(scratch);
    auto values = scratch.take<float>(sums_.size());
    TL_DISPATCH(device, find_heat_means(stream, sums_.view(), n_samples_, values));
    TL_DISPATCH(device, measure_heat(scratch, values, readout_.view()));
    if (scale_ > 0 || percentile_ >= 100)
        TL_DISPATCH(device, set_heat_top(stream, readout_.view(), scale_));
    else
        TL_DISPATCH(device, find_heat_percentile(scratch, values, percentile_, readout_.view()));
    if (leader && !leader->readout_.empty())
        TL_DISPATCH(device, copy_heat_top(stream, leader->readout_.view(), readout_.view()));
    TL_DISPATCH(device, write_heat_colors(stream, values, readout_.view(), colors_.view(), film));
}

FalseColorScale HeatScale::read(Stream& stream, const std::string& title) const {
    if (n_samples_ == 0) return {title};
    HeatReadout r = readout_.download(stream)[0];
    return {title, r.top, r.minimum, r.sum / static_cast<float>(extent_.pixels()), r.maximum};
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
