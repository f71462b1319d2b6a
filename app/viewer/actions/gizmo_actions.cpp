#include "app/viewer/actions/gizmo_actions.h"

#include <algorithm>

#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr float kAxisLength = 84, kReachOfLines = 7;  // pixels at scale 1
constexpr float kLargestShare = 0.36f;                // of the picture's height or width
constexpr GizmoHandles kAllHandles{GizmoHandle::x,     GizmoHandle::y,  GizmoHandle::z,
                                   GizmoHandle::yz,    GizmoHandle::zx, GizmoHandle::xy,
                                   GizmoHandle::middle};
constexpr GizmoHandles kAxesAndMiddle{GizmoHandle::x, GizmoHandle::y, GizmoHandle::z,
                                      GizmoHandle::middle};
constexpr GizmoHandles kMiddleAlone{GizmoHandle::middle};
constexpr GizmoHandles kEdgesAndMiddle{GizmoHandle::x, GizmoHandle::y, GizmoHandle::middle};

/// Whether the target can be seen.
bool exists(const EditedScene& edited, const GizmoTarget& target) {
    if (auto* light = std::get_if<std::uint32_t>(&target))
        return edited.shows({ItemKind::light, *light});
    return edited.shows(item_of(std::get<ObjectId>(target)));
}

const Light& light_of(const ViewerModel& model, const GizmoTarget& target) {
    return model.document.scene.edited.light(std::get<std::uint32_t>(target));
}

std::optional<GizmoTarget> target_of(const ViewerModel& model) {
    auto& selection = model.document.selection;
    std::optional<GizmoTarget> target;
    if (selection.light) target = *selection.light;
    if (selection.object) target = *selection.object;
    if (!target || !can_edit(model) || !exists(model.document.scene.edited, *target))
        return std::nullopt;
    return target;
}

Transform transform_of(const ViewerModel& model, const ObjectId& id) {
    auto& objects = model.document.scene.edited.edits().objects;
    auto found = objects.find(id);
    return found == objects.end() ? Transform{} : found->second;
}

GizmoHandles handles_of_light(GizmoMode mode, LightKind kind) {
    bool is_far = kind == LightKind::directional;
    if (mode == GizmoMode::move) return is_far ? GizmoHandles{} : kAllHandles;
    bool has_direction = is_far || kind == LightKind::spot || kind == LightKind::rectangle;
    if (mode == GizmoMode::rotate) return has_direction ? kAxesAndMiddle : GizmoHandles{};
    if (kind == LightKind::sphere) return kMiddleAlone;
    return kind == LightKind::rectangle ? kEdgesAndMiddle : GizmoHandles{};
}

GizmoHandles handles_of(const ViewerModel& model, const GizmoTarget& target, GizmoMode mode) {
    if (std::holds_alternative<std::uint32_t>(target))
        return handles_of_light(mode, light_of(model, target).kind);
    auto& id = std::get<ObjectId>(target);
    // A mesh that is seen through instances alone does not move itself.
    if (id.kind == ObjectKind::mesh && model.document.scene.edited.mesh(id.index).instanced)
        return {};
    if (mode == GizmoMode::move) return kAllHandles;
    return mode == GizmoMode::scale && !is_scaled_by_axes(id) ? kMiddleAlone : kAxesAndMiddle;
}

/// Unit vectors, the first along `a` and the second in the plane of `a` and `b`.
std::array<vec3, 3> axes_along(vec3 a, vec3 b) {
    vec3 x = glm::normalize(a), z = glm::cross(a, b);
    if (!(glm::length(z) > 1e-6f * glm::length(a) * glm::length(b)))
        z = glm::cross(x, std::abs(x.x) < 0.9f ? vec3(1, 0, 0) : vec3(0, 1, 0));
    z = glm::normalize(z);
    return {x, glm::cross(z, x), z};
}

std::array<vec3, 3> axes_of_light(const Light& light) {
    if (light.kind == LightKind::rectangle) return axes_along(light.edge_u, light.edge_v);
    auto [z, x, y] = axes_along(light.direction, vec3(0, 1, 0));
    return {x, y, z};
}

/// Axes of the target itself. `scaled`: those that it is scaled along.
std::array<vec3, 3> own_axes(const ViewerModel& model, const GizmoTarget& target, bool scaled) {
    if (std::holds_alternative<std::uint32_t>(target))
        return axes_of_light(light_of(model, target));
    auto& id = std::get<ObjectId>(target);
    if (id.kind == ObjectKind::instance && !scaled) {
        auto& m = model.document.scene.edited.instance(id.index).transform;
        return axes_along(vec3(m[0]), vec3(m[1]));
    }
    glm::mat3 m(rotation_of(transform_of(model, id).rotate));
    return {m[0], m[1], m[2]};
}

/// Centre of an object's bounds before its edits. Those of a large mesh take a while to find.
vec3 center_of(ViewerModel& model, const ObjectId& id) {
    auto& known = model.view.gizmo.center;
    auto* scene = &model.session.scene();
    if (known.scene != scene || known.object != id || known.edits != model.gate.edits())
        known = {scene, id, model.gate.edits(), model.document.scene.edited.center_before(id)};
    return known.center;
}

vec3 origin_of(ViewerModel& model, const GizmoTarget& target) {
    if (auto* id = std::get_if<ObjectId>(&target))
        return vec3(glm::dvec3(center_of(model, *id)) + transform_of(model, *id).translate);
    auto& light = light_of(model, target);
    if (light.kind == LightKind::directional) return model.view.camera.camera().target;
    if (light.kind == LightKind::rectangle)
        return light.position + 0.5f * (light.edge_u + light.edge_v);
    return light.position;
}

/// Length of the selection's diagonal; that of the scene for a light without a surface.
float size_of_selection(const ViewerModel& model) {
    auto corners = selection_corners(model.document.scene.edited, model.document.selection);
    float size = glm::length(corners.back() - corners.front());
    return size > 0 ? size : model.view.camera.scene_size();
}

/// Requests the change of a drag as an edit, of which the newest counts.
void request(ViewerModel& model, GizmoView::Drag& drag) {
    drag.stale = drag.pictured = false;
    constexpr const char* kNames[] = {"", "move", "rotate", "scale"};
    auto* what = kNames[static_cast<std::size_t>(drag.drag.gizmo().mode)];
    if (auto* light = std::get_if<std::uint32_t>(&drag.target))
        edit_light(
            model, *light, what,
            [now = with_change(std::get<Light>(drag.before), drag.change)](Light& l) { l = now; });
    else
        edit_object(model, std::get<ObjectId>(drag.target), what,
                    [now = with_change(std::get<Transform>(drag.before), drag.change)](
                        Transform& t) { t = now; });
}

/// The gizmo of a target that is not being dragged.
Gizmo resting_gizmo(ViewerModel& model, const GizmoTarget& target) {
    auto& view = model.view.gizmo;
    Gizmo gizmo{.mode = view.mode, .handles = handles_of(model, target, view.mode)};
    gizmo.origin = origin_of(model, target);
    bool scaled = view.mode == GizmoMode::scale;
    if (view.local || scaled) gizmo.axes = own_axes(model, target, scaled);
    return gizmo;
}

}  // namespace

void toggle_gizmo(ViewerModel& model, GizmoMode mode) {
    auto& view = model.view.gizmo;
    end_gizmo_drag(model);
    view.mode = view.mode == mode ? GizmoMode::none : mode;
    if (view.mode != GizmoMode::none && model.document.selection.empty())
        model.status.messages.info("nothing is selected: a click on an object shows its handles");
}

void update_gizmo(ViewerModel& model, const Camera& camera, float scale) {
    auto& view = model.view.gizmo;
    view.shown.reset();
    view.hovered = GizmoHandle::none;
    auto target = target_of(model);
    if (view.drag && (!target || *target != view.drag->target)) view.drag.reset();
    if (!target || view.mode == GizmoMode::none) return;
    auto& picture = model.view.layout.picture;
    auto smaller = static_cast<float>(std::min(picture.width, picture.height));
    Gizmo gizmo = view.drag ? view.drag->drag.gizmo() : resting_gizmo(model, *target);
    if (gizmo.handles.empty()) return;
    if (view.drag)
        gizmo.origin += vec3(view.drag->change.move);
    else
        gizmo.size = std::min(kAxisLength * scale, kLargestShare * smaller);
    PictureProjection projection(camera, picture);
    view.shown = {*target, gizmo, projection, shapes_of(gizmo, projection), kReachOfLines * scale};
    view.hovered = view.drag ? view.drag->drag.handle()
                             : handle_at(view.shown->shapes, model.view.cursor, view.shown->reach);
}

bool begin_gizmo_drag(ViewerModel& model, vec2 pixel) {
    auto& view = model.view.gizmo;
    auto target = target_of(model);
    if (!view.shown || !target || *target != view.shown->target) return false;
    auto& shown = *view.shown;
    auto handle = handle_at(shown.shapes, pixel, shown.reach);
    if (handle == GizmoHandle::none) return false;
    GizmoDrag drag(shown.gizmo, handle, shown.projection, pixel,
                   snap_step_for(size_of_selection(model)));
    std::variant<Transform, Light> before;
    if (std::holds_alternative<std::uint32_t>(*target))
        before = light_of(model, *target);
    else
        before = transform_of(model, std::get<ObjectId>(*target));
    view.drag.emplace(GizmoView::Drag{.target = *target, .drag = drag, .before = before});
    return true;
}

void drag_gizmo(ViewerModel& model, vec2 moved, GizmoKeys keys) {
    auto& drag = model.view.gizmo.drag;
    if (!drag) return;
    drag->change = drag->drag.advance(moved, keys);
    drag->stale = drag->moved = true;
}

bool follow_gizmo_drag(ViewerModel& model) {
    auto& drag = model.view.gizmo.drag;
    if (!drag) return false;
    if (model.gate.open())
        drag->pictured =
            !model.gate.busy() && (model.session.samples() > 0 || !model.status.stopped_by.empty());
    if (!drag->stale || !drag->pictured) return false;
    request(model, *drag);
    return true;
}

void end_gizmo_drag(ViewerModel& model) {
    auto& drag = model.view.gizmo.drag;
    if (!drag) return;
    if (drag->stale) request(model, *drag);
    drag.reset();
}

void cancel_gizmo_drag(ViewerModel& model) {
    auto& drag = model.view.gizmo.drag;
    if (!drag) return;
    drag->change = {};
    if (drag->moved) request(model, *drag);
    drag.reset();
}

namespace {

template <GizmoMode mode>
ViewerCommand gizmo_command(std::string title, std::string help, Key key) {
    return toggle({std::move(title),
                   std::move(help),
                   {{key, {.shift = true}}},
                   [](ViewerModel& m) { toggle_gizmo(m, mode); }},
                  [](const ViewerModel& m) { return m.view.gizmo.mode == mode; });
}

}  // namespace

std::vector<ViewerCommand> gizmo_commands() {
    return {
        below_line(gizmo_command<GizmoMode::move>(
            "Move handles",
            "Show a gizmo that transforms the selected object: arrows and planes that move it.",
            Key::g)),
        gizmo_command<GizmoMode::rotate>("Rotate handles",
                                         "Show a gizmo that transforms the selected object: "
                                         "rings that rotate it.",
                                         Key::r),
        gizmo_command<GizmoMode::scale>("Scale handles",
                                        "Show a gizmo that transforms the selected object: "
                                        "axes that scale it.",
                                        Key::t),
        toggle({"Local axes",
                "Align the gizmo's handles with the object's own axes, or with those of the scene.",
                {{Key::l, {.shift = true}}},
                [](ViewerModel& m) { m.view.gizmo.local = !m.view.gizmo.local; }},
               [](const ViewerModel& m) { return m.view.gizmo.local; }),
        toggle({"Snapping",
                "Let the gizmo's handles transform in whole steps; Ctrl, held, does the opposite.",
                {{Key::g, {.alt = true}}},
                [](ViewerModel& m) { m.view.gizmo.snaps = !m.view.gizmo.snaps; }},
               [](const ViewerModel& m) { return m.view.gizmo.snaps; })};
}

}  // namespace tl
