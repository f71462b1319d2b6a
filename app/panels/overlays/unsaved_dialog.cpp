#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {

namespace {

/// A button of an answer; what it means is stored once it is pressed.
struct AnswerButtons {
    std::optional<UnsavedAnswer> given{};
    bool first = true;

    void draw(const char* label, UnsavedAnswer meaning, const char* help) {
        if (!first) ImGui::SameLine();
        if (ImGui::Button(label)) given = meaning;
        tooltip(help);
        if (first && ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere(-1);
        first = false;
    }
};

std::optional<UnsavedAnswer> ask_about_edits(ViewerModel& model) {
    ImGui::TextWrapped("Unsaved changes to '%s'.", model.session.scene().name.c_str());
    ImGui::Spacing();
    AnswerButtons buttons;
    buttons.draw("Save (S)", UnsavedAnswer::save,
                 model.document.saved_path.empty() ? "Asks for a name first"
                                                   : model.document.saved_path.c_str());
    if (model.document.question->keeps)
        buttons.draw("Keep (K)", UnsavedAnswer::keep, "Make the same changes again afterwards");
    buttons.draw("Discard (D)", UnsavedAnswer::discard, "The changes are lost");
    buttons.draw("Cancel (Esc)", UnsavedAnswer::cancel, "Everything stays as it is");
    return buttons.given;
}

std::optional<UnsavedAnswer> ask_about_files(ViewerModel& model) {
    for (auto& text : unfinished_files(model).texts) ImGui::TextWrapped("%s", text.c_str());
    ImGui::Spacing();
    AnswerButtons buttons;
    buttons.draw("Wait (W)", UnsavedAnswer::wait, "Closes once they are written");
    buttons.draw("Discard (D)", UnsavedAnswer::discard,
                 "Closes now; of a sequence, whole pictures stay");
    buttons.draw("Cancel (Esc)", UnsavedAnswer::cancel, "Stays open and continues to write");
    return buttons.given;
}

}  // namespace

void draw_unsaved_dialog(ViewerModel& model, float scale) {
    constexpr const char* kId = "Unsaved changes";
    // Only one dialog can be open: an error comes first.
    bool shown = model.document.question && model.status.messages.dialog_title().empty();
    if (shown && !ImGui::IsPopupOpen(kId)) ImGui::OpenPopup(kId);
    center_next_window(460 * scale, 0);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (!ImGui::BeginPopupModal(kId, nullptr, kFlags)) return;
    std::optional<UnsavedAnswer> given;
    if (shown) {
        ImGui::TextColored(warning_color(), "%s", model.document.question->title.c_str());
        ImGui::Spacing();
        given = model.document.question->of_files ? ask_about_files(model) : ask_about_edits(model);
    }
    if (given) answer(model, *given);
    if (!model.document.question || !shown) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl
