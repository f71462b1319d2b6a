#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/panels/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/imgui/pressed.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Draws a submenu whose entries change; returns the chosen one's action.
std::function<void(ViewerModel&)> draw_submenu(const ViewerCommand& command,
                                               const ViewerModel& model) {
    std::function<void(ViewerModel&)> chosen;
    auto entries = command.entries(model);
    bool open = ImGui::BeginMenu(command.title.c_str(), !entries.empty());
    if (entries.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        show_tooltip(command.reason);
    if (!open) return chosen;
    for (auto& entry : entries) {
        if (ImGui::MenuItem(entry.title.c_str())) chosen = entry.action;
        tooltip(entry.help);
    }
    ImGui::EndMenu();
    return chosen;
}

void draw_menu_item(const ViewerCommand& command, ViewerModel& model) {
    if (command.entries) {
        if (auto action = draw_submenu(command, model)) action(model);
        return;
    }
    auto keys = command.bindings.empty() ? "" : binding_text(command.bindings.front());
    auto title = command.label ? command.label(model) : command.title;
    bool available = !command.available || command.available(model);
    bool checked = command.checked && command.checked(model);
    if (ImGui::MenuItem(title.c_str(), keys.c_str(), checked, available))
        run_command(command, model);
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    bool reason = !available && !command.reason.empty();
    show_tooltip(reason ? command.help + "\nNot now: " + command.reason + "." : command.help);
}

/// Draws the menus, in the order of the table of commands.
void draw_menus(ViewerModel& model) {
    auto& commands = model.interface.commands;
    if (std::exchange(model.panel.menu_opens, false) && !commands.empty()) {
        ImGui::OpenPopup(commands.front().menu.c_str());
        show_reached_item();
    }
    for (std::size_t i = 0; i < commands.size();) {
        auto& menu = commands[i].menu;
        // Closer together than ImGui has them, so that all fit.
        auto spacing = ImGui::GetStyle().ItemSpacing;
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing.x * 0.4f, spacing.y));
        bool open = ImGui::BeginMenu(menu.c_str());
        ImGui::PopStyleVar();
        for (; i < commands.size() && commands[i].menu == menu; ++i)
            if (open) draw_menu_item(commands[i], model);
        if (open) ImGui::EndMenu();
    }
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
    auto& panel = model.panel;
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
            if (section.tab == model.panel.tab && (!section.present || section.present(model)))
                draw_section(section, model);
    ImGui::EndChild();
}

/// Draws the tab bar. The model stores the open tab. If it was changed other than by a click, ImGui
/// is notified and follows in the next frame; until then, ImGui's open tab is ignored.
void draw_tabs(ViewerModel& model) {
    auto& panel = model.panel;
    if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyResizeDown)) return;
    bool follows = panel.drawn_tab == panel.tab;
    auto wanted = panel.tab;
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i) {
        auto tab = static_cast<PanelTab>(i);
        auto flags = !follows && tab == wanted ? ImGuiTabItemFlags_SetSelected : 0;
        if (!ImGui::BeginTabItem(kPanelTabs[i].title, nullptr, flags)) continue;
        panel.drawn_tab = tab;
        if (follows && tab != panel.tab) open_tab(model, tab);
        draw_sections(model);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

/// The panel's left edge, which can be dragged to change its width; `top`: the menu's lower end.
void draw_edge(ViewerModel& model, float top, float scale) {
    auto& place = model.layout.panel;
    float reach = 3 * scale;
    auto at = ImVec2(static_cast<float>(place.x), static_cast<float>(place.y));
    float height = at.y + static_cast<float>(place.height) - top;
    if (height <= ImGui::GetStyle().WindowPadding.y) return;  // no room below the menu
    // The window's padding belongs to it.
    ImGui::PushClipRect(at, ImVec2(at.x + static_cast<float>(place.width), top + height), false);
    ImGui::SetCursorScreenPos(ImVec2(at.x, top));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    ImGui::InvisibleButton("edge", ImVec2(2 * reach, height - ImGui::GetStyle().WindowPadding.y));
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
    auto& place = model.layout.panel;
    if (place.width <= 0 || place.height <= 0) return;
    place_next_window(place);
    if (ImGui::Begin("Panel", nullptr, kFixed | ImGuiWindowFlags_MenuBar)) {
        if (ImGui::BeginMenuBar()) {
            draw_menus(model);
            ImGui::EndMenuBar();
        }
        auto contents = ImGui::GetCursorScreenPos();
        if (model.panel.keyboard &&
            !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) {
            ImGui::SetWindowFocus();
            show_reached_item();
        }
        draw_search_field(model);
        if (model.panel.search.empty())
            draw_tabs(model);
        else
            draw_search_results(model);
        draw_edge(model, contents.y, scale);
    }
    ImGui::End();
}

void draw_interface(ViewerModel& model, float scale) {
    draw_picture_overlay(model, scale);
    model.pixel_tree.wanted = model.pixel.wanted = model.histogram.wanted = false;
    if (model.interface_visible) {
        draw_side_panel(model, scale);
        draw_status_bar(model, scale);
    }
    draw_notes(model, scale);
    draw_first_hint(model, scale);
    draw_help_overlay(model, scale);
    draw_message_log(model, scale);
    draw_file_browser(model, scale);
    draw_unsaved_dialog(model, scale);
    draw_error_dialog(model, scale);
}

}  // namespace tl
