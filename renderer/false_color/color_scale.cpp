#include "renderer/false_color/color_scale.h"

#include "renderer/false_color/color_map.h"

namespace tl {

const SettingsOf<ColorScaleConfig>& ColorScaleConfig::declared_settings() {
    static const SettingsOf<ColorScaleConfig> all{
        {"scale", &ColorScaleConfig::top, 0, 1000, "",
         "count that gets the last colour; auto (0): the percentile of the picture"},
        {"percentile", &ColorScaleConfig::percentile, 50, 100, "%",
         "percentage of pixels below the end of an automatic scale; 100: the maximum", kAdvanced},
    };
    return all;
}

void ColorScale::show(Scratch& scratch, View<const float> values, Numbers numbers,
                      const ColorScale* leader, const FilmView& film) {
    auto& stream = scratch.stream();
    auto& device = stream.device();
    if (colors_.empty()) colors_.assign(stream, heat_colors());
    readout_.resize_discard(stream, 1);
    n_pixels_ = values.size;
    TL_DISPATCH(device, measure_heat(scratch, values, readout_.view()));
    if (config.top > 0 || config.percentile >= 100)
        TL_DISPATCH(device, set_heat_top(stream, readout_.view(), config.top));
    else
        TL_DISPATCH(device, find_heat_percentile(scratch, values, config.percentile,
                                                 numbers == Numbers::positives, readout_.view()));
    if (leader && !leader->readout_.empty())
        TL_DISPATCH(device, copy_heat_top(stream, leader->readout_.view(), readout_.view()));
    TL_DISPATCH(device, write_heat_colors(stream, values, readout_.view(), colors_.view(), film));
}

FalseColorScale ColorScale::read(Stream& stream, const std::string& title) const {
    if (readout_.empty() || n_pixels_ == 0) return {title};
    HeatReadout r = readout_.download(stream)[0];
    return {title, r.top, r.minimum, r.sum / static_cast<float>(n_pixels_), r.maximum};
}

}  // namespace tl
