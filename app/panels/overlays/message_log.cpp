#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void draw_message_log(ViewerModel& model, float scale) {
    if (!model.view.log_open) return;
    center_next_window(760 * scale, 480 * scale);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    auto& messages = model.status.messages;
    if (ImGui::Begin("Messages", &model.view.log_open, kFlags)) {
        if (ImGui::Button("Copy all")) ImGui::SetClipboardText(messages.log_text().c_str());
        tooltip("Puts all messages on the clipboard.");
        ImGui::SameLine();
        if (ImGui::Button("Clear")) messages.clear_log();
        tooltip("Forgets the messages so far.");
        ImGui::SameLine();
        if (ImGui::Button("Close (Esc)")) model.view.log_open = false;
        constexpr ImGuiTableFlags kTable = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY;
        if (messages.log().empty()) ImGui::TextDisabled("There are no messages yet.");
        if (ImGui::BeginTable("messages", 3, kTable)) {
            scroll_by_keys();
            ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
            ImGui::TableSetupColumn("severity", ImGuiTableColumnFlags_WidthFixed);
            ImGui::TableSetupColumn("message", ImGuiTableColumnFlags_WidthStretch);
            std::string copied;
            // The newest is on top.
            for (auto at = messages.log().rbegin(); at != messages.log().rend(); ++at) {
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::TextDisabled("%s", clock_text(at->said).c_str());
                ImGui::TableNextColumn();
                ImGui::TextColored(color_of(at->level), "%s", name_of(at->level));
                ImGui::TableNextColumn();
                ImGui::TextWrapped(
                    "%s%s", at->text.c_str(),
                    at->count > 1 ? (" (" + std::to_string(at->count) + " times)").c_str() : "");
                if (at->path.empty()) continue;
                tooltip("A click copies the path.");
                if (ImGui::IsItemClicked()) copied = at->path;
            }
            ImGui::EndTable();
            if (!copied.empty()) copy_path(messages, copied);
        }
    }
    ImGui::End();
}

}  // namespace tl
