#include "app/panels/widgets/settings_widgets.h"

#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/setting_words.h"
#include "core/base/text.h"
#include "renderer/settings_sections.h"

namespace tl {
namespace {

constexpr double kSliderRange = 64;  // wider integer ranges use drag fields, which are finer

/// The unit of a value: "1 ray", "2 rays".
std::string unit_of(const ShownSetting& setting) {
    auto& unit = setting.declaration->unit;
    bool one = setting.text == "1";
    bool plural = unit.size() > 2 && unit.ends_with("s");
    return one && plural ? unit.substr(0, unit.size() - 1) : unit;
}

/// The format of a number with its unit, or the word for 0. The tooltip names a unit that is too
/// long for the field.
std::string format_of(const char* number, const ShownSetting& setting) {
    if (auto word = word_of_zero(*setting.declaration); !word.empty() && setting.text == "0")
        return std::string(word);
    auto unit = unit_of(setting);
    float padding = 4 * ImGui::GetStyle().FramePadding.x;
    bool fits = ImGui::CalcTextSize((setting.text + " " + unit).c_str()).x + padding <
                ImGui::CalcItemWidth();
    if (unit.empty() || !fits) return number;
    // The format is one of printf.
    std::string format = std::string(number) + " ";
    for (char c : unit) format += c == '%' ? "%%" : std::string(1, c);
    return format;
}

/// The width of a list of choices that shows each of them whole.
float width_of_choices(const SettingDeclaration& setting) {
    float widest = 0;
    for (auto& choice : setting.choices) widest = std::max(widest, width_of_choice(choice.c_str()));
    return widest;
}

/// Draws a list of choices; returns the one that the user has chosen, else "".
std::string draw_choices(const ShownSetting& setting, const char* label) {
    std::string chosen;
    if (!ImGui::BeginCombo(label, setting.text.c_str())) return chosen;
    for (auto& choice : setting.declaration->choices)
        if (ImGui::Selectable(choice.c_str(), choice == setting.text)) chosen = choice;
    ImGui::EndCombo();
    return chosen;
}

/// Draws the widget; returns the new value as text if the user has changed it, else "".
std::string draw_widget(const ShownSetting& setting, const char* label) {
    auto& declared = *setting.declaration;
    if (declared.type == SettingType::flag) {
        bool value = setting.text == "true";
        return ImGui::Checkbox(label, &value) ? (value ? "true" : "false") : "";
    }
    next_width(declared.choices.empty() ? 0 : width_of_choices(declared));
    if (declared.type == SettingType::choice) return draw_choices(setting, label);
    if (declared.type == SettingType::real) {
        float value = number_in<float>(setting.text).value_or(0);
        std::string format = format_of("%.3g", setting);
        bool changed = ImGui::SliderFloat(label, &value, static_cast<float>(declared.minimum),
                                          static_cast<float>(declared.maximum), format.c_str(),
                                          ImGuiSliderFlags_AlwaysClamp);
        return changed ? number_text(value) : "";
    }
    int value = number_in<int>(setting.text).value_or(0);
    std::string format = format_of("%d", setting);
    int low = static_cast<int>(declared.minimum), high = static_cast<int>(declared.maximum);
    bool changed = declared.maximum - declared.minimum <= kSliderRange
                       ? ImGui::SliderInt(label, &value, low, high, format.c_str(),
                                          ImGuiSliderFlags_AlwaysClamp)
                       : ImGui::DragInt(label, &value, 1, low, high, format.c_str(),
                                        ImGuiSliderFlags_AlwaysClamp);
    return changed ? number_text(value) : "";
}

void draw_setting(ViewerModel& model, const std::string& section, const ShownSetting& setting,
                  const SettingsOwner& owner) {
    auto& id = setting.declaration->id;
    bool own = !owner.has || owner.has(model, section, id);
    if (!own) ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    auto changed = draw_widget(setting, label_of(*setting.declaration).c_str());
    if (!own) ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) show_tooltip(setting_tooltip(setting, owner));
    if (asks_to_reset())
        owner.change(model, section, id, "");
    else if (!changed.empty())
        owner.change(model, section, id, changed);
}

/// The fold of a section's advanced settings; true while it is open.
bool draw_fold(const ShownSection& section) {
    int changed = 0, all = 0;
    for (auto& setting : section.settings) {
        if (!setting.declaration->advanced) continue;
        ++all;
        changed += setting.text != setting.default_text ? 1 : 0;
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

ShownSection::ShownSection(const SettingsSection& section)
    : ShownSection(section.id, section.title) {
    for (auto& setting : section.settings) settings.emplace_back(setting);
}

const SettingsOwner& session_owner() {
    static const SettingsOwner owner{change_setting, nullptr, "Right click or Delete resets it"};
    return owner;
}

std::string setting_tooltip(const ShownSetting& setting, const SettingsOwner& owner) {
    auto& declared = *setting.declaration;
    auto text = capitalised(declared.help + (declared.help.ends_with('.') ? "\n" : ".\n"));
    auto word = setting.text == "0" ? word_of_zero(declared) : std::string_view();
    bool is_word = !word.empty();
    text += is_word ? std::string(word) : setting.text;
    if (!declared.unit.empty() && !is_word) text += " " + unit_of(setting);
    text += "; accepts: " + declared.accepts() + "; default: " + setting.default_text;
    return text + ".\n" + owner.reset +
           (declared.is_number() ? "; Ctrl+click or Enter to type a number." : ".");
}

void draw_settings(ViewerModel& model, const ShownSection& section, const SettingsOwner& owner,
                   bool folds) {
    ImGui::PushID(section.id.c_str());
    for (auto& setting : section.settings)
        if (!folds || !setting.declaration->advanced)
            draw_setting(model, section.id, setting, owner);
    if (folds && draw_fold(section))
        for (auto& setting : section.settings)
            if (setting.declaration->advanced) draw_setting(model, section.id, setting, owner);
    ImGui::PopID();
}

void draw_settings(ViewerModel& model, const SettingsSection& section, const SettingsOwner& owner) {
    draw_settings(model, ShownSection(section), owner);
}

}  // namespace tl
