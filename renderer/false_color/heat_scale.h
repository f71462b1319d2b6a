// Numbers of pixels as false colours: means over the samples, a scale that follows the picture on
// the device by a histogram, so that no frame waits for it, and what the legend tells.
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/settings.h"
#include "renderer/false_color/false_color.h"
#include "renderer/film/film_view.h"

namespace tl {

/// What the legend tells, in device memory.
struct HeatReadout {
    float minimum, sum, maximum, top;
};
static_assert(sizeof(HeatReadout) == 16);

class HeatScale {
  public:
    /// Rows "scale" and "percentile", bound to this object.
    [[nodiscard]] Settings settings();

    /// Before sample `sample` of a picture: what kernels add the numbers of pixels to. In sample 0
    /// they replace what is there.
    [[nodiscard]] View<std::uint32_t> sums(Stream& stream, Extent extent, std::uint32_t sample);
    /// Writes colours of the means. With `leader`, these mean what they mean in its newest picture.
    void show(Scratch& scratch, const HeatScale* leader, const FilmView& film);

    // What FalseColor asks for; these wait for the stream.
    [[nodiscard]] FalseColorScale read(Stream& stream, const std::string& title) const;
    [[nodiscard]] float value(Stream& stream, int x, int y) const;
    /// What kernels have left in sums(); 0 outside of the picture.
    [[nodiscard]] std::uint32_t sum(Stream& stream, int x, int y) const;

  private:
    void measure(Scratch& scratch, View<const float> values);

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
    /// values[i] = mean of pixel i.
    void find_heat_means(Stream& stream, View<const std::uint32_t> sums, std::uint32_t n_samples,
                         View<float> values);
    /// Least value, sum and greatest.
    void measure_heat(Scratch& scratch, View<const float> values, View<HeatReadout> readout);
    /// readout.top = where the bin ends that the percentile falls into, the maximum if that is less.
    void find_heat_percentile(Scratch& scratch, View<const float> values, float percentile,
                              View<HeatReadout> readout);
    /// readout.top = `top`, or the maximum where that is 0.
    void set_heat_top(Stream& stream, View<HeatReadout> readout, float top);
    void copy_heat_top(Stream& stream, View<const HeatReadout> from, View<HeatReadout> to);
    void write_heat_colors(Stream& stream, View<const float> values,
                           View<const HeatReadout> readout, View<const vec3> colors,
                           const FilmView& film);
)
// clang-format on
