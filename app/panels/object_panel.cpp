#include <imgui/imgui.h>

#include <string>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_transform(ViewerModel& model) {
    auto& id = *model.document.selection.object;
    auto& objects = model.document.scene.edited.edits().objects;
    auto found = objects.find(id);
    Transform now = found == objects.end() ? Transform{} : found->second;
    float step = 0.002f * model.view.camera.scene_size();
    vec3 moved(now.translate);
    if (drag_vector("move", moved, step))
        edit_object(model, id, "move", [=](Transform& t) { t.translate = glm::dvec3(moved); });
    vec3 turned = now.rotate;
    if (drag_vector("rotate", turned, 1))
        edit_object(model, id, "rotate", [=](Transform& t) { t.rotate = turned; });
    constexpr float kSmallest = 1e-3f, kLargest = 1e3f;
    float size = now.scale.x;
    if (now.is_uniform() && drag_number("scale", size, 0.01f, kSmallest, kLargest))
        edit_object(model, id, "scale", [=](Transform& t) { t.scale = vec3(size); });
    vec3 scale = now.scale;
    if (is_scaled_by_axes(id) && drag_vector("scale of axes", scale, 0.01f))
        edit_object(model, id, "scale", [=](Transform& t) {
            t.scale = glm::clamp(scale, vec3(kSmallest), vec3(kLargest));
        });
    if (found != objects.end() && ImGui::Button("Object as it was"))
        edit_object(model, id, "reset", [](Transform& t) { t = {}; });
}

void draw_middle_button(ViewerModel& model) {
    if (ImGui::Button("Select in the middle")) select_in_middle(model.view);
    tooltip("Selects what is in the middle of the picture, as a click there does.");
}

bool has_object(const ViewerModel& model) {
    return can_edit(model) && model.document.selection.object;
}

}  // namespace

std::vector<PanelWidget> object_widgets() {
    std::vector<PanelWidget> widgets{
        {"Select in the middle", draw_middle_button, can_edit},
        {"Handles: move, rotate, scale, local axes", draw_gizmo_choice, has_object},
        {"Transform: move, rotate, scale of axes", draw_transform, has_object}};
    for (auto& widget : material_widgets()) widgets.push_back(widget);
    return widgets;
}

void draw_object_panel(ViewerModel& model) {
    auto& selection = model.document.selection;
    if (!can_edit(model)) return wrapped_text(info_color(), "This scene cannot be edited.");
    draw_middle_button(model);
    if (selection.empty())
        return wrapped_text(info_color(), "Or click on an object in the picture to edit it.");
    auto& scene = model.session.scene();
    if (selection.light)
        return wrapped_text(info_color(), selection_name(model) + ": see Lights below.");
    if (begin_rows("object")) {
        row("object", selection_name(model));
        if (selection.primitive) row("primitive", grouped(*selection.primitive));
        if (selection.object && selection.object->kind == ObjectKind::instance)
            row("instance", grouped(selection.object->index));
        if (selection.material) row("material", scene.materials[*selection.material].name);
        end_rows();
    }
    auto& object = selection.object;
    bool through_instances = object && object->kind == ObjectKind::mesh &&
                             model.document.scene.edited.mesh(object->index).instanced;
    if (through_instances) {
        wrapped_text(info_color(), "This mesh is seen through its instances; move these.");
    } else if (object) {
        ImGui::TextColored(info_color(), "Transform");
        draw_gizmo_choice(model);
        draw_transform(model);
    }
    if (selection.material) draw_material(model);
}

}  // namespace tl
