// Adaptive sampling: detects the converged pixels of a film. A pixel's error is estimated from two
// halves of its samples (Dammertz et al. 2010, "A hierarchical automatic stopping condition for
// Monte Carlo global illumination"); low-discrepancy samples reduce the estimate as they reduce the
// error. It is measured in display space, with a square root instead of the sRGB curve. Renderers
// that blur their pictures add an estimate of each pixel's bias.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/device/array.h"
#include "core/device/copy_across.h"
#include "core/device/readback.h"
#include "renderer/film/film_share.h"
#include "renderer/film/film_view.h"

namespace tl {

class Convergence {
  public:
    /// Restarts for a film without samples.
    void restart(Stream& stream, Extent extent);
    /// Continues an interrupted picture, of which the pixels whose entry in `done` is not 0 have
    /// converged.
    void resume(Stream& stream, const std::vector<std::uint8_t>& done);
    /// FilmView::done of the film.
    [[nodiscard]] const std::uint8_t* done() const { return done_.data(); }
    /// Buffer for the bias of each pixel's mean, W/(sr m^2); zeros after a restart. Without a call
    /// of this, pixels count as unbiased.
    [[nodiscard]] View<vec3> bias(Stream& stream);
    /// Calls `visit` with each array of sums over the pixels' samples.
    template <class Visit>
    void visit_sums(const Visit& visit) {
        if (bias_.size() > 0) visit(bias_);
    }
    /// Marks converged pixels as done. A pixel is done if its error and those of all neighbours are
    /// less than `error` of the display's range at exposure 0. The error is estimated as noise plus
    /// bias. Pixels outside of `region`, where they have samples of another picture, count as done
    /// and as no neighbours. Must be called when the pixels that are not done have an even number
    /// of samples. Never waits.
    void look(Scratch& scratch, const FilmView& film, const FilmRegion& region, float error);
    /// Copies which pixels are done to the convergence of a film of the same size.
    void copy_done(Stream& stream, Convergence& to, Stream& to_stream) const {
        copy_across(stream, done_.data(), to_stream, to.done_.data(), done_.size());
    }
    /// Number of pixels not done at the newest look() that the device has finished.
    [[nodiscard]] std::optional<std::uint32_t> undone_pixels();

  private:
    DeviceArray<vec3> bias_;  // empty: no bias
    DeviceArray<std::uint8_t> done_;
    DeviceArray<std::uint32_t> n_undone_;
    std::unique_ptr<Readback<std::uint32_t>> readback_;
    std::optional<std::uint32_t> undone_pixels_;
    std::uint64_t version_ = 0;  // version of the samples that readbacks belong to
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets done[i] for converged pixels of `region`, and n_undone[0] to the number of its others.
    /// `bias`: of each pixel, or empty.
    void find_done_pixels(Scratch& scratch, const FilmView& film, const FilmRegion& region,
                          View<const vec3> bias, float error, View<std::uint8_t> done,
                          View<std::uint32_t> n_undone);
)
// clang-format on
