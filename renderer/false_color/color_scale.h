// A false-colour scale for per-pixel values, and the numbers of its legend. It adapts to the
// picture by a histogram on the device, so that no frame waits for it.
#pragma once

#include "core/base/settings.h"
#include "core/device/array.h"
#include "renderer/false_color/false_color.h"
#include "renderer/film/film_view.h"

namespace tl {

/// Numbers of the legend, in device memory.
struct HeatReadout {
    float minimum, sum, maximum, top;
};
static_assert(sizeof(HeatReadout) == 16);

/// The value that gets the last colour.
struct ColorScaleConfig {
    float top = 0;             ///< value of the last colour; 0: the percentile of the picture
    float percentile = 99.5f;  ///< percentage of pixels within an automatic scale; 100: all

    /// The settings "scale" and "percentile" of counts.
    [[nodiscard]] static const SettingsOf<ColorScaleConfig>& declared_settings();
};

class ColorScale {
  public:
    ColorScaleConfig config;

    /// Range of the values.
    enum class Numbers {
        counts,     ///< counts: differences of 1 matter, up to 65536
        positives,  ///< any positive; values below 1/65536 of the largest are negligible
    };
    /// Writes the colours of the values, one for each pixel of the film. With `leader`, uses the
    /// scale of its newest picture. Never waits.
    void show(Scratch& scratch, View<const float> values, Numbers numbers, const ColorScale* leader,
              const FilmView& film);
    /// The scale of the newest picture, which show() must have drawn. Waits for the stream.
    [[nodiscard]] FalseColorScale read(Stream& stream, const std::string& title) const;

  private:
    DeviceArray<vec3> colors_;
    DeviceArray<HeatReadout> readout_;  // one element
    std::size_t n_pixels_ = 0;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes minimum, sum and maximum of the values.
    void measure_heat(Scratch& scratch, View<const float> values, View<HeatReadout> readout);
    /// Sets readout.top to the upper end of the bin that contains the percentile, or to the maximum
    /// if smaller. `relative`: bins are fractions of the maximum, else whole numbers.
    void find_heat_percentile(Scratch& scratch, View<const float> values, float percentile,
                              bool relative, View<HeatReadout> readout);
    /// Sets readout.top to `top`, or to the maximum if `top` is 0.
    void set_heat_top(Stream& stream, View<HeatReadout> readout, float top);
    void copy_heat_top(Stream& stream, View<const HeatReadout> from, View<HeatReadout> to);
    void write_heat_colors(Stream& stream, View<const float> values,
                           View<const HeatReadout> readout, View<const vec3> colors,
                           const FilmView& film);
)
// clang-format on
