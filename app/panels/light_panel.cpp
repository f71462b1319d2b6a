#include <imgui/imgui.h>

#include <algorithm>
#include <string>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/file_field.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"

namespace tl {
namespace {

constexpr const char* kLightKindNames[] = {"point", "directional", "rectangle", "spot", "sphere"};

void draw_place(ViewerModel& model, std::uint32_t index, const Light& light) {
    bool is_far = light.kind == LightKind::directional, is_spot = light.kind == LightKind::spot;
    vec3 position = light.position, direction = light.direction;
    if (!is_far && drag_vector("position", position, 0.002f * model.view.camera.scene_size()))
        edit_light(model, index, "position", [=](Light& l) { l.position = position; });
    if ((is_far || is_spot) && drag_vector("direction", direction, 0.01f) &&
        glm::length(direction) > 1e-3f)
        edit_light(model, index, "direction",
                   [=](Light& l) { l.direction = glm::normalize(direction); });
    float radius = light.radius, outer = light.outer_angle, inner = light.inner_angle;
    if (light.kind == LightKind::sphere &&
        drag_number("radius", radius, 0.001f * model.view.camera.scene_size(), 1e-6f, 1e6f))
        edit_light(model, index, "radius", [=](Light& l) { l.radius = radius; });
    if (!is_spot) return;
    if (slide_angle("outer angle", outer, 0.1f, 90))
        edit_light(model, index, "outer angle", [=](Light& l) {
            l.outer_angle = outer;
            l.inner_angle = std::min(l.inner_angle, outer);
        });
    if (slide_angle("inner angle", inner, 0, 90))
        edit_light(model, index, "inner angle",
                   [=](Light& l) { l.inner_angle = std::min(inner, l.outer_angle); });
}

void draw_light(ViewerModel& model, std::uint32_t index, const Light& light) {
    auto title = "light " + std::to_string(index) + ", " +
                 kLightKindNames[static_cast<std::size_t>(light.kind)];
    auto name = model.document.scene.edited.name({ItemKind::light, index});
    if (!name.empty()) title += " '" + name + "'";
    title += "###" + std::to_string(index);
    bool selected = model.document.selection.light == index;
    if (selected) ImGui::SetNextItemOpen(true);
    if (!ImGui::TreeNode(title.c_str())) return;
    if (selected) {
        draw_gizmo_choice(model);
    } else {
        if (ImGui::SmallButton("Select")) select(model, {.light = index});
        tooltip("Shows handles in the picture that move the light, rotate and scale it.");
    }
    vec3 radiance = light.radiance;
    const char* what = light.kind == LightKind::directional ? "irradiance"
                       : has_surface(light.kind)            ? "radiance"
                                                            : "intensity";
    if (edit_radiance(what, radiance))
        edit_light(model, index, what, [=](Light& l) { l.radiance = radiance; });
    draw_place(model, index, light);
    auto before = model.document.scene.edited.light_before(index);
    bool edited = model.document.scene.edited.edits().lights.contains(index);
    if (edited && ImGui::Button("Light as it was"))
        edit_light(model, index, "reset", [=](Light& l) { l = before; });
    ImGui::TreePop();
}

}  // namespace

void draw_lights_panel(ViewerModel& model) {
    constexpr std::size_t kMostShown = 100;
    if (!can_edit(model)) return wrapped_text(info_color(), "This scene cannot be edited.");
    auto& edited = model.document.scene.edited;
    auto& selected = model.document.selection.light;
    std::size_t n_shown = 0;
    bool more = false, selected_drawn = false;
    for (std::uint32_t i = 0; i < edited.count(ItemKind::light); ++i) {
        if (!edited.shows({ItemKind::light, i})) continue;
        if (n_shown == kMostShown) {
            more = true;
            break;
        }
        ++n_shown;
        selected_drawn |= selected == i;
        draw_light(model, i, edited.light(i));
    }
    bool apart = selected && !selected_drawn && edited.shows({ItemKind::light, *selected});
    if (apart) draw_light(model, *selected, edited.light(*selected));
    if (more) wrapped_text(info_color(), "The others are shown when they are clicked.");
    if (n_shown == 0)
        wrapped_text(info_color(),
                     "The scene has no lights but its environment and emissive surfaces.");
}

namespace {

void draw_environment_map(ViewerModel& model) {
    auto now = model.document.scene.edited.environment();
    auto use_map = [](ViewerModel& m, const std::string& file) {
        edit_environment(m, "environment map", [file](EnvironmentChoice& e) {
            e.file = absolute_path(with_home(file)).string();
        });
    };
    const FileField field{.label = "Map",
                          .hint = ".hdr or .exr",
                          .title = "Environment map",
                          .extensions = {".hdr", ".exr"},
                          .on_enter = true};
    if (draw_file_field(model, field, now.file, use_map)) use_map(model, now.file);
    tooltip("The light from all around; empty for none");
}

void draw_background(ViewerModel& model) {
    vec3 background = model.session.scene().background;
    if (edit_radiance("background", background))
        edit_scene(model, "background", [=](SceneEdits& edits) { edits.background = background; });
}

void draw_environment_rotation(ViewerModel& model) {
    auto now = model.document.scene.edited.environment();
    if (slide_angle("rotation", now.rotation, -360, 360))
        edit_environment(model, "rotation of the environment",
                         [v = now.rotation](EnvironmentChoice& e) { e.rotation = v; });
}

void draw_environment_intensity(ViewerModel& model) {
    auto now = model.document.scene.edited.environment();
    if (edit_radiance("intensity", now.scale))
        edit_environment(model, "intensity of the environment",
                         [v = now.scale](EnvironmentChoice& e) { e.scale = v; });
}

bool has_map(const ViewerModel& model) {
    return can_edit(model) && !model.session.scene().environment.empty();
}

bool has_background(const ViewerModel& model) {
    return can_edit(model) && model.session.scene().environment.empty();
}

}  // namespace

std::vector<PanelWidget> environment_widgets() {
    return {{"Map of the environment", draw_environment_map, can_edit},
            {"Background", draw_background, has_background},
            {"Rotation of the environment", draw_environment_rotation, has_map},
            {"Intensity of the environment", draw_environment_intensity, has_map}};
}

void draw_environment_panel(ViewerModel& model) {
    if (!can_edit(model)) return wrapped_text(info_color(), "This scene cannot be edited.");
    for (auto& widget : environment_widgets())
        if (widget.present(model)) widget.draw(model);
}

}  // namespace tl
