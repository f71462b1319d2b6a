// Per-pixel counts, such as rays' traversal steps, as false colours: means over the samples.
#pragma once

#include "renderer/false_color/color_scale.h"

namespace tl {

class HeatScale {
  public:
    /// Buffer of per-pixel sums, to which kernels add the numbers of sample `sample` of a picture.
    /// In sample 0 they replace its contents. Called before each sample.
    [[nodiscard]] View<std::uint32_t> sums(Stream& stream, Extent extent, std::uint32_t sample);
    /// Writes the colours of the means. With `leader`, uses the scale of its newest picture.
    void show(Scratch& scratch, const ColorScaleConfig& config, const HeatScale* leader,
              const FilmView& film);

    // Implementations of FalseColor's functions; they wait for the stream.
    [[nodiscard]] FalseColorScale read(Stream& stream, const std::string& title) const;
    [[nodiscard]] float value(Stream& stream, int x, int y) const;
    /// The pixel's sum; 0 outside the picture.
    [[nodiscard]] std::uint32_t sum(Stream& stream, int x, int y) const;

  private:
    ColorScale scale_;
    DeviceArray<std::uint32_t> sums_;  // sums of each pixel over the samples
    Extent extent_;
    std::uint32_t n_samples_ = 0;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes values[i] = mean of pixel i.
    void find_heat_means(Stream& stream, View<const std::uint32_t> sums, std::uint32_t n_samples,
                         View<float> values);
)
// clang-format on
