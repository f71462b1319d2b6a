#include <imgui/imgui.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

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

/// Editor of a light: draws its parameters and applies changes to it.
struct LightEditor {
    ViewerModel& model;
    std::uint32_t index;
    Light now;

    void change(const char* what, std::function<void(Light&)> change) const {
        edit_light(model, index, what, std::move(change));
    }
};

/// The radiometric quantity of a light's strength.
const char* strength_of(LightKind kind) {
    if (kind == LightKind::directional) return "irradiance";
    return has_surface(kind) ? "radiance" : "intensity";
}

void draw_strength(const LightEditor& editor) {
    vec3 radiance = editor.now.radiance;
    auto* what = strength_of(editor.now.kind);
    if (edit_radiance(what, radiance))
        editor.change(what, [=](Light& l) { l.radiance = radiance; });
}

void draw_position(const LightEditor& editor) {
    vec3 position = editor.now.position;
    if (drag_vector("position", position, 0.002f * editor.model.view.camera.scene_size()))
        editor.change("position", [=](Light& l) { l.position = position; });
}

void draw_direction(const LightEditor& editor) {
    vec3 direction = editor.now.direction;
    if (drag_vector("direction", direction, 0.01f) && glm::length(direction) > 1e-3f)
        editor.change("direction", [=](Light& l) { l.direction = glm::normalize(direction); });
}

void draw_radius(const LightEditor& editor) {
    float radius = editor.now.radius, speed = 0.001f * editor.model.view.camera.scene_size();
    if (drag_number("radius", radius, speed, 1e-6f, 1e6f))
        editor.change("radius", [=](Light& l) { l.radius = radius; });
}

void draw_outer_angle(const LightEditor& editor) {
    float outer = editor.now.outer_angle;
    if (slide_angle("outer angle", outer, 0.1f, 90))
        editor.change("outer angle", [=](Light& l) {
            l.outer_angle = outer;
            l.inner_angle = std::min(l.inner_angle, outer);
        });
}

void draw_inner_angle(const LightEditor& editor) {
    float inner = editor.now.inner_angle;
    if (slide_angle("inner angle", inner, 0, 90))
        editor.change("inner angle",
                      [=](Light& l) { l.inner_angle = std::min(inner, l.outer_angle); });
}

/// A parameter of lights.
struct LightField {
    const char* label;  ///< for the search
    bool (*present)(LightKind);
    void (*draw)(const LightEditor&);
};

template <LightKind... kinds>
bool is_one_of(LightKind kind) {
    return ((kind == kinds) || ...);
}

constexpr LightField kLightFields[] = {
    {"Strength: radiance, irradiance or intensity; colour", [](LightKind) { return true; },
     draw_strength},
    {"Position", [](LightKind kind) { return kind != LightKind::directional; }, draw_position},
    {"Direction", is_one_of<LightKind::directional, LightKind::spot>, draw_direction},
    {"Radius", is_one_of<LightKind::sphere>, draw_radius},
    {"Outer angle", is_one_of<LightKind::spot>, draw_outer_angle},
    {"Inner angle", is_one_of<LightKind::spot>, draw_inner_angle}};

/// Whether the selected light has a parameter.
bool selection_has(const ViewerModel& model, const LightField& field) {
    auto& index = model.document.selection.light;
    auto& edited = model.document.scene.edited;
    return can_edit(model) && index && *index < edited.count(ItemKind::light) &&
           edited.shows({ItemKind::light, *index}) && field.present(edited.light(*index).kind);
}

LightEditor editor_of_light(ViewerModel& model, std::uint32_t index) {
    return {model, index, model.document.scene.edited.light(index)};
}

/// One widget for each field, for the search.
template <std::size_t... i>
std::vector<PanelWidget> widgets_of_light(std::index_sequence<i...>) {
    return {{kLightFields[i].label,
             [](ViewerModel& m) {
                 kLightFields[i].draw(editor_of_light(m, *m.document.selection.light));
             },
             [](const ViewerModel& m) { return selection_has(m, kLightFields[i]); }}...};
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
    auto editor = editor_of_light(model, index);
    for (auto& field : kLightFields)
        if (field.present(light.kind)) field.draw(editor);
    auto before = model.document.scene.edited.light_before(index);
    bool edited = model.document.scene.edited.edits().lights.contains(index);
    if (edited && ImGui::Button("Light as it was"))
        edit_light(model, index, "reset", [=](Light& l) { l = before; });
    ImGui::TreePop();
}

}  // namespace

std::vector<PanelWidget> light_widgets() {
    return widgets_of_light(std::make_index_sequence<std::size(kLightFields)>());
}

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
