#include <imgui/imgui.h>

#include <algorithm>
#include <span>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Draws a submenu whose entries change; returns the chosen one's action. Sets `reached` if it is
/// open or the keyboard has reached its title.
std::function<void(ViewerModel&)> draw_submenu(const ViewerCommand& command,
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

/// Draws an entry of a menu; sets `reached` as draw_submenu() does.
void draw_menu_item(const ViewerCommand& command, ViewerModel& model, bool& reached) {
    if (command.entries) {
        if (auto action = draw_submenu(command, model, reached)) action(model);
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

/// Draws the entries of an open menu; returns by how many menus an arrow moves on from it.
int draw_open_menu(std::span<const ViewerCommand> entries, ViewerModel& model) {
    // Before an open submenu may hand the keyboard back.
    bool focused = ImGui::IsWindowFocused(), at_submenu = false;
    for (auto& entry : entries) draw_menu_item(entry, model, at_submenu);
    int moves = 0;
    if (focused && pressed(ImGuiKey_LeftArrow)) moves = -1;
    if (focused && !at_submenu && pressed(ImGuiKey_RightArrow)) moves = 1;
    if (moves != 0) ImGui::CloseCurrentPopup();
    ImGui::EndMenu();
    return moves;
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
    for (std::size_t i = 0; i < commands.size();) {
        auto& menu = titles.emplace_back(commands[i].menu);
        // Closer together than ImGui has them, so that all fit.
        auto spacing = ImGui::GetStyle().ItemSpacing;
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing.x * 0.4f, spacing.y));
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

/// Notes in the preferences whether a section is collapsed.
void remember_section(Preferences& preferences, const std::string& id, bool open) {
    auto& collapsed = preferences.collapsed_sections;
    bool listed = std::ranges::find(collapsed, id) != collapsed.end();
    if (open && listed) std::erase(collapsed, id);
    if (!open && !listed) collapsed.push_back(id);
}

/// Draws a section. A revealed section is opened and its tab scrolled to it, repeatedly for some
/// frames, since its height is known only after the first.
void draw_section(const PanelSection& section, ViewerModel& model) {
    auto& panel = model.view.panel;
    auto& collapsed = model.preferences.collapsed_sections;
    bool revealed = panel.reveal_frames > 0 && panel.revealed == section.id;
    bool open = revealed || std::ranges::find(collapsed, section.id) == collapsed.end();
    ImGui::SetNextItemOpen(open);
    float top = ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y;
    bool drawn = ImGui::CollapsingHeader(section.title.c_str());
    if (drawn != open || revealed) remember_section(model.preferences, section.id, drawn);
    if (drawn) {
        ImGui::PushID(section.id.c_str());
        section.draw(model);
        ImGui::PopID();
        ImGui::Spacing();
    }
    if (!revealed) return;
    --panel.reveal_frames;
    ImGui::SetScrollFromPosY(top, 0);
}

/// Draws the sections below the tab bar; each tab has its own scroll position.
void draw_sections(ViewerModel& model) {
    if (ImGui::BeginChild("sections", ImVec2(0, 0), false, kNavigatedWithParent))
        for (auto& section : model.interface.sections)
            if (section.tab == model.view.panel.tab && (!section.present || section.present(model)))
                draw_section(section, model);
    ImGui::EndChild();
}

/// Draws the tab bar. The model stores the open tab. If it was changed other than by a click, ImGui
/// is notified and follows in the next frame; until then, ImGui's open tab is ignored.
void draw_tabs(ViewerModel& model) {
    auto& panel = model.view.panel;
    if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyResizeDown)) return;
    bool follows = panel.drawn_tab == panel.tab;
    auto wanted = panel.tab;
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i) {
        auto tab = static_cast<PanelTab>(i);
        auto flags = !follows && tab == wanted ? ImGuiTabItemFlags_SetSelected : 0;
        if (!ImGui::BeginTabItem(kPanelTabs[i].title, nullptr, flags)) continue;
        panel.drawn_tab = tab;
        if (follows && tab != panel.tab) open_tab(model, tab);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
    // After all tabs, so that keys go on from the last one into the sections.
    ImGui::PushID(id_of(panel.tab).data());
    draw_sections(model);
    ImGui::PopID();
}

/// The panel's left edge, which can be dragged to change its width; `top`: the menu's lower end.
void draw_edge(ViewerModel& model, float top, float scale) {
    auto& place = model.view.layout.panel;
    float reach = 3 * scale;
    auto at = ImVec2(static_cast<float>(place.x), static_cast<float>(place.y));
    float height = at.y + static_cast<float>(place.height) - top;
    if (height <= ImGui::GetStyle().WindowPadding.y) return;  // no room below the menu
    // The window's padding belongs to it.
    ImGui::PushClipRect(at, ImVec2(at.x + static_cast<float>(place.width), top + height), false);
    ImGui::SetCursorScreenPos(ImVec2(at.x, top));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    {
        SkippedByKeys only_the_mouse_drags_it(SkippedByKeys::all_keys);
        ImGui::InvisibleButton("edge",
                               ImVec2(2 * reach, height - ImGui::GetStyle().WindowPadding.y));
    }
    ImGui::PopStyleVar();
    ImGui::PopClipRect();
    bool dragged = ImGui::IsItemActive();
    if (ImGui::IsItemHovered() || dragged) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        ImGui::GetForegroundDrawList()->AddRectFilled(
            at, ImVec2(at.x + reach, at.y + static_cast<float>(place.height)),
            ImGui::GetColorU32(ImGuiCol_SliderGrab));
    }
    if (!dragged || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0)) return;
    float window = at.x + static_cast<float>(place.width);
    float width = (window - ImGui::GetIO().MousePos.x) / scale;
    // So that the picture stays wide enough for the panel to be shown.
    float widest = std::min(kWidestPanel, (window - 120 * scale) / scale);
    if (widest < kNarrowestPanel) return;
    model.preferences.panel_width = std::clamp(width, kNarrowestPanel, widest);
}

}  // namespace

void draw_side_panel(ViewerModel& model, float scale) {
    auto& place = model.view.layout.panel;
    if (place.width <= 0 || place.height <= 0) return;
    place_next_window(place);
    if (ImGui::Begin("Panel", nullptr, kFixed | ImGuiWindowFlags_MenuBar)) {
        if (ImGui::BeginMenuBar()) {
            SkippedByKeys menus_have_a_key_of_their_own(SkippedByKeys::tab);
            draw_menus(model);
            ImGui::EndMenuBar();
        }
        auto contents = ImGui::GetCursorScreenPos();
        if (model.view.panel.keyboard && !model.view.help_open && !model.view.log_open &&
            !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) {
            ImGui::SetWindowFocus();
            reach_first_item();
        }
        draw_search_field(model.view.panel);
        if (model.view.panel.search.empty())
            draw_tabs(model);
        else
            draw_search_results(model);
        draw_edge(model, contents.y, scale);
    }
    ImGui::End();
}

void draw_interface(ViewerModel& model, float scale) {
    draw_picture_overlay(model, scale);
    model.view.pixel_tree.wanted = model.view.pixel.wanted = model.view.histogram.wanted = false;
    if (model.view.interface_visible) {
        draw_side_panel(model, scale);
        draw_status_bar(model, scale);
    }
    draw_notes(model, scale);
    draw_first_hint(model, scale);
    draw_help_overlay(model, scale);
    draw_message_log(model, scale);
    draw_file_browser(model, scale);
    draw_unsaved_dialog(model, scale);
    draw_error_dialog(model.status.messages, scale);
}

}  // namespace tl
