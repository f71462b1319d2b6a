#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void draw_help_overlay(ViewerModel& model, float scale) {
    if (!model.view.help_open) return;
    center_next_window(760 * scale, 640 * scale);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (ImGui::Begin("Keys and mouse", &model.view.help_open, kFlags)) {
        if (!model.view.log_open) scroll_by_keys();
        auto rows = help_rows(model.interface.commands);
        std::string section;
        bool open = false;
        for (auto& row : rows) {
            if (row.section != section) {
                if (open) ImGui::EndTable();
                section = row.section;
                ImGui::Spacing();
                ImGui::TextColored(info_color(), "%s", section.c_str());
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
            if (!row.command) continue;
            if (row.command->state)
                ImGui::TextDisabled("%s", row.command->state(model).c_str());
            else if (row.command->checked)
                ImGui::TextDisabled("%s", row.command->checked(model) ? "on" : "off");
        }
        if (open) ImGui::EndTable();
    }
    ImGui::End();
}

}  // namespace tl
