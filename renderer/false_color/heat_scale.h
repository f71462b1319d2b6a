// Pixels' numbers as false colours: means over the samples, a scale that adapts to the picture by a
// histogram on the device, so that no frame waits for it, and the numbers of the legend.
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/settings.h"
#include "renderer/false_color/false_color.h"
#include "renderer/film/film_view.h"

namespace tl {

/// The numbers of the legend, in device memory.
struct HeatReadout {
    float minimum, sum, maximum, top;
};
static_assert(sizeof(HeatReadout) == 16);

class HeatScale {
  public:
    /// The settings "scale" and "percentile", bound to this object.
    [[nodiscard]] Settings settings();

    /// The buffer to which kernels add the pixels' numbers for sample `sample` of a picture. In
    /// sample 0 they replace its contents. Called before each sample.
    [[nodiscard]] View<std::uint32_t> sums(Stream& stream, Extent extent, std::uint32_t sample);
    /// Writes the colours of the means. With `leader`, uses the scale of its newest picture.
    void show(Scratch& scratch, const HeatScale* leader, const FilmView& film);

    // Implementations of FalseColor's functions; they wait for the stream.
    [[nodiscard]] FalseColorScale read(Stream& stream, const std::string& title) const;
    [[nodiscard]] float value(Stream& stream, int x, int y) const;
    /// The pixel's number in sums(); 0 outside the picture.
    [[nodiscard]] std::uint32_t sum(Stream& stream, int x, int y) const;

  private:
    float scale_ = 0, percentile_ = 99.5f;
    DeviceArray<vec3> colors_;
    DeviceArray<std::uint32_t> sums_;   // of each pixel, over the samples
    DeviceArray<HeatReadout> readout_;  // one element
    Extent extent_;
    std::uint32_t n_samples_ = 0;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes values[i] = mean of pixel i.
    void find_heat_means(Stream& stream, View<const std::uint32_t> sums, std::uint32_t n_samples,
                         View<float> values);
    /// Computes minimum, sum and maximum of the values.
    void measure_heat(Scratch& scratch, View<const float> values, View<HeatReadout> readout);
    /// readout.top = upper end of the bin that contains the percentile, or the maximum if smaller.
    void find_heat_percentile(Scratch& scratch, View<const float> values, float percentile,
                              View<HeatReadout> readout);
    /// readout.top = `top`, or the maximum if `top` is 0.
    void set_heat_top(Stream& stream, View<HeatReadout> readout, float top);
    void copy_heat_top(Stream& stream, View<const HeatReadout> from, View<HeatReadout> to);
    void write_heat_colors(Stream& stream, View<const float> values,
                           View<const HeatReadout> readout, View<const vec3> colors,
                           const FilmView& film);
)
// clang-format on
