#include "app/viewer/actions/part_actions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/jobs/format.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/text.h"

namespace tl {
namespace {

bool uses(const std::vector<std::int32_t>& materials, std::int32_t material) {
    return std::ranges::find(materials, material) != materials.end();
}

/// Whether a part that is not deleted has the material.
bool part_uses(const EditedScene& edited, const ItemId& id, std::int32_t material) {
    if (edited.edits().marks.deleted.contains(id)) return false;
    switch (id.kind) {
        case ItemKind::mesh:
            return uses(edited.mesh(id.index).material_of_triangle, material);
        case ItemKind::patches:
            return uses(edited.patches(id.index).material_of_patch, material);
        case ItemKind::sphere:
            return edited.sphere(id.index).material == material;
        case ItemKind::instance:
            return edited.instance(id.index).material == material;
        case ItemKind::cloud:
            return edited.clouds()[id.index].material == material;
        default:
            return false;
    }
}

/// The first part other than `but` that has the material.
std::optional<ItemId> user_of(const EditedScene& edited, std::uint32_t material,
                              const ItemId& but) {
    for (auto kind :
         {ItemKind::mesh, ItemKind::patches, ItemKind::sphere, ItemKind::instance, ItemKind::cloud})
        for (std::uint32_t i = 0; i < edited.count(kind); ++i)
            if (ItemId id{kind, i};
                id != but && part_uses(edited, id, static_cast<std::int32_t>(material)))
                return id;
    return std::nullopt;
}

/// A step along the ground.
vec3 step_aside(const CameraController& view, float length) {
    return length * (vec3(1) - glm::abs(view.up_axis()));
}

/// Moves the edits of a part to its copy, which stands a little to the side.
void give_copy_its_place(const EditedScene& edited, const ItemId& from, const ItemId& to,
                         const CameraController& view, SceneEdits& edits) {
    constexpr float kAside = 0.05f;  // of the diagonal
    if (from.kind == ItemKind::material) {
        auto edit = edits.materials.find(from.index);
        if (edit != edits.materials.end()) edits.materials[to.index] = edit->second;
    } else if (from.kind == ItemKind::light) {
        Light light = edited.light(from.index);
        light.position += step_aside(view, kAside * view.scene_size());
        edits.lights[to.index] = light;
    } else {
        Box box = edited.bounds_of(from);
        float step = box.empty() ? kAside : kAside * glm::length(box.hi - box.lo);
        const ObjectId object = object_of(from);
        auto edit = edits.objects.find(object);
        Transform place = edit == edits.objects.end() ? Transform{} : edit->second;
        place.translate += glm::dvec3(step_aside(view, step));
        edits.objects[{object.kind, to.index}] = place;
    }
}

/// Why a part cannot be duplicated; "" if it can.
std::string copy_fault(const EditedScene& edited, const ItemId& id) {
    if (id.kind == ItemKind::mesh && edited.mesh(id.index).instanced)
        return "this mesh is seen through its instances; duplicate one of these";
    return "";
}

}  // namespace

std::optional<ItemId> selected_part(const ViewerModel& model) {
    auto& selection = model.document.selection;
    if (!editable_scene(model)) return std::nullopt;
    if (selection.light) return ItemId{ItemKind::light, *selection.light};
    if (selection.object) return item_of(*selection.object);
    if (selection.material) return ItemId{ItemKind::material, *selection.material};
    return std::nullopt;
}

std::string part_title(const EditedScene& edited, const ItemId& id) {
    if (auto name = edited.name(id); !name.empty()) return name;
    std::string title = std::string(name_of(id.kind)) + " " + std::to_string(id.index);
    if (id.kind == ItemKind::instance)
        title += " of '" + edited.mesh(edited.instance(id.index).mesh).name + "'";
    return title;
}

Selection selection_with(const EditedScene& edited, const ItemId& id) {
    Selection selection;
    auto set_material = [&](std::int32_t material) {
        if (material >= 0) selection.material = static_cast<std::uint32_t>(material);
    };
    auto set_first = [&](const std::vector<std::int32_t>& materials) {
        if (!materials.empty()) set_material(materials.front());
    };
    if (is_object(id.kind)) selection.object = object_of(id);
    switch (id.kind) {
        case ItemKind::mesh:
            set_first(edited.mesh(id.index).material_of_triangle);
            break;
        case ItemKind::patches:
            set_first(edited.patches(id.index).material_of_patch);
            break;
        case ItemKind::sphere:
            set_material(edited.sphere(id.index).material);
            break;
        case ItemKind::instance:
            set_first(edited.mesh(edited.instance(id.index).mesh).material_of_triangle);
            set_material(edited.instance(id.index).material);
            break;
        case ItemKind::cloud:
            set_material(edited.clouds()[id.index].material);
            break;
        case ItemKind::gaussians:
            break;
        case ItemKind::light:
            selection.light = id.index;
            break;
        case ItemKind::material:
            selection.material = id.index;
            break;
    }
    return selection;
}

std::string unused_name(const EditedScene& edited, ItemKind kind, const std::string& name) {
    auto used = [&](const std::string& text) {
        for (std::uint32_t i = 0; i < edited.count(kind); ++i)
            if (ItemId id{kind, i};
                !edited.edits().marks.deleted.contains(id) && edited.name(id) == text)
                return true;
        return false;
    };
    constexpr std::size_t kSuffix = 4;  // ".001"
    std::string stem = name, free = name;
    bool numbered = name.size() > kSuffix && name[name.size() - kSuffix] == '.' &&
                    number_in<std::uint32_t>(std::string_view(name).substr(name.size() - 3));
    if (numbered) stem.resize(name.size() - kSuffix);
    for (unsigned number = 1; used(free); ++number) free = stem + formatted(".%03u", number);
    return free;
}

void rename_part(ViewerModel& model, const ItemId& id, const std::string& name) {
    auto* edited = editable_scene(model);
    if (!edited || name.empty() || name == edited->name(id)) return;
    edit_scene(model, {.name = "name of " + part_title(*edited, id),
                       .change = [id, name](SceneEdits& edits) { edits.marks.names[id] = name; },
                       .shows = false});
}

void show_part(ViewerModel& model, const ItemId& id, bool shown) {
    auto* edited = editable_scene(model);
    if (!edited) return;
    auto change = [id, shown](SceneEdits& edits) {
        if (shown)
            edits.marks.hidden.erase(id);
        else
            edits.marks.hidden.insert(id);
    };
    std::string verb = shown ? "showing of " : "hiding of ";
    edit_scene(model, {.name = verb + part_title(*edited, id), .change = change});
}

void delete_part(ViewerModel& model, const ItemId& id) {
    auto* edited = editable_scene(model);
    if (!edited || edited->edits().marks.deleted.contains(id)) return;
    auto title = part_title(*edited, id);
    if (id.kind == ItemKind::material) {
        if (auto user = user_of(*edited, id.index, id))
            return model.status.messages.warning("'" + title + "' is the material of '" +
                                                 part_title(*edited, *user) +
                                                 "'; delete that part first");
    }
    auto change = [&model, id](SceneEdits& edits) {
        auto& now = model.document.scene.edited;
        edits.marks.deleted.insert(id);
        auto addition = now.addition_of(id);
        auto own = addition ? edits.added[*addition].material : std::nullopt;
        if (own && now.addition_of({ItemKind::material, *own}) && !user_of(now, *own, id))
            edits.marks.deleted.insert({ItemKind::material, *own});
        now.drop_deleted_additions(edits);
    };
    auto tell = [&model, title] {
        model.status.messages.info("deleted " + title + "; Ctrl+Z brings it back");
    };
    edit_scene(model, {.name = "deletion of " + title, .change = change, .then = tell});
}

void duplicate_part(ViewerModel& model, const ItemId& id) {
    auto* edited = editable_scene(model);
    if (!edited) return;
    auto title = part_title(*edited, id);
    if (auto fault = copy_fault(*edited, id); !fault.empty())
        return model.status.messages.warning(fault);
    auto copy = std::make_shared<ItemId>(id);
    auto change = [&model, id, copy](SceneEdits& edits) {
        auto& now = model.document.scene.edited;
        copy->index = static_cast<std::uint32_t>(now.count(id.kind));
        auto name = now.name(id);
        if (!name.empty()) name = unused_name(now, id.kind, name);
        // A copy of a copy is one of what that was copied from.
        std::uint32_t source = id.index;
        for (auto from = now.addition_of(id); from && edits.added[*from].copied;
             from = now.addition_of({id.kind, source}))
            source = *edits.added[*from].copied;
        edits.added.push_back({.kind = id.kind, .name = name, .copied = source});
        give_copy_its_place(now, id, *copy, model.view.camera, edits);
    };
    auto select_copy = [&model, copy] {
        select(model, selection_with(model.document.scene.edited, *copy), false);
    };
    edit_scene(model, {.name = "duplicate of " + title, .change = change, .then = select_copy});
}

void start_renaming(ViewerModel& model, const ItemId& id) {
    auto* edited = editable_scene(model);
    if (!edited) return;
    auto& outliner = model.view.outliner;
    outliner.renamed = std::string(name_of(id.kind)) + " " + std::to_string(id.index);
    outliner.revealed = outliner.renamed;
    constexpr std::size_t kLongList = 100;  // its end may not be listed
    outliner.search = edited->count(id.kind) > kLongList ? part_title(*edited, id) : "";
    outliner.typed = part_title(*edited, id);
    outliner.takes_focus = true;
    model.view.interface_visible = true;
    model.view.panel.search.clear();
    reveal_section(model, "outliner");
}

}  // namespace tl
