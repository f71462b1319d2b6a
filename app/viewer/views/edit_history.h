// Undo and redo history of settings and scene edits. No GL, no ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "app/viewer/views/side_choices.h"
#include "renderer/scene/scene_document.h"
#include "session/session.h"

namespace tl {

/// State that undo and redo restore. Cameras are not part of it.
struct EditState {
    std::string device;  ///< its id
    SessionSettings::Choices choices{};
    std::optional<SideChoices> side_b{};  ///< none: no comparison
    SceneEdits scene{};
    Bookmarks bookmarks{};

    bool operator==(const EditState&) const = default;
};

/// Name of an edit and the gesture that made it.
struct EditStep {
    std::string name;           ///< "max depth"
    std::uint64_t gesture = 0;  ///< steps with equal name and gesture are merged; 0: never merged
};

class EditHistory {
  public:
    static constexpr std::size_t kMostSteps = 2000;  ///< older steps are dropped

    /// Drops all steps; the next one starts from `now`.
    void reset(EditState now);
    /// Records an edit that has led to `now`, unless nothing has changed. Drops undone steps, and
    /// the step of a gesture that has returned to its start.
    void record(const EditStep& step, EditState now);

    /// Reports a mouse button. Edits while one is held are one gesture.
    void hold(bool down);
    /// Reports whether the user types into a field. Its edits, letter by letter, are one gesture.
    void type(bool typing);
    /// Step of an edit that is requested now.
    [[nodiscard]] EditStep step(std::string name) const {
        return {std::move(name), held_ || typing_ ? n_gestures_ : 0};
    }

    /// Name of the edit that undo() or redo() would change; null if there is none.
    [[nodiscard]] const std::string* undo_name() const;
    [[nodiscard]] const std::string* redo_name() const;
    /// State that undo() or redo() would restore; null if there is none.
    [[nodiscard]] const EditState* undone() const;
    [[nodiscard]] const EditState* redone() const;
    /// Moves one step back or forward. Returns the state to restore; null if there is none.
    [[nodiscard]] const EditState* undo();
    [[nodiscard]] const EditState* redo();

  private:
    struct Done {
        EditStep step;
        EditState after;
    };
    [[nodiscard]] const EditState& now() const { return after(n_done_); }
    [[nodiscard]] const EditState& after(std::size_t n_steps) const {
        return n_steps == 0 ? start_ : steps_[n_steps - 1].after;
    }

    EditState start_;
    std::deque<Done> steps_;  // the first n_done_ are done, the others undone
    std::size_t n_done_ = 0;
    bool held_ = false, typing_ = false;
    std::uint64_t n_gestures_ = 0;
};

}  // namespace tl
