// Entries of submenus, with or without a picture.
#include <imgui/imgui.h>

#include "app/panels/panels.h"

namespace tl {

bool draw_menu_entry(const MenuEntry& entry) {
    if (!entry.picture) return ImGui::MenuItem(entry.title.c_str(), nullptr, entry.checked);
    auto& picture = *entry.picture;
    float line = ImGui::GetTextLineHeight();
    ImVec2 at = ImGui::GetCursorScreenPos(), size(16.0f / 9 * 3 * line, 3 * line);
    float width = size.x + line + ImGui::CalcTextSize(entry.title.c_str()).x;
    bool chosen = ImGui::Selectable(("##" + entry.title).c_str(), false, 0, ImVec2(width, size.y));
    auto* list = ImGui::GetWindowDrawList();
    if (picture.texture)
        list->AddImage(reinterpret_cast<ImTextureID>(picture.texture), at,
                       ImVec2(at.x + size.x, at.y + size.y), ImVec2(picture.from.x, picture.from.y),
                       ImVec2(picture.to.x, picture.to.y));
    list->AddText(ImVec2(at.x + size.x + 0.5f * line, at.y + line),
                  ImGui::GetColorU32(ImGuiCol_Text), entry.title.c_str());
    return chosen;
}

}  // namespace tl
