// Another tree for the same picture: a second session beside the viewer's, which follows it in
// everything but builder and tree settings. It works on the same stream, so that neither session's
// times contain the other's work. It costs a second copy of the scene, its tree and its film on the
// device, for as long as it lives.
#pragma once

#include <optional>

#include "app/jobs/frame_statistics.h"
#include "app/session.h"
#include "renderer/film/film_difference.h"

namespace tl {

class Comparison {
  public:
    /// Starts with the settings of the first session's tree. Throws UserError where the device has
    /// no room for a second scene, UsageError for an unknown builder.
    Comparison(Session& first, const std::string& builder);

    /// Takes over the first session's device, scene, renderer, its settings, size, camera and time,
    /// and starts both films anew where one of them starts anew. Throws UserError like the
    /// constructor.
    void follow(Session& first);

    /// Both start the films of both sessions anew. They throw UserError.
    void set_builder(const std::string& id);
    void set_setting(const std::string& section, const std::string& id, const std::string& value);

    [[nodiscard]] Session& session() { return second_; }
    [[nodiscard]] const Session& session() const { return second_; }
    /// How far the films are apart. Waits for the device.
    void measure_difference(Session& first);
    [[nodiscard]] const std::optional<FilmDifference>& difference() const { return difference_; }

    FrameStatistics statistics;

  private:
    Session second_;
    std::optional<FilmDifference> difference_;
};

}  // namespace tl
