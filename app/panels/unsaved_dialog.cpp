#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets.h"

namespace tl {

void draw_unsaved_dialog(ViewerModel& model, float scale) {
    constexpr const char* kId = "Unsaved changes";
    // Only one dialog can be open: an error comes first.
    bool shown = model.question && model.messages.dialog_title().empty();
    if (shown && !ImGui::IsPopupOpen(kId)) ImGui::OpenPopup(kId);
    center_next_window(460 * scale, 0);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (!ImGui::BeginPopupModal(kId, nullptr, kFlags)) return;
    std::optional<UnsavedAnswer> given;
    auto button = [&](const char* label, UnsavedAnswer meaning, const char* help) {
        if (meaning != UnsavedAnswer::save) ImGui::SameLine();
        if (ImGui::Button(label)) given = meaning;
        tooltip(help);
    };
    if (shown) {
        ImGui::TextColored(kWarningColor, "%s", model.question->title.c_str());
        ImGui::Spacing();
        ImGui::TextWrapped("Changes of '%s' are in no file yet.",
                           model.session.scene().name.c_str());
        ImGui::Spacing();
        button("Save (S)", UnsavedAnswer::save,
               model.saved_path.empty() ? "Asks for a name first" : model.saved_path.c_str());
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere(-1);
        if (model.question->keeps)
            button("Keep (K)", UnsavedAnswer::keep, "Make the same changes again afterwards");
        button("Discard (D)", UnsavedAnswer::discard, "The changes are lost");
        button("Cancel (Esc)", UnsavedAnswer::cancel, "Everything stays as it is");
    }
    if (given) answer(model, *given);
    if (!model.question || !shown) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl
