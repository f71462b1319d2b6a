#include "app/panels/widgets.h"

#include <algorithm>

namespace tl {

void tooltip(const std::string& text) {
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

void next_width() {
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.52f);
}

void wrapped_text(const ImVec4& color, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextWrapped("%s", text.c_str());
    ImGui::PopStyleColor();
}

void center_next_window(float width, float height) {
    auto& display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(
        ImVec2(std::min(width, display.x - 16), std::min(height, display.y - 16)));
}

void place_next_window(const Rect& place) {
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(place.x), static_cast<float>(place.y)));
    ImGui::SetNextWindowSize(
        ImVec2(static_cast<float>(place.width), static_cast<float>(place.height)));
}

}  // namespace tl
