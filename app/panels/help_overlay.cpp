#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/viewer/viewer_commands.h"

namespace tl {

void draw_help_overlay(ViewerModel& model, float scale) {
    if (!model.help_open) return;
    auto& display = ImGui::GetIO().DisplaySize;
    ImVec2 size(std::min(760 * scale, display.x - 16), std::min(640 * scale, display.y - 16));
    ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(size);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (ImGui::Begin("Keys and mouse", &model.help_open, kFlags)) {
        auto rows = help_rows(model.interface.commands);
        std::string section;
        bool open = false;
        for (auto& row : rows) {
            if (row.section != section) {
                if (open) ImGui::EndTable();
                section = row.section;
                ImGui::Spacing();
                ImGui::TextColored(ImVec4(0.60f, 0.86f, 0.72f, 1), "%s", section.c_str());
                open = ImGui::BeginTable(section.c_str(), 4, ImGuiTableFlags_RowBg);
                if (open) {
                    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthStretch, 1.5f);
                    ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthStretch, 1.1f);
                    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch, 2.4f);
                    ImGui::TableSetupColumn("state", ImGuiTableColumnFlags_WidthStretch, 0.8f);
                }
            }
            if (!open) continue;
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::TextWrapped("%s", row.keys.c_str());
            ImGui::TableNextColumn();
            ImGui::TextWrapped("%s", row.title.c_str());
            ImGui::TableNextColumn();
            ImGui::TextWrapped("%s", row.help.c_str());
            ImGui::TableNextColumn();
            if (row.command && row.command->state)
                ImGui::TextDisabled("%s", row.command->state(model).c_str());
        }
        if (open) ImGui::EndTable();
    }
    ImGui::End();
}

}  // namespace tl
