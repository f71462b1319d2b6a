// Edits of the scene that are in no file yet, and the question whether to save or discard them. The
// same question protects files that are still being written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "renderer/scene/scene_document.h"

namespace tl {

struct ViewerDocument;
struct ViewerModel;

/// The question that is asked before edits or files are lost; a dialog shows it.
struct UnsavedQuestion {
    std::string title;  ///< "Quit without saving?"
    /// The action in question; runs once nothing would be lost.
    std::function<void(ViewerModel&)> go_on;
    /// Action if the edits may be lost; null: the same as go_on().
    std::function<void(ViewerModel&)> discard{};
    bool keeps = false;  ///< go_on() can keep unsaved edits, if the user wants that
    /// Whether the question is only about files that are still being written when the viewer
    /// closes.
    bool of_files = false;
};

enum class UnsavedAnswer { save, keep, wait, discard, cancel };

/// Whether the scene has edits, waiting ones included, or bookmarks that are in neither the opened
/// file nor the one saved last.
[[nodiscard]] bool has_unsaved_edits(const ViewerModel& model);
/// Runs the question's action at once if nothing would be lost, else asks. While a question is
/// open, a second one is dropped.
void ask_if_unsaved(ViewerModel& model, UnsavedQuestion question);
/// Answers the question and closes it. Saving asks for a file's name if there is none yet; the
/// question's action runs once the scene is saved.
void answer(ViewerModel& model, UnsavedAnswer given);
/// Answer selected by a letter, if there is a question which has it.
[[nodiscard]] std::optional<UnsavedAnswer> answer_of(const ViewerDocument& document, char letter);

}  // namespace tl
