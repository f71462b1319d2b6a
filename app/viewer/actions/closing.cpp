#include "app/viewer/actions/closing.h"

#include "app/viewer/viewer_model.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr std::chrono::milliseconds kClosingPatience{2000};  // delay before the viewer asks

void close_now(ViewerModel& model) {
    model.document.closing.reset();
    model.document.may_close = true;
    model.context.request_close();
}

/// Whether edits would be lost that the user has not yet chosen to discard.
bool loses_edits(const ViewerModel& model) {
    return has_unsaved_edits(model) && model.document.given_up != work_of(model.document.scene);
}

}  // namespace

UnfinishedFiles unfinished_files(const ViewerModel& model) {
    auto& document = model.document;
    UnfinishedFiles files;
    if (model.gate.must_run()) files.texts.emplace_back("the scene");
    auto n_shots = document.awaited_screenshots.size() + document.n_screenshots_taken +
                   document.pictures.unfinished();
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
    auto& document = model.document;
    if (document.question) return;
    // A second request to close: the viewer asks at once instead of waiting.
    if (document.closing) document.closing->since -= kClosingPatience;
    if (!document.closing)
        document.closing = Closing{.errors_before = model.status.messages.n_errors()};
    advance_closing(model);
    auto files = unfinished_files(model);
    if (document.closing && !document.question && !files.texts.empty())
        model.status.messages.info("closes once " + joined(files.texts) + " is written");
}

void advance_closing(ViewerModel& model) {
    auto& document = model.document;
    if (!document.closing) return;
    if (model.status.messages.n_errors() > document.closing->errors_before) {
        if (document.question && document.question->of_files) document.question.reset();
        return document.closing.reset();
    }
    if (document.question && !document.question->of_files) return;
    bool saving = model.gate.must_run();
    if (!saving && loses_edits(model)) {
        document.closing.reset();
        document.question = UnsavedQuestion{.title = "Quit without saving?", .go_on = quit};
        return;
    }
    auto files = unfinished_files(model);
    if (files.texts.empty()) {
        document.question.reset();
        return close_now(model);
    }
    bool asks = files.takes_long ||
                std::chrono::steady_clock::now() - document.closing->since >= kClosingPatience;
    if (asks && !document.closing->waits && !document.question)
        document.question = UnsavedQuestion{
            .title = "Quit while files are being written?", .go_on = {}, .of_files = true};
}

void close_unfinished(ViewerModel& model) {
    if (!model.document.awaited_screenshots.empty())
        model.status.messages.warning("no screenshot was taken: the viewer was closed before");
    model.document.awaited_screenshots.clear();
    for (auto& state : model.interface.states) state->close();
    close_now(model);
}

}  // namespace tl
