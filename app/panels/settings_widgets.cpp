#include "app/panels/settings_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>

#include "accel/parallel/text.h"
#include "app/panels/widgets.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

constexpr double kSliderRange = 64;  // wider integer ranges use drag fields, which are finer

/// "max-depth" -> "max depth".
std::string label_of(const std::string& id) {
    std::string label = id;
    std::ranges::replace(label, '-', ' ');
    return label;
}

/// The format of a number with its unit. The tooltip names a unit that is too long for the field.
std::string format_of(const char* number, const Setting& setting) {
    bool fits = ImGui::CalcTextSize(setting.unit.c_str()).x < 0.7f * ImGui::CalcItemWidth();
    return setting.unit.empty() || !fits ? number : std::string(number) + " " + setting.unit;
}

/// Draws the widget; returns the new value as text if the user has changed it, else "".
std::string draw_widget(const Setting& setting, const char* label) {
    if (auto* flag = std::get_if<bool*>(&setting.value)) {
        bool value = **flag;
        return ImGui::Checkbox(label, &value) ? (value ? "true" : "false") : "";
    }
    next_width();
    if (auto* real = std::get_if<float*>(&setting.value)) {
        float value = **real;
        std::string format = format_of("%.3g", setting);
        bool changed = ImGui::SliderFloat(label, &value, static_cast<float>(setting.minimum),
                                          static_cast<float>(setting.maximum), format.c_str(),
                                          ImGuiSliderFlags_AlwaysClamp);
        return changed ? number_text(value) : "";
    }
    if (!setting.choices.empty()) {
        std::string chosen;
        if (ImGui::BeginCombo(label, setting.text().c_str())) {
            for (auto& choice : setting.choices)
                if (ImGui::Selectable(choice.c_str(), choice == setting.text())) chosen = choice;
            ImGui::EndCombo();
        }
        return chosen;
    }
    int value = **std::get_if<int*>(&setting.value);
    std::string format = format_of("%d", setting);
    int low = static_cast<int>(setting.minimum), high = static_cast<int>(setting.maximum);
    bool changed = setting.maximum - setting.minimum <= kSliderRange
                       ? ImGui::SliderInt(label, &value, low, high, format.c_str(),
                                          ImGuiSliderFlags_AlwaysClamp)
                       : ImGui::DragInt(label, &value, 1, low, high, format.c_str(),
                                        ImGuiSliderFlags_AlwaysClamp);
    return changed ? number_text(value) : "";
}

}  // namespace

void draw_settings(ViewerModel& model, const SettingsSection& section) {
    draw_settings(model, section, {change_setting, nullptr, "right click resets"});
}

void draw_settings(ViewerModel& model, const SettingsSection& section, const SettingsOwner& owner) {
    ImGui::PushID(section.id.c_str());
    for (auto& setting : section.settings) {
        bool own = !owner.has || owner.has(model, section.id, setting.id);
        if (!own)
            ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
        auto changed = draw_widget(setting, label_of(setting.id).c_str());
        if (!own) ImGui::PopStyleColor();
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("%s\n%s; %s", setting.help.c_str(), setting.accepts().c_str(),
                              owner.reset);
        if (ImGui::IsItemClicked(ImGuiMouseButton_Right))
            owner.change(model, section.id, setting.id, "");
        else if (!changed.empty())
            owner.change(model, section.id, setting.id, changed);
    }
    ImGui::PopID();
}

}  // namespace tl
