// A combo box for choosing a row of a table.
#pragma once

#include <imgui/imgui.h>

#include <string>

#include "app/panels/widgets/widgets.h"
#include "core/device/device.h"

namespace tl {

/// Entry before the rows of a table, for "none of them"; without a text there is none.
struct FirstEntry {
    std::string text{};
    bool chosen = false;
    static constexpr const char* kId = "-";  ///< returned by choose_row() for it
};

/// Shows the rows of a registry by title, or by id if they have none, with their help as tooltip;
/// rows that the device cannot run are disabled. Returns the id that the user has chosen instead of
/// `current`, else "". `draw_last`: draws what follows the rows.
template <class Rows>
std::string choose_row(const char* label, const Rows& rows, const std::string& current,
                       DeviceKind device, const FirstEntry& first = {},
                       void (*draw_last)() = nullptr) {
    constexpr float kWidth = 0.7f;  // of the panel; the rest is the label
    auto name_of = [](auto& row) {
        if constexpr (requires { row.title; })
            return row.title.c_str();
        else
            return row.id.c_str();
    };
    const char* name = current.c_str();
    for (auto& row : rows)
        if (row.id == current) name = name_of(row);
    std::string chosen;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * kWidth);
    if (!ImGui::BeginCombo(label, first.chosen ? first.text.c_str() : name)) {
        for (auto& row : rows)
            if (row.id == current) tooltip(row.help);
        return chosen;
    }
    if (!first.text.empty() && ImGui::Selectable(first.text.c_str(), first.chosen))
        chosen = FirstEntry::kId;
    for (auto& row : rows) {
        bool possible = true;
        if constexpr (requires { row.make_cpu; })
            possible = (device == DeviceKind::cuda ? row.make_cuda : row.make_cpu) != nullptr;
        auto flags = possible ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        bool is_current = row.id == current && !first.chosen;
        if (ImGui::Selectable(name_of(row), is_current, flags) && !is_current) chosen = row.id;
        tooltip(row.help);
    }
    if (draw_last) draw_last();
    ImGui::EndCombo();
    return chosen;
}

}  // namespace tl
