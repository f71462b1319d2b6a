#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"

namespace tl {

void draw_error_dialog(ViewerModel& model, float scale) {
    constexpr const char* kId = "Error";
    auto& messages = model.messages;
    bool wanted = !messages.dialog_title().empty();
    if (wanted && !ImGui::IsPopupOpen(kId)) ImGui::OpenPopup(kId);
    auto& display = ImGui::GetIO().DisplaySize;
    float width = std::min(520 * scale, display.x - 16);
    ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(ImVec2(width, 0));
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (!ImGui::BeginPopupModal(kId, nullptr, kFlags)) return;
    ImGui::TextColored(ImVec4(1.0f, 0.45f, 0.40f, 1), "%s", messages.dialog_title().c_str());
    ImGui::Spacing();
    ImGui::TextWrapped("%s", messages.dialog_text().c_str());
    ImGui::Spacing();
    ImGui::TextDisabled("The scene that was open stays as it is.");
    ImGui::Spacing();
    if (ImGui::Button("Close (Esc)")) messages.close_dialog();
    ImGui::SameLine();
    if (ImGui::Button("Copy text"))
        ImGui::SetClipboardText((messages.dialog_title() + ": " + messages.dialog_text()).c_str());
    if (messages.dialog_title().empty()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl
