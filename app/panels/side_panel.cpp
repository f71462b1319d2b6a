#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/viewer/viewer_commands.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

/// The menus, in the order in which the table of commands names them.
void draw_menus(ViewerModel& model) {
    auto& commands = viewer_commands();
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

void draw_section(const char* title, bool open, void (*draw)(ViewerModel&), ViewerModel& model) {
    if (!ImGui::CollapsingHeader(title, open ? ImGuiTreeNodeFlags_DefaultOpen : 0)) return;
    ImGui::PushID(title);
    draw(model);
    ImGui::PopID();
    ImGui::Spacing();
}

/// What keys and flags have started is to be seen: the section opens and is scrolled to its top,
/// again in the next frames, since its height is known after the first.
void draw_svd_section(ViewerModel& model) {
    int& reveal = model.svd.reveal;
    if (reveal > 0) ImGui::SetNextItemOpen(true);
    float top = ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y;
    draw_section("Solvers: SVD", false, draw_svd_panel, model);
    if (reveal <= 0) return;
    --reveal;
    ImGui::SetScrollFromPosY(top, 0);
}

void draw_side_panel(ViewerModel& model) {
    auto& place = model.layout.panel;
    if (place.width <= 0 || place.height <= 0) return;
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(place.x), static_cast<float>(place.y)));
    ImGui::SetNextWindowSize(
        ImVec2(static_cast<float>(place.width), static_cast<float>(place.height)));
    if (ImGui::Begin("Panel", nullptr, kFixed | ImGuiWindowFlags_MenuBar)) {
        if (ImGui::BeginMenuBar()) {
            draw_menus(model);
            ImGui::EndMenuBar();
        }
        draw_section("Times", true, draw_timing_panel, model);
        draw_section("Device, renderer, tree", true, draw_choice_panel, model);
        draw_section("Tree views", true, draw_tree_views_panel, model);
        if (model.session.scene().patch_count() > 0)
            draw_section("Patches", true, draw_patch_views_panel, model);
        draw_section("Film", true, draw_film_panel, model);
        draw_section("Scene", true, draw_scene_panel, model);
        draw_section("Camera", true, draw_camera_panel, model);
        draw_section("Tree quality", false, draw_tree_panel, model);
        draw_section("Rays of a pixel", false, draw_pixel_tree_panel, model);
        draw_svd_section(model);
    }
    ImGui::End();
}

}  // namespace

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
