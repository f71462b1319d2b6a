#include "app/viewer/actions/scene_actions.h"

#include <memory>
#include <utility>

#include "app/jobs/format.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/prepared_edit.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/simulated_surface.h"
#include "session/session_preparation.h"

namespace tl {
namespace {

/// Drops results that belong to the old geometry.
void forget_geometry(ViewerModel& model) {
    model.status.tree_report = {};
    model.view.boxes.stale = model.view.net.stale = model.view.points.stale = true;
}

/// Drops the selection if it no longer exists.
void forget_lost_selection(ViewerModel& model) {
    auto& selection = model.document.selection;
    auto& edited = model.document.scene.edited;
    auto lost = [&](const ItemId& id) {
        return id.index >= edited.count(id.kind) || edited.edits().marks.deleted.contains(id);
    };
    if ((selection.object && lost(item_of(*selection.object))) ||
        (selection.light && lost({ItemKind::light, *selection.light})) ||
        (selection.material && lost({ItemKind::material, *selection.material})))
        selection = {};
}

/// Applies edits to the description of the scene alone.
SceneChange apply_to_document(ViewerModel& model, const SceneEdits& edits,
                              EditedScene::PreparedEdits* prepared = nullptr) {
    auto change = model.document.scene.edited.apply(edits, prepared);
    forget_lost_selection(model);
    return change;
}

/// Updates the sessions after an edit of the scene.
void follow_edits(ViewerModel& model, const SceneChange& change) {
    model.session.follow_scene(change);
    auto& second = model.view.compare.second;
    if (second && !second->picture()) second->session().follow_scene(change);
    if (change.geometry) forget_geometry(model);
}

}  // namespace

bool can_edit(const ViewerModel& model) {
    return model.document.scene.scene().get() == &model.session.scene();
}

void apply_edits(ViewerModel& model, const SceneEdits& edits) {
    auto& edited = model.document.scene.edited;
    if (edits == edited.edits()) return;
    if (edited.scene().get() != &model.session.scene())
        throw UserError("this scene was not opened from a file or a generator");
    auto before = edited.edits();
    auto change = apply_to_document(model, edits);
    try {
        follow_edits(model, change);
    } catch (...) {
        follow_edits(model, apply_to_document(model, before));
        throw;
    }
}

void edit_document(ViewerModel& model, const std::string& what, SessionGate::Edit edit) {
    auto& document = model.document.scene;
    edit.apply = [&model, what, path = document.path, base = document.base,
                  apply = std::move(edit.apply)] {
        if (model.document.scene.path != path || model.document.scene.base != base)
            return model.status.messages.warning(
                what + " was dropped, since another scene has been opened");
        apply();
    };
    model.gate.edit(std::move(edit));
}

namespace {

/// An edit of the scene in progress.
struct SceneEditing {
    SceneEdits before, after;
    EditedScene::PreparedEdits prepared;
    SceneChange change;
    std::exception_ptr error;
};

/// Runs work that may fail; stores the error.
template <class Work>
void keep_error(SceneEditing& editing, Work work) {
    try {
        work();
    } catch (...) {
        editing.error = std::current_exception();
    }
}

/// Shows the changed geometry, or reverts the edit if it does not fit. `prepared`: the sessions'
/// scenes with that geometry.
void finish_geometry(ViewerModel& model, SceneEditing& editing,
                     PreparedSides<std::unique_ptr<LiveScene>>& prepared) {
    keep_error(editing, [&] {
        auto first = prepared.first.take();
        auto second = prepared.second ? prepared.second->take() : nullptr;
        model.session.follow_scene(editing.change, std::move(first));
        auto& side_b = model.view.compare.second;
        if (side_b && !side_b->picture())
            side_b->session().follow_scene(editing.change, std::move(second));
    });
    if (editing.error) {
        (void)apply_to_document(model, editing.before);
        return;
    }
    forget_geometry(model);
}

/// Changes the description of the scene, and those parts of the sessions that can change at once.
void commit(ViewerModel& model, const std::shared_ptr<SceneEditing>& editing,
            const SceneEditDone& done) {
    auto& edited = model.document.scene.edited;
    keep_error(*editing, [&] {
        if (editing->after == edited.edits()) return;
        if (edited.scene().get() != &model.session.scene())
            throw UserError("this scene was not opened from a file or a generator");
        editing->before = edited.edits();
        editing->change = apply_to_document(model, editing->after, &editing->prepared);
        if (editing->change.geometry) return;
        try {
            follow_edits(model, editing->change);
        } catch (...) {
            follow_edits(model, apply_to_document(model, editing->before));
            throw;
        }
    });
    if (editing->error || !editing->change.geometry) return done(editing->error);
    auto finish = [&model, editing, done](auto& prepared) {
        finish_geometry(model, *editing, prepared);
        done(editing->error);
    };
    auto edit = prepared_edit(
        model, EditedSides::both, [](Session& session) { return prepare_edited(session); }, finish);
    edit.title = "preparing the scene";
    model.gate.follow(std::move(edit));
}

}  // namespace

SessionGate::Edit scene_edit(ViewerModel& model, bool takes_long,
                             std::function<void(SceneEdits&)> change, SceneEditDone done) {
    auto editing = std::make_shared<SceneEditing>();
    auto begin = [&model, editing, change = std::move(change)] {
        keep_error(*editing, [&] {
            editing->after = model.document.scene.edited.edits();
            change(editing->after);
        });
    };
    SessionGate::Edit edit;
    if (!takes_long) {
        edit.apply = [&model, editing, begin, done = std::move(done)] {
            begin();
            if (editing->error) return done(editing->error);
            commit(model, editing, done);
        };
        return edit;
    }
    edit.prepare = [&model, editing, begin] {
        begin();
        if (editing->error) return;
        keep_error(*editing, [&] {
            editing->prepared = model.document.scene.edited.prepare(editing->after);
        });
    };
    edit.apply = [&model, editing, done = std::move(done)] {
        if (editing->error) return done(editing->error);
        commit(model, editing, done);
    };
    edit.title = "changing the scene";
    return edit;
}

namespace {

/// Runs edit_scene(), replacing a waiting edit with the same `key`.
void edit_scene_as(ViewerModel& model, const std::string& key, SeparateEdit wanted) {
    auto done = [&model, step = model.document.history.step(wanted.name), shows = wanted.shows,
                 then = std::move(wanted.then)](std::exception_ptr error) {
        bool ok = attempt(model.status.messages, "Cannot change " + step.name, [&] {
            if (error) std::rethrow_exception(error);
        });
        if (!ok) return;
        record(model, step);
        if (shows) restart_all(model);
        if (then) then();
    };
    auto edit = scene_edit(model, wanted.takes_long, std::move(wanted.change), done);
    edit.name = kSceneEdit + key;
    if (!wanted.shows) edit.ends = Cancellation::nothing;
    edit_document(model, wanted.name, std::move(edit));
}

}  // namespace

void edit_scene(ViewerModel& model, const std::string& name,
                std::function<void(SceneEdits&)> change) {
    edit_scene_as(model, name, {name, std::move(change)});
}

void edit_scene(ViewerModel& model, SeparateEdit edit) {
    auto key = edit.name + " " + std::to_string(++model.view.outliner.n_edits);
    edit_scene_as(model, key, std::move(edit));
}

void edit_material(ViewerModel& model, std::uint32_t index, const std::string& what,
                   std::function<void(Material&)> change) {
    // Names of materials may be empty, and several may have the same.
    auto number = "material " + std::to_string(index);
    auto& name = model.session.scene().materials[index].name;
    auto change_one = [&model, index, change = std::move(change)](SceneEdits& edits) {
        Material material = model.session.scene().materials.at(index);
        change(material);
        edits.materials.insert_or_assign(index, std::move(material));
    };
    edit_scene_as(model, what + " of " + number,
                  {what + " of " + (name.empty() ? number : name), change_one});
}

void edit_light(ViewerModel& model, std::uint32_t index, const std::string& what,
                std::function<void(Light&)> change) {
    edit_scene(model, what + " of light " + std::to_string(index),
               [&model, index, change = std::move(change)](SceneEdits& edits) {
                   Light light = model.document.scene.edited.light(index);
                   change(light);
                   edits.lights.insert_or_assign(index, light);
               });
}

void edit_object(ViewerModel& model, const ObjectId& id, const std::string& what,
                 std::function<void(Transform&)> change) {
    auto name = what + " of " + name_of(id.kind) + " " + std::to_string(id.index);
    auto change_one = [id, change = std::move(change)](SceneEdits& edits) {
        change(edits.objects[id]);
    };
    edit_scene_as(model, name, {name, change_one, true});
}

void edit_environment(ViewerModel& model, const std::string& what,
                      std::function<void(EnvironmentChoice&)> change) {
    auto change_it = [&model, change = std::move(change)](SceneEdits& edits) {
        auto choice = model.document.scene.edited.environment();
        change(choice);
        edits.environment = choice;
    };
    edit_scene_as(model, what, {what, change_it, true});
}

const EditedScene* editable_scene(const ViewerModel& model) {
    auto& edited = model.document.scene.edited;
    return edited.scene() && edited.scene().get() == &model.session.scene() ? &edited : nullptr;
}

Selection selection_of(const Scene& scene, const ProbedPixel& found, const EditedScene* edited) {
    Selection selection{.primitive = found.primitive};
    if (!found.hit) return selection;
    auto number = [&](ItemKind kind, std::uint32_t place) {
        return edited ? edited->number_of(kind, place) : place;
    };
    if (found.material >= scene.materials.size()) {
        // Materials of lights' surfaces follow the scene's own.
        std::size_t left = found.material - scene.materials.size();
        for (std::uint32_t i = 0; i < scene.lights.size(); ++i)
            if (has_surface(scene.lights[i].kind) && left-- == 0)
                selection.light = number(ItemKind::light, i);
        return selection;
    }
    selection.material = found.material;
    if (found.instance != ProbedPixel::kNoInstance) {
        selection.object = {ObjectKind::instance, number(ItemKind::instance, found.instance)};
        return selection;
    }
    std::size_t left = found.primitive;
    // Triangles come first, then those of rectangle lights, spheres, splats and patches.
    for (std::uint32_t i = 0; i < scene.meshes.size(); ++i) {
        if (scene.meshes[i].instanced) continue;
        std::size_t n = scene.meshes[i].triangles.size();
        if (left < n) {
            selection.object = {ObjectKind::mesh, i};
            return selection;
        }
        left -= n;
    }
    for (auto& light : scene.lights) left -= light.kind == LightKind::rectangle ? 2 : 0;
    std::size_t n_spheres = scene.spheres.size();
    for (auto& light : scene.lights) n_spheres += light.kind == LightKind::sphere ? 1 : 0;
    if (left < scene.spheres.size()) {
        auto cloud = edited ? edited->cloud_of(false, left) : std::nullopt;
        if (cloud)
            selection.object = {ObjectKind::cloud, *cloud};
        else
            selection.object = {ObjectKind::sphere,
                                number(ItemKind::sphere, static_cast<std::uint32_t>(left))};
        return selection;
    }
    if (left < n_spheres + scene.splats.size()) {
        auto cloud =
            edited && left >= n_spheres ? edited->cloud_of(true, left - n_spheres) : std::nullopt;
        if (cloud) selection.object = {ObjectKind::cloud, *cloud};
        return selection;
    }
    left -= n_spheres + scene.splats.size();
    for (std::uint32_t i = 0; i < scene.patches.size(); left -= scene.patches[i++].size())
        if (left < scene.patches[i].size()) {
            selection.object = {ObjectKind::patches, i};
            break;
        }
    return selection;
}

bool disturb_clicked(ViewerModel& model, const Selection& clicked, const ProbedPixel& found) {
    const Scene& scene = model.session.scene();
    if (!model.view.playing || !clicked.object || clicked.object->kind != ObjectKind::mesh)
        return false;
    auto& simulation = scene.meshes[clicked.object->index].simulation;
    if (!simulation) return false;
    double phase = phase_of(model.session.time, scene.duration);
    simulation->disturb(found.position, phase * double(scene.duration));
    return true;
}

std::string selection_name(const ViewerModel& model) {
    auto& selection = model.document.selection;
    auto* edited = editable_scene(model);
    if (!edited) return "";
    auto titled = [&](const ItemId& id) {
        std::string title = std::string(name_of(id.kind)) + " " + std::to_string(id.index);
        if (auto name = edited->name(id); !name.empty()) return title + " '" + name + "'";
        if (id.kind != ItemKind::instance) return title;
        return title + " of '" + edited->mesh(edited->instance(id.index).mesh).name + "'";
    };
    if (selection.light) return titled({ItemKind::light, *selection.light});
    return selection.object ? titled(item_of(*selection.object)) : "";
}

BoxCorners selection_corners(const EditedScene& edited, const Selection& selection) {
    if (!edited.scene()) return {};
    Box box;
    mat4 place(1);
    if (selection.light && edited.shows({ItemKind::light, *selection.light})) {
        auto& light = edited.light(*selection.light);
        vec3 size = light.kind == LightKind::sphere ? vec3(light.radius) : vec3(0);
        box.extend(light.position - size);
        box.extend(light.position + size);
        if (light.kind == LightKind::rectangle) {
            box.extend(light.position + light.edge_u);
            box.extend(light.position + light.edge_v);
            box.extend(light.position + light.edge_u + light.edge_v);
        }
    } else if (auto& id = selection.object; id && id->kind == ObjectKind::instance) {
        auto& instance = edited.instance(id->index);
        if (edited.shows(item_of(*id))) box = edited.bounds_of({ItemKind::mesh, instance.mesh});
        place = instance.transform;
    } else if (id) {
        box = edited.bounds_of(item_of(*id));
    }
    BoxCorners corners{};
    for (int i = 0; i < 8 && !box.empty(); ++i)
        corners[static_cast<std::size_t>(i)] = vec3(place * vec4(corner_of_box(box, i), 1));
    return corners;
}

void select_in_middle(ViewerView& view) {
    auto& picture = view.layout.picture;
    vec2 middle(static_cast<float>(picture.width) / 2, static_cast<float>(picture.height) / 2);
    vec2 corner(static_cast<float>(picture.x), static_cast<float>(picture.y));
    view.pixel.selected = {corner + middle, view.pixel.shown};
}

void select(ViewerModel& model, const Selection& selection, bool reveals) {
    model.document.selection = selection;
    if (selection.empty()) return;
    auto& materials = model.session.scene().materials;
    auto name = selection_name(model);
    if (selection.material)
        name += (name.empty() ? "" : ", ") + materials[*selection.material].name;
    model.status.messages.info("selected: " + name);
    if (reveals) reveal_section(model, "object");
}

}  // namespace tl
