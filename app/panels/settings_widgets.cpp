#include "app/panels/settings_widgets.h"

#include <imgui/imgui.h>

#include "accel/parallel/text.h"
#include "app/jobs/format.h"
#include "app/panels/widgets.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {
namespace {

constexpr double kSliderRange = 64;  // wider integer ranges use drag fields, which are finer

/// The unit of a value: "1 ray", "2 rays".
std::string unit_of(const Setting& setting) {
    auto& unit = setting.unit;
    bool one = setting.text() == "1";
    bool plural = unit.size() > 2 && unit.ends_with("s");
    return one && plural ? unit.substr(0, unit.size() - 1) : unit;
}

/// The format of a number with its unit. The tooltip names a unit that is too long for the field.
std::string format_of(const char* number, const Setting& setting) {
    auto unit = unit_of(setting);
    float padding = 4 * ImGui::GetStyle().FramePadding.x;
    bool fits = ImGui::CalcTextSize((setting.text() + " " + unit).c_str()).x + padding <
                ImGui::CalcItemWidth();
    if (unit.empty() || !fits) return number;
    // The format is one of printf.
    std::string format = std::string(number) + " ";
    for (char c : unit) format += c == '%' ? "%%" : std::string(1, c);
    return format;
}

/// The width of a list of choices that shows each of them whole.
float width_of_choices(const Setting& setting) {
    float widest = 0;
    for (auto& choice : setting.choices) widest = std::max(widest, width_of_choice(choice.c_str()));
    return widest;
}

/// Draws the widget; returns the new value as text if the user has changed it, else "".
std::string draw_widget(const Setting& setting, const char* label) {
    if (auto* flag = std::get_if<bool*>(&setting.value)) {
        bool value = **flag;
        return ImGui::Checkbox(label, &value) ? (value ? "true" : "false") : "";
    }
    next_width(setting.choices.empty() ? 0 : width_of_choices(setting));
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

void draw_setting(ViewerModel& model, const std::string& section, const Setting& setting,
                  const SettingsOwner& owner) {
    bool own = !owner.has || owner.has(model, section, setting.id);
    if (!own) ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    auto changed = draw_widget(setting, setting_label(setting.id).c_str());
    if (!own) ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) show_tooltip(setting_tooltip(setting, owner));
    if (asks_to_reset())
        owner.change(model, section, setting.id, "");
    else if (!changed.empty())
        owner.change(model, section, setting.id, changed);
}

/// The fold of a section's advanced settings; true while it is open.
bool draw_fold(const SettingsSection& section) {
    int changed = 0, all = 0;
    for (auto& setting : section.settings) {
        if (!setting.advanced) continue;
        ++all;
        changed += setting.text() != setting.default_text ? 1 : 0;
    }
    if (all == 0) return false;
    auto label = changed > 0 ? formatted("Advanced (%d changed)###advanced", changed)
                             : std::string("Advanced###advanced");
    bool open = ImGui::TreeNodeEx(
        label.c_str(), ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth);
    if (!open) tooltip("Settings that are seldom changed; the search (Ctrl+F) finds them too.");
    return open;
}

}  // namespace

std::string setting_tooltip(const Setting& setting, const SettingsOwner& owner) {
    auto text = setting.help + (setting.help.ends_with('.') ? "\n" : ".\n") + setting.text();
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    if (!setting.unit.empty()) text += " " + unit_of(setting);
    text += "; accepts: " + setting.accepts() + "; default: " + setting.default_text;
    bool number = !std::holds_alternative<bool*>(setting.value) && setting.choices.empty();
    return text + ".\n" + owner.reset + (number ? "; Ctrl+click or Enter to type a number." : ".");
}

std::string setting_label(const std::string& id) {
    std::string label = id;
    std::ranges::replace(label, '-', ' ');
    return label;
}

void draw_settings(ViewerModel& model, const SettingsSection& section) {
    draw_settings(model, section, {change_setting, nullptr, "Right click or Delete resets it"});
}

void draw_settings(ViewerModel& model, const SettingsSection& section, const SettingsOwner& owner) {
    ImGui::PushID(section.id.c_str());
    for (auto& setting : section.settings)
        if (!setting.advanced) draw_setting(model, section.id, setting, owner);
    if (draw_fold(section))
        for (auto& setting : section.settings)
            if (setting.advanced) draw_setting(model, section.id, setting, owner);
    ImGui::PopID();
}

}  // namespace tl
