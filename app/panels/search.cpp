// Search over all settings: matches replace the tabs of the panel and can be changed there.
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <utility>

#include "app/panels/panels.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"
#include "core/base/files.h"

namespace tl {
namespace {

/// Draws the settings of a section that match, with its title; returns whether there are any.
bool draw_matches(ViewerModel& model, const ShownSection& section) {
    ShownSection matching(section.id, section.title);
    for (auto& setting : section.settings)
        if (matches_search(model.view.panel.search,
                           searched_text(section.id, section.title, *setting.declaration)))
            matching.settings.push_back(setting);
    if (matching.settings.empty()) return false;
    ImGui::TextColored(kInfoColor, "%s", section.title.c_str());
    draw_settings(model, matching, session_owner(), false);
    return true;
}

/// Draws matches of renderers and tree builders that are not in use; they keep the values set.
bool draw_unused(ViewerModel& model, const SettingsSections& used) {
    bool any = false;
    for (auto& section : declared_sections()) {
        if (section.kind != SectionKind::renderer && section.kind != SectionKind::builder) continue;
        bool in_use = false;
        for (auto& other : used) in_use = in_use || other.id == section.id;
        if (in_use) continue;
        ShownSection shown(section.id, section.title + " (not in use)");
        for (auto& setting : section.settings->all()) {
            auto requested = model.session.settings().requested(section.id, setting.id);
            shown.settings.emplace_back(
                setting, requested ? setting.canonical(*requested) : setting.default_text);
        }
        any |= draw_matches(model, shown);
    }
    return any;
}

}  // namespace

bool matches_search(const std::string& search, const std::string& text) {
    std::string wanted = lower_case(search), in = lower_case(text);
    for (std::size_t at = 0; at < wanted.size();) {
        std::size_t end = std::min(wanted.find(' ', at), wanted.size());
        if (in.find(wanted.substr(at, end - at)) == std::string::npos) return false;
        at = end + 1;
    }
    return true;
}

std::string searched_text(const std::string& section, const std::string& title,
                          const SettingDeclaration& setting) {
    std::string text = section + " " + title + " " + setting.id + " " + setting_label(setting.id) +
                       " " + setting.help;
    for (auto& choice : setting.choices) text += " " + choice;
    return text;
}

void draw_search_field(PanelView& panel) {
    if (panel.search_starts) ImGui::SetKeyboardFocusHere();
    panel.search_starts = false;
    float clear = panel.search.empty() ? 0 : ImGui::GetFrameHeight() + 4;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - clear);
    ImGui::InputTextWithHint("##search", "Search all settings (Ctrl+F)", &panel.search,
                             ImGuiInputTextFlags_AutoSelectAll);
    tooltip(
        "Finds settings and sections by name, id and help, of all tabs. Arrow down "
        "or Enter moves to the results, Esc ends the search.");
    if (ImGui::IsItemDeactivated() && pressed(ImGuiKey_Escape)) panel.search.clear();
    if (panel.search.empty()) return;
    bool leaves = (ImGui::IsItemActive() && pressed(ImGuiKey_DownArrow)) ||
                  (ImGui::IsItemDeactivated() && pressed(ImGuiKey_Enter));
    if (leaves) panel.keyboard = panel.results_start = true;
    ImGui::SameLine(0, 4);
    if (ImGui::Button("x##clear", ImVec2(ImGui::GetFrameHeight(), 0))) panel.search.clear();
    tooltip("End the search (Esc)");
}

void draw_search_results(ViewerModel& model) {
    bool any = false;
    if (ImGui::BeginChild("results", ImVec2(0, 0), false, kNavigatedWithParent)) {
        if (std::exchange(model.view.panel.results_start, false)) {
            ImGui::SetKeyboardFocusHere();
            show_reached_item();
        }
        auto used = model.session.settings().sections();
        for (auto& section : used) any |= draw_matches(model, ShownSection(section));
        for (auto& section : model.interface.sections) {
            bool found = matches_search(model.view.panel.search,
                                        section.id + " " + section.title + " " + section.words);
            if (!found || (section.present && !section.present(model))) continue;
            any = true;
            auto& tab = kPanelTabs[static_cast<std::size_t>(section.tab)];
            auto title = section.title + " (tab " + tab.title + ")###" + section.id;
            if (!ImGui::CollapsingHeader(title.c_str(), ImGuiTreeNodeFlags_DefaultOpen)) continue;
            ImGui::PushID(section.id.c_str());
            section.draw(model);
            ImGui::PopID();
        }
        any |= draw_unused(model, used);
        if (!any)
            ImGui::TextWrapped("No setting has '%s' in its name or help.",
                               model.view.panel.search.c_str());
    }
    ImGui::EndChild();
}

}  // namespace tl
