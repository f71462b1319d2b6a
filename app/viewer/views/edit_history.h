// What the user has set and edited, step by step, to go back and forth in. No GL, no ImGui.
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

/// All that undo and redo bring back. Cameras are not part of it.
struct EditState {
    std::string device;  ///< its id
    Session::Choices choices{};
    std::optional<SideChoices> side_b{};  ///< none: no comparison
    SceneEdits scene{};
    Bookmarks bookmarks{};

    bool operator==(const EditState&) const = default;
};

/// The name of an edit and the gesture that asked for it.
struct EditStep {
    std::string name;           ///< "max depth"
    std::uint64_t gesture = 0;  ///< steps of one name and gesture are one; 0: each is its own
};

class EditHistory {
  public:
    static constexpr std::size_t kMostSteps = 2000;  ///< older ones are forgotten

    /// Forgets all steps; the next one starts from `now`.
    void reset(EditState now);
    /// Takes note of an edit that has led to `now`, unless nothing has changed. What was undone is
    /// forgotten.
    void record(const EditStep& step, EditState now);

    /// Tells of a mouse button. What is edited while one is held is one gesture.
    void hold(bool down);
    /// Tells whether the user types into a field. What that edits, letter by letter, is one
    /// gesture.
    void type(bool typing);
    /// A step that is asked for now.
    [[nodiscard]] EditStep step(std::string name) const {
        return {std::move(name), held_ || typing_ ? n_gestures_ : 0};
    }

    /// The name of what undo() or redo() would change; null where there is nothing.
    [[nodiscard]] const std::string* undo_name() const;
    [[nodiscard]] const std::string* redo_name() const;
    /// The state that undo() or redo() would bring back; null where there is none.
    [[nodiscard]] const EditState* undone() const;
    [[nodiscard]] const EditState* redone() const;
    /// Goes a step back or on. Returns the state to bring back; null where there is none.
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
