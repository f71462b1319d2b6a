// Which pixels of a film need no more samples. A pixel's error is estimated from two halves of its
// samples (Dammertz et al. 2010, "A hierarchical automatic stopping condition for Monte Carlo
// global illumination"): low-discrepancy samples reduce the estimate as they reduce the error. It
// is measured in display space, with a square root in place of the sRGB curve. Where a renderer
// blurs its pictures, it adds an estimate of how far that moves each pixel, its bias.
#pragma once

#include <memory>
#include <optional>

#include "accel/parallel/array.h"
#include "accel/parallel/readback.h"
#include "renderer/film/film_view.h"

namespace tl {

class Convergence {
  public:
    /// Starts over, for a film that has no samples yet.
    void restart(Stream& stream, Extent extent);
    /// Sets the members of `film` that renderers need for it.
    void complete(FilmView& film) {
        film.half_sum = half_sum_.data();
        film.done = done_.data();
    }
    /// Where a renderer stores the bias of each pixel's mean, W/(sr m^2); zeros after a restart.
    /// Pixels of renderers that never ask for it count as without bias.
    [[nodiscard]] View<vec3> bias(Stream& stream);
    /// Marks pixels as done whose estimated error, the sum of noise and bias, and that of all their
    /// neighbours, is less than `error` of the display's range at exposure 0. Must be called when
    /// the pixels that are not done have an even number of samples. Never waits.
    void look(Scratch& scratch, const FilmView& film, float error);
    /// The number of pixels that were not done at the newest look() that the device has finished.
    [[nodiscard]] std::optional<std::uint32_t> undone_pixels();

  private:
    DeviceArray<vec4> half_sum_;
    DeviceArray<vec3> bias_;  // empty: no bias
    DeviceArray<std::uint8_t> done_;
    DeviceArray<std::uint32_t> n_undone_;
    std::unique_ptr<Readback<std::uint32_t>> readback_;
    std::optional<std::uint32_t> undone_pixels_;
    std::uint64_t version_ = 0;  // of the samples that readbacks belong to
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets done[i] for the pixels that are done, and n_undone[0] to the number of the others.
    /// `bias`: of each pixel, or empty.
    void find_done_pixels(Scratch& scratch, const FilmView& film, View<const vec3> bias,
                          float error, View<std::uint8_t> done, View<std::uint32_t> n_undone);
)
// clang-format on
