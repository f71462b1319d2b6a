// State of a picture between two of its samples, with which another session adds the rest, with the
// same bits as if it had never been interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "renderer/aov/aov_buffers.h"
#include "session/session.h"

namespace tl {

/// Arrays are bytes, in the order of the pixels.
struct PictureState {
    /// Samples of each process that shares the pixels: of its own ones.
    std::vector<std::uint32_t> samples;
    std::string radiance_sum;         ///< FilmView::radiance_sum, all pixels
    std::string half_sum;             ///< FilmView::half_sum, all pixels
    std::string done;                 ///< FilmView::done, a byte each; "": not tracked
    std::vector<std::string> layers;  ///< sums or numbers of the auxiliary layers, by channel
};

/// Throws UserError if the session's renderer keeps what a sample depends on neither in the film
/// nor so that pass_samples() finds it again. The error begins with `what`, "--checkpoint".
void require_resumable(Session& session, const std::string& what);

/// The state of the session's picture. `samples`: as PictureState::samples. Waits for the stream.
[[nodiscard]] PictureState picture_state(Session& session, AovBuffers& layers,
                                         std::vector<std::uint32_t> samples);

/// Brings a session that has no sample to the state of a picture of the same scene, view and
/// settings, of which `process` has taken the samples: the frames of these run without a pixel, so
/// that the renderer computes again what it learns from sample to sample, such as photons and their
/// radii. Calls `stopped` before each frame, `show` after it. Returns false if it was stopped; the
/// session's picture is then undefined. Throws UserError if the state has another size.
[[nodiscard]] bool resume_picture(Session& session, AovBuffers& layers, const PictureState& state,
                                  std::size_t process, const std::function<bool()>& stopped,
                                  const std::function<void()>& show);

}  // namespace tl
