// The menu bar over the whole window, made from the table of commands.
#include <imgui/imgui.h>

#include <algorithm>
#include <span>
#include <utility>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

/// Draws a submenu whose entries change; returns the chosen one's action. Sets `reached` if it is
/// open or the keyboard has reached its title.
std::function<void(ViewerModel&)> draw_entries_of(const ViewerCommand& command,
                                                  const ViewerModel& model, bool& reached) {
    std::function<void(ViewerModel&)> chosen;
    auto entries = command.entries(model);
    bool open = ImGui::BeginMenu(command.title.c_str(), !entries.empty());
    reached |= open || ImGui::IsItemFocused();
    if (entries.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        show_tooltip_beside_menu(command.reason);
    if (!open) return chosen;
    for (auto& entry : entries) {
        if (draw_menu_entry(entry)) chosen = entry.action;
        if (ImGui::IsItemHovered()) show_tooltip_beside_menu(entry.help);
    }
    ImGui::EndMenu();
    return chosen;
}

/// Draws an entry of a menu; sets `reached` as draw_entries_of() does.
void draw_menu_item(const ViewerCommand& command, ViewerModel& model, bool& reached) {
    if (command.entries) {
        if (auto action = draw_entries_of(command, model, reached)) action(model);
        return;
    }
    auto keys = command.bindings.empty() ? "" : binding_text(command.bindings.front());
    auto title = command.label ? command.label(model) : command.title;
    bool available = !command.available || command.available(model);
    bool checked = command.checked && command.checked(model);
    title += "  ";  // the titles of menus stand closer together than this and its keys
    if (ImGui::MenuItem(title.c_str(), keys.c_str(), checked, available))
        run_command(command, model);
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    bool reason = !available && !command.reason.empty();
    show_tooltip_beside_menu(reason ? command.help + "\nNot now: " + command.reason + "."
                                    : command.help);
}

/// Draws the entries of a menu, those of one submenu together; sets `reached` likewise.
void draw_menu_items(std::span<const ViewerCommand> entries, ViewerModel& model, bool& reached) {
    for (std::size_t i = 0; i < entries.size();) {
        auto& title = entries[i].submenu;
        if (entries[i].separated) ImGui::Separator();
        if (title.empty()) {
            draw_menu_item(entries[i++], model, reached);
            continue;
        }
        bool open = ImGui::BeginMenu(title.c_str());
        reached |= open || ImGui::IsItemFocused();
        for (; i < entries.size() && entries[i].submenu == title; ++i)
            if (open) draw_menu_item(entries[i], model, reached);
        if (open) ImGui::EndMenu();
    }
}

/// Draws the entries of an open menu; returns by how many menus an arrow moves on from it.
int draw_open_menu(std::span<const ViewerCommand> entries, ViewerModel& model) {
    // Before an open submenu may hand the keyboard back.
    bool focused = ImGui::IsWindowFocused(), at_submenu = false;
    draw_menu_items(entries, model, at_submenu);
    int moves = 0;
    if (focused && pressed(ImGuiKey_LeftArrow)) moves = -1;
    if (focused && !at_submenu && pressed(ImGuiKey_RightArrow)) moves = 1;
    if (moves != 0) ImGui::CloseCurrentPopup();
    ImGui::EndMenu();
    return moves;
}

/// The theme's spacing, or less where the titles of the menus would not fit into the bar with it.
ImVec2 spacing_of_titles(std::span<const ViewerCommand> commands) {
    ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
    float width = 0, count = 0;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if (i > 0 && commands[i].menu == commands[i - 1].menu) continue;
        width += ImGui::CalcTextSize(commands[i].menu.c_str()).x;
        ++count;
    }
    float room = (ImGui::GetContentRegionAvail().x - width) / (2 * count);
    spacing.x = std::min(spacing.x, std::max(room - 1, 1.0f));
    return spacing;
}

/// Draws the menus, in the order of the table of commands.
void draw_menus(ViewerModel& model) {
    auto& commands = model.interface.commands;
    if (auto menu = std::exchange(model.view.panel.opened_menu, ""); !menu.empty()) {
        ImGui::OpenPopup(menu.c_str());
        show_reached_item();
    }
    std::vector<std::string> titles;
    int current = 0, moves = 0;
    auto spacing = spacing_of_titles(commands);
    for (std::size_t i = 0; i < commands.size();) {
        auto& menu = titles.emplace_back(commands[i].menu);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, spacing);
        bool open = ImGui::BeginMenu(menu.c_str());
        ImGui::PopStyleVar();
        std::size_t first = i;
        while (i < commands.size() && commands[i].menu == menu) ++i;
        if (!open) continue;
        current = static_cast<int>(titles.size()) - 1;
        moves = draw_open_menu(std::span(commands).subspan(first, i - first), model);
    }
    int count = static_cast<int>(titles.size());
    if (moves != 0)
        model.view.panel.opened_menu =
            titles[static_cast<std::size_t>((current + moves + count) % count)];
}

}  // namespace

bool menu_is_open() {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

void draw_menu_bar(ViewerModel& model) {
    auto& place = model.view.layout.menu;
    if (place.width <= 0 || place.height <= 0) return;
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
        ImGuiWindowFlags_MenuBar;
    place_next_window(place);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ImGui::GetStyle().WindowPadding.x, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    bool drawn = ImGui::Begin("Menus", nullptr, kFlags);
    ImGui::PopStyleVar(2);
    if (drawn && ImGui::BeginMenuBar()) {
        SkippedByKeys menus_have_a_key_of_their_own(SkippedByKeys::tab);
        draw_menus(model);
        ImGui::EndMenuBar();
    }
    ImGui::End();
}

}  // namespace tl
