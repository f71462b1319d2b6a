#include <imgui/imgui.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr float kSmallest = 1e-3f, kLargest = 1e3f;  // scale

/// The change of the selected object from how it was opened.
Transform transform_now(const ViewerModel& model) {
    auto& objects = model.document.scene.edited.edits().objects;
    auto found = objects.find(*model.document.selection.object);
    return found == objects.end() ? Transform{} : found->second;
}

void draw_move(ViewerModel& model) {
    vec3 moved(transform_now(model).translate);
    if (drag_vector("move", moved, 0.002f * model.view.camera.scene_size()))
        edit_object(model, *model.document.selection.object, "move",
                    [=](Transform& t) { t.translate = glm::dvec3(moved); });
}

void draw_rotate(ViewerModel& model) {
    vec3 turned = transform_now(model).rotate;
    if (drag_vector("rotate", turned, 1))
        edit_object(model, *model.document.selection.object, "rotate",
                    [=](Transform& t) { t.rotate = turned; });
}

void draw_scale(ViewerModel& model) {
    float size = transform_now(model).scale.x;
    if (drag_number("scale", size, 0.01f, kSmallest, kLargest))
        edit_object(model, *model.document.selection.object, "scale",
                    [=](Transform& t) { t.scale = vec3(size); });
}

void draw_scale_of_axes(ViewerModel& model) {
    vec3 scale = transform_now(model).scale;
    if (drag_vector("scale of axes", scale, 0.01f))
        edit_object(model, *model.document.selection.object, "scale", [=](Transform& t) {
            t.scale = glm::clamp(scale, vec3(kSmallest), vec3(kLargest));
        });
}

void draw_transform_reset(ViewerModel& model) {
    if (ImGui::Button("Object as it was"))
        edit_object(model, *model.document.selection.object, "reset", [](Transform& t) { t = {}; });
}

/// Whether an object is selected that moves itself: a mesh that is seen through its instances does
/// not.
bool has_transform(const ViewerModel& model) {
    auto& object = model.document.selection.object;
    if (!can_edit(model) || !object) return false;
    return object->kind != ObjectKind::mesh ||
           !model.document.scene.edited.mesh(object->index).instanced;
}

bool has_one_scale(const ViewerModel& model) {
    return has_transform(model) && transform_now(model).is_uniform();
}

bool has_scale_of_axes(const ViewerModel& model) {
    return has_transform(model) && is_scaled_by_axes(*model.document.selection.object);
}

bool is_transformed(const ViewerModel& model) {
    return has_transform(model) &&
           model.document.scene.edited.edits().objects.contains(*model.document.selection.object);
}

constexpr PanelWidget kTransformWidgets[] = {
    {"Transform: move", draw_move, has_transform},
    {"Transform: rotate", draw_rotate, has_transform},
    {"Transform: scale", draw_scale, has_one_scale},
    {"Transform: scale of axes", draw_scale_of_axes, has_scale_of_axes},
    {"Transform: object as it was", draw_transform_reset, is_transformed}};

void draw_middle_button(ViewerModel& model) {
    if (ImGui::Button("Select in the middle")) select_in_middle(model.view);
    tooltip("Selects what is in the middle of the picture, as a click there does.");
}

}  // namespace

std::vector<PanelWidget> object_widgets() {
    std::vector<PanelWidget> widgets{{"Select in the middle", draw_middle_button, can_edit}};
    std::ranges::copy(gizmo_widgets(), std::back_inserter(widgets));
    std::ranges::copy(kTransformWidgets, std::back_inserter(widgets));
    std::ranges::copy(material_widgets(), std::back_inserter(widgets));
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
    if (has_transform(model)) {
        ImGui::TextColored(info_color(), "Transform");
        draw_gizmo_choice(model);
        for (auto& widget : kTransformWidgets)
            if (widget.present(model)) widget.draw(model);
    } else if (selection.object) {
        wrapped_text(info_color(), "This mesh is seen through its instances; move these.");
    }
    if (selection.material) draw_material(model);
}

}  // namespace tl
