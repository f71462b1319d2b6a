// Search over all settings and commands: matches replace the tabs of the panel, where settings can
// be changed and commands run.
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "app/panels/panels.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"
#include "core/base/files.h"
#include "core/base/setting_words.h"

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
    ImGui::TextColored(info_color(), "%s", section.title.c_str());
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

/// Text that the search matches for a command: title, menu and help.
std::string text_of_command(const ViewerCommand& command) {
    return command.title + " " + command.menu + " " + command.submenu + " " + command.help;
}

/// Commands that match by their titles, or else by their help; submenus are none.
std::vector<const ViewerCommand*> found_commands(const ViewerModel& model) {
    auto& search = model.view.panel.search;
    std::vector<const ViewerCommand*> titles, others;
    for (auto& command : model.interface.commands) {
        if (command.entries) continue;
        if (matches_search(search, command.title))
            titles.push_back(&command);
        else if (matches_search(search, text_of_command(command)))
            others.push_back(&command);
    }
    titles.insert(titles.end(), others.begin(), others.end());
    return titles;
}

/// Whether a setting in use has all words of the search in its label or its id.
bool names_a_setting(ViewerModel& model) {
    for (auto& section : model.session.settings().sections())
        for (auto& setting : section.settings)
            if (matches_search(model.view.panel.search, section.id + " " + setting->id + " " +
                                                            label_of(setting.declaration())))
                return true;
    return false;
}

/// Draws the commands that match, each of which Enter or a click runs; returns whether there are
/// any. A command may change the search, and so runs after all are drawn.
bool draw_found_commands(ViewerModel& model) {
    auto commands = found_commands(model);
    if (commands.empty()) return false;
    ImGui::TextColored(info_color(), "Commands");
    const ViewerCommand* chosen = nullptr;
    constexpr std::size_t kMost = 12;
    for (auto* command : std::span(commands).first(std::min(commands.size(), kMost))) {
        if (ImGui::Selectable((command->title + "##" + command->menu).c_str())) chosen = command;
        tooltip(command->help);
        if (command->bindings.empty()) continue;
        auto keys = binding_text(command->bindings.front());
        ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(keys.c_str()).x);
        ImGui::TextDisabled("%s", keys.c_str());
    }
    if (chosen) run_command(*chosen, model);
    return true;
}

/// Draws the widgets of a section that match one by one; returns whether there are any.
bool draw_found_widgets(ViewerModel& model, const PanelSection& section) {
    bool any = false;
    for (auto& widget : section.widgets) {
        if (widget.present && !widget.present(model)) continue;
        if (!matches_search(model.view.panel.search, section.title + " " + widget.label)) continue;
        if (!any) ImGui::TextColored(info_color(), "%s", section.title.c_str());
        any = true;
        ImGui::PushID(section.id.c_str());
        widget.draw(model);
        ImGui::PopID();
    }
    return any;
}

/// Draws what matches of a section: the whole section by its title, else its widgets that match, or
/// the section where its words do. Returns whether anything matches.
bool draw_found_section(ViewerModel& model, const PanelSection& section) {
    auto& search = model.view.panel.search;
    if (section.present && !section.present(model)) return false;
    auto title = section.id + " " + section.title;
    if (!matches_search(search, title)) {
        if (draw_found_widgets(model, section)) return true;
        if (!matches_search(search, title + " " + section.words)) return false;
    }
    auto& tab = kPanelTabs[static_cast<std::size_t>(section.tab)];
    auto header = section.title + " (tab " + tab.title + ")###" + section.id;
    if (!ImGui::CollapsingHeader(header.c_str(), ImGuiTreeNodeFlags_DefaultOpen)) return true;
    ImGui::PushID(section.id.c_str());
    section.draw(model);
    ImGui::PopID();
    return true;
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
    std::string text =
        section + " " + title + " " + setting.id + " " + label_of(setting) + " " + setting.help;
    for (auto& choice : setting.choices) text += " " + choice;
    return text;
}

void draw_search_field(ViewerModel& model) {
    auto& panel = model.view.panel;
    if (panel.search_starts) ImGui::SetKeyboardFocusHere();
    panel.search_starts = false;
    float clear = panel.search.empty() ? 0 : ImGui::GetFrameHeight() + 4;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - clear);
    ImGui::InputTextWithHint("##search", "Search settings and commands (Ctrl+F)", &panel.search,
                             ImGuiInputTextFlags_AutoSelectAll);
    tooltip(
        "Finds settings, sections and commands by name, id and help. Enter runs a command that "
        "is found by its title, else it moves to the results, as arrow down does; Esc ends the "
        "search.");
    if (ImGui::IsItemDeactivated() && pressed(ImGuiKey_Escape)) panel.search.clear();
    if (panel.search.empty()) return;
    bool entered = ImGui::IsItemDeactivated() && pressed(ImGuiKey_Enter);
    if (entered && !names_a_setting(model)) {
        auto commands = found_commands(model);
        if (!commands.empty() && matches_search(panel.search, commands.front()->title)) {
            panel.search.clear();
            return run_command(*commands.front(), model);
        }
    }
    bool leaves = (ImGui::IsItemActive() && pressed(ImGuiKey_DownArrow)) || entered;
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
        any |= draw_found_commands(model);
        for (auto& section : model.interface.sections) any |= draw_found_section(model, section);
        any |= draw_unused(model, used);
        if (!any)
            ImGui::TextWrapped("No setting and no command has '%s' in its name or help.",
                               model.view.panel.search.c_str());
    }
    ImGui::EndChild();
}

}  // namespace tl
