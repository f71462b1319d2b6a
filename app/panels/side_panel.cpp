#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

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

/// The panel's left edge, which can be dragged to change its width; `top`: that of its contents.
void draw_edge(ViewerModel& model, float top, float scale) {
    auto& place = model.view.layout.panel;
    float reach = 3 * scale;
    auto at = ImVec2(static_cast<float>(place.x), static_cast<float>(place.y));
    float height = at.y + static_cast<float>(place.height) - top;
    if (height <= ImGui::GetStyle().WindowPadding.y) return;  // no room for it
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
    float widest = std::min(kWidestPanel, kLargestPanelShare * window / scale);
    if (widest < kNarrowestPanel) return;
    model.preferences.panel_width = std::clamp(width, kNarrowestPanel, widest);
}

}  // namespace

void draw_side_panel(ViewerModel& model, float scale) {
    auto& place = model.view.layout.panel;
    if (place.width <= 0 || place.height <= 0) return;
    place_next_window(place);
    if (ImGui::Begin("Panel", nullptr, kFixed)) {
        auto contents = ImGui::GetCursorScreenPos();
        auto& view = model.view;
        bool covered = view.help_open || view.log_open || view.about_open || menu_is_open();
        if (view.panel.keyboard && !covered &&
            !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) {
            ImGui::SetWindowFocus();
            reach_first_item();
        }
        draw_search_field(model);
        if (model.view.panel.search.empty())
            draw_tabs(model);
        else
            draw_search_results(model);
        draw_edge(model, contents.y, scale);
    }
    ImGui::End();
}

void draw_way_back(ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    // Only while the mouse is used, so that a picture on show has nothing on it.
    if (model.view.cursor.x < 0 || picture.height < 80 * scale) return;
    float width = ImGui::GetFrameHeight(), height = 64 * scale;
    auto right = static_cast<float>(picture.x + picture.width);
    ImGui::SetNextWindowPos(
        ImVec2(right - width,
               static_cast<float>(picture.y) + (static_cast<float>(picture.height) - height) / 2));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    if (ImGui::Begin("Way back", nullptr,
                     kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground |
                         ImGuiWindowFlags_NoFocusOnAppearing)) {
        if (ImGui::Button("<", ImVec2(width, height))) model.view.interface_visible = true;
        tooltip("Shows menus and panel (Tab)");
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void draw_interface(ViewerModel& model, float scale) {
    draw_picture_overlay(model, scale);
    model.view.pixel_tree.wanted = model.view.pixel.wanted = model.view.histogram.wanted = false;
    if (model.view.interface_visible) {
        draw_menu_bar(model);
        draw_side_panel(model, scale);
        draw_motion_bar(model, scale);
        draw_status_bar(model, scale);
    } else {
        draw_way_back(model, scale);
    }
    draw_notes(model, scale);
    draw_first_hint(model, scale);
    draw_help_overlay(model, scale);
    draw_message_log(model, scale);
    draw_about(model, scale);
    draw_file_browser(model, scale);
    draw_unsaved_dialog(model, scale);
    draw_error_dialog(model.status.messages, scale);
}

}  // namespace tl
