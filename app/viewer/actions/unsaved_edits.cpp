#include "app/viewer/actions/unsaved_edits.h"

#include <utility>

#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

bool has_unsaved_edits(const ViewerModel& model) {
    auto& document = model.document.scene;
    if (!document.scene()) return false;
    return model.gate.waits_for(kSceneEdit) ||
           document.bookmarks != model.document.saved_work.bookmarks ||
           document.edited.edits() != model.document.saved_work.edits;
}

void ask_if_unsaved(ViewerModel& model, UnsavedQuestion question) {
    if (model.document.question) return;
    if (has_unsaved_edits(model))
        model.document.question = std::move(question);
    else
        question.go_on(model);
}

namespace {

void answer_of_files(ViewerModel& model, UnsavedAnswer given) {
    if (given == UnsavedAnswer::wait && model.document.closing)
        model.document.closing->waits = true;
    if (given == UnsavedAnswer::discard) close_unfinished(model);
    if (given == UnsavedAnswer::cancel) model.document.closing.reset();
}

}  // namespace

void answer(ViewerModel& model, UnsavedAnswer given) {
    auto question = std::exchange(model.document.question, std::nullopt);
    if (!question) return;
    if (question->of_files) return answer_of_files(model, given);
    if (given == UnsavedAnswer::save) save_scene(model, question->go_on);
    if (given == UnsavedAnswer::keep && question->keeps) question->go_on(model);
    if (given == UnsavedAnswer::discard) {
        model.document.given_up = work_of(model.document.scene);
        (question->discard ? question->discard : question->go_on)(model);
    }
}

std::optional<UnsavedAnswer> answer_of(const ViewerDocument& document, char letter) {
    if (!document.question) return std::nullopt;
    bool of_files = document.question->of_files;
    if (letter == 'S' && !of_files) return UnsavedAnswer::save;
    if (letter == 'W' && of_files) return UnsavedAnswer::wait;
    if (letter == 'D') return UnsavedAnswer::discard;
    if (letter == 'K' && document.question->keeps) return UnsavedAnswer::keep;
    return std::nullopt;
}

}  // namespace tl
