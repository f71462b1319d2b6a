#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets.h"
#include "app/viewer/viewer_actions.h"
#include "app/viewer/viewer_commands.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Draws the menus, in the order of the table of commands.
void draw_menus(ViewerModel& model) {
    auto& commands = model.interface.commands;
    for (std::size_t i = 0; i < commands.size();) {
        auto& menu = commands[i].menu;
        bool open = ImGui::BeginMenu(menu.c_str());
        for (; i < commands.size() && commands[i].menu == menu; ++i) {
            auto& command = commands[i];
            if (!open) continue;
            auto keys = binding_text(command.bindings.front());
            if (ImGui::MenuItem(command.title.c_str(), keys.c_str())) command.action(model);
        }
        if (open) ImGui::EndMenu();
    }
}

/// Draws a section. A revealed section is opened and its tab scrolled to it, repeatedly for some
/// frames, since its height is known only after the first.
void draw_section(const PanelSection& section, ViewerModel& model) {
    auto& panel = model.panel;
    bool revealed = panel.reveal_frames > 0 && panel.revealed == section.id;
    if (revealed) ImGui::SetNextItemOpen(true);
    float top = ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y;
    if (ImGui::CollapsingHeader(section.title.c_str(), ImGuiTreeNodeFlags_DefaultOpen)) {
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
    if (ImGui::BeginChild("sections"))
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

}  // namespace

void draw_side_panel(ViewerModel& model) {
    auto& place = model.layout.panel;
    if (place.width <= 0 || place.height <= 0) return;
    place_next_window(place);
    if (ImGui::Begin("Panel", nullptr, kFixed | ImGuiWindowFlags_MenuBar)) {
        if (ImGui::BeginMenuBar()) {
            draw_menus(model);
            ImGui::EndMenuBar();
        }
        draw_tabs(model);
    }
    ImGui::End();
}

void draw_interface(ViewerModel& model, float scale) {
    draw_picture_overlay(model, scale);
    model.pixel_tree.wanted = false;
    if (model.interface_visible) {
        draw_side_panel(model);
        draw_status_bar(model);
    }
    draw_help_overlay(model, scale);
    draw_file_browser(model, scale);
    draw_error_dialog(model, scale);
}

}  // namespace tl
