// Compares two trees on the same picture: a second session copies the state of the viewer's session
// except builder and tree settings. It uses the same stream, so that neither session's times
// contain the other's work. During its lifetime it needs device memory for a second copy of scene,
// tree and film.
#pragma once

#include <optional>

#include "app/jobs/frame_statistics.h"
#include "app/session.h"
#include "renderer/film/film_difference.h"

namespace tl {

class Comparison {
  public:
    /// Starts with the settings of the first session's tree. Throws UserError if a second scene
    /// does not fit on the device, UsageError for an unknown builder.
    Comparison(Session& first, const std::string& builder);

    /// Copies the first session's device, scene, renderer with settings, size, camera and time, and
    /// clears both films if one of them is cleared. Throws UserError like the constructor.
    void follow(Session& first);

    /// The second session. A change of its builder or settings clears the films of both.
    [[nodiscard]] Session& session() { return second_; }
    [[nodiscard]] const Session& session() const { return second_; }
    /// Measures the difference of the two films. Waits for the device.
    void measure_difference(Session& first);
    [[nodiscard]] const std::optional<FilmDifference>& difference() const { return difference_; }

    FrameStatistics statistics;

  private:
    Session second_;
    std::optional<FilmDifference> difference_;
};

}  // namespace tl
