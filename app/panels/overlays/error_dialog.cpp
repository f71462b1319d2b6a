#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/messages.h"

namespace tl {

void draw_error_dialog(Messages& messages, float scale) {
    constexpr const char* kId = "Error";
    bool wanted = !messages.dialog_title().empty();
    if (wanted && !ImGui::IsPopupOpen(kId)) ImGui::OpenPopup(kId);
    center_next_window(520 * scale, 0);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (!ImGui::BeginPopupModal(kId, nullptr, kFlags)) return;
    ImGui::TextColored(error_color(), "%s", messages.dialog_title().c_str());
    ImGui::Spacing();
    ImGui::TextWrapped("%s", messages.dialog_text().c_str());
    ImGui::Spacing();
    if (ImGui::Button("Close (Esc)")) messages.close_dialog();
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere(-1);
    ImGui::SameLine();
    if (ImGui::Button("Copy text"))
        ImGui::SetClipboardText((messages.dialog_title() + ": " + messages.dialog_text()).c_str());
    if (messages.dialog_title().empty()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl
