// Compares two ways to make the same picture: a second session follows the viewer's session in
// everything that has not been chosen for it. On the same device it uses the same stream, so that
// neither session's times contain the other's work. During its lifetime it needs device memory for
// a second copy of scene, tree and film.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/jobs/frame_statistics.h"
#include "app/viewer/views/picture_side.h"
#include "app/viewer/views/side_choices.h"
#include "session/session.h"

namespace tl {

class Comparison {
  public:
    /// Throws UserError if a second scene does not fit on the device, or for choices that the
    /// device cannot run.
    /// `second`: a session by prepare_side(), for the same choices.
    Comparison(Session& first, SideChoices choices, std::unique_ptr<Session> second);
    Comparison(Session& first, SideChoices choices)
        : Comparison(first, choices, prepare_side(first, choices)) {}

    /// Does the slow part of setting up side B: creates a session on its device with a copy of the
    /// scene, or reads its picture. May run in another thread while no frame does. Throws UserError
    /// like the constructor.
    [[nodiscard]] static std::unique_ptr<Session> prepare_side(Session& first,
                                                               const SideChoices& choices);

    /// Copies from the first session what has not been chosen for the second one; call before each
    /// frame. A change clears the second film only. Throws UserError like the constructor.
    void follow(Session& first);
    /// Replaces the choices and follows. If it throws, the old ones stay.
    void choose(Session& first, const SideChoices& choices);
    [[nodiscard]] const SideChoices& choices() const { return choices_; }

    /// The picture from a file that side B shows; null: it is rendered.
    [[nodiscard]] const PictureFile* picture() const { return picture_in(*second_); }

    [[nodiscard]] Session& session() { return *second_; }
    [[nodiscard]] const Session& session() const { return *second_; }

    FrameStatistics statistics;

  private:
    /// Value of one of the second session's settings.
    [[nodiscard]] std::string wanted(Session& first, SettingsSection* theirs,
                                     const SettingsSection& section, const Setting& setting) const;
    void follow_settings(Session& first);

    SideChoices choices_;
    std::unique_ptr<Session> second_;
};

/// Differences of a session from another one, in words for people: "Path tracer", "max depth 3".
[[nodiscard]] std::vector<std::string> peculiarities(Session& session, Session& other);
/// All choices of a session, as those of a side that follows no other.
[[nodiscard]] SideChoices all_choices(Session& session);

}  // namespace tl
