#include "app/viewer/actions/closing.h"

#include "app/viewer/viewer_model.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr std::chrono::milliseconds kClosingPatience{2000};  // delay before the viewer asks

void close_now(ViewerModel& model) {
    model.closing.reset();
    model.may_close = true;
    model.context.request_close();
}

/// Whether edits would be lost that the user has not yet chosen to discard.
bool loses_edits(const ViewerModel& model) {
    return has_unsaved_edits(model) && model.given_up != work_of(model.document);
}

}  // namespace

UnfinishedFiles unfinished_files(const ViewerModel& model) {
    UnfinishedFiles files;
    if (model.gate.must_run()) files.texts.emplace_back("the scene");
    auto n_shots =
        model.awaited_screenshot.size() + model.n_screenshots_taken + model.pictures.unfinished();
    if (n_shots > 0)
        files.texts.push_back(n_shots == 1 ? "a screenshot"
                                           : std::to_string(n_shots) + " screenshots");
    for (auto& state : model.interface.states)
        if (auto text = state->unfinished_file(); !text.empty()) {
            files.texts.push_back(text);
            files.takes_long = true;
        }
    return files;
}

void quit(ViewerModel& model) {
    if (model.question) return;
    // A second request to close: the viewer asks at once instead of waiting.
    if (model.closing) model.closing->since -= kClosingPatience;
    if (!model.closing) model.closing = Closing{.errors_before = model.messages.n_errors()};
    advance_closing(model);
    auto files = unfinished_files(model);
    if (model.closing && !model.question && !files.texts.empty())
        model.messages.info("closes once " + joined(files.texts) + " is written");
}

void advance_closing(ViewerModel& model) {
    if (!model.closing) return;
    if (model.messages.n_errors() > model.closing->errors_before) {
        if (model.question && model.question->of_files) model.question.reset();
        return model.closing.reset();
    }
    if (model.question && !model.question->of_files) return;
    bool saving = model.gate.must_run();
    if (!saving && loses_edits(model)) {
        model.closing.reset();
        model.question = UnsavedQuestion{.title = "Quit without saving?", .go_on = quit};
        return;
    }
    auto files = unfinished_files(model);
    if (files.texts.empty()) {
        model.question.reset();
        return close_now(model);
    }
    bool asks = files.takes_long ||
                std::chrono::steady_clock::now() - model.closing->since >= kClosingPatience;
    if (asks && !model.closing->waits && !model.question)
        model.question = UnsavedQuestion{
            .title = "Quit while files are being written?", .go_on = {}, .of_files = true};
}

void close_unfinished(ViewerModel& model) {
    if (!model.awaited_screenshot.empty())
        model.messages.warning("no screenshot was taken: the viewer was closed before");
    model.awaited_screenshot.clear();
    for (auto& state : model.interface.states) state->close();
    close_now(model);
}

}  // namespace tl
