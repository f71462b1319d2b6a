// Edits of the scene that are in no file yet, and the question whether to save or discard them. The
// same question protects files that are still being written.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "renderer/scene/scene_document.h"

namespace tl {

struct ViewerModel;

/// The question that is asked before edits or files are lost; a dialog shows it.
struct UnsavedQuestion {
    std::string title;  ///< "Quit without saving?"
    /// What is asked about; done once nothing would be lost.
    std::function<void(ViewerModel&)> go_on;
    /// What is done instead if the edits may be lost; null: the same.
    std::function<void(ViewerModel&)> discard{};
    bool keeps = false;  ///< go_on() keeps edits that are not saved, where the user wants that
    /// Whether it is only about files that are still being written when the viewer closes.
    bool of_files = false;
};

enum class UnsavedAnswer { save, keep, wait, discard, cancel };

/// Whether the scene has edits or bookmarks, or edits that still wait for a frame, which neither
/// the opened file nor the one saved last has.
[[nodiscard]] bool has_unsaved_edits(const ViewerModel& model);
/// Does what the question is about at once if nothing would be lost, else asks. While a question is
/// open, a second one is dropped.
void ask_if_unsaved(ViewerModel& model, UnsavedQuestion question);
/// Answers the question and closes it. Saving asks for a file's name where there is none yet; what
/// the question is about is done once the scene is saved.
void answer(ViewerModel& model, UnsavedAnswer given);
/// The answer that a letter stands for, if there is a question which has it.
[[nodiscard]] std::optional<UnsavedAnswer> answer_of(const ViewerModel& model, char letter);

}  // namespace tl
