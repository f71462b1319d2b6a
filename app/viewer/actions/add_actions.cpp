#include "app/viewer/actions/add_actions.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/viewer/actions/part_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "renderer/scene/loaders/model_files.h"
#include "renderer/scene/shapes.h"

namespace tl {
namespace {

/// Position and size of new objects.
struct NewPlace {
    vec3 target{0};
    float size = 1;
};

NewPlace new_place(const ViewerModel& model) {
    constexpr float kShare = 0.1f;  // of the distance
    auto& camera = model.view.camera.camera();
    return {camera.target, kShare * glm::length(camera.target - camera.eye)};
}

std::uint32_t next_number(const EditedScene& edited, ItemKind kind) {
    return static_cast<std::uint32_t>(edited.count(kind));
}

/// Makes an edit that adds something, and selects the part that `change` returns.
void add_part(ViewerModel& model, const std::string& name, bool takes_long,
              std::function<ItemId(const EditedScene&, SceneEdits&)> change) {
    if (!editable_scene(model))
        return model.status.messages.info("this scene cannot be edited; open one first");
    auto added = std::make_shared<ItemId>();
    auto make = [&model, added, change = std::move(change)](SceneEdits& edits) {
        *added = change(model.document.scene.edited, edits);
    };
    auto select_added = [&model, added] {
        auto& edited = model.document.scene.edited;
        if (added->index < edited.count(added->kind))
            select(model, selection_with(edited, *added), false);
    };
    edit_scene(model, {.name = "addition of " + name,
                       .change = make,
                       .takes_long = takes_long,
                       .then = select_added});
}

/// Appends a material of this name to additions; returns its number.
std::uint32_t add_own_material(const EditedScene& edited, SceneEdits& edits,
                               const std::string& name) {
    edits.added.push_back(
        {.kind = ItemKind::material, .name = unused_name(edited, ItemKind::material, name)});
    return next_number(edited, ItemKind::material);
}

/// Scale and translation that move a model there.
Transform placed_at(const NewPlace& place, const AddedPart& part) {
    Transform transform;
    Box bounds = bounds_of(part.scene, part.begin.items);
    if (bounds.empty()) return transform;
    vec3 sides = bounds.hi - bounds.lo;
    float longest = std::max({sides.x, sides.y, sides.z});
    transform.scale = vec3(longest > 0 ? place.size / longest : 1.0f);
    glm::dvec3 middle = glm::dvec3(bounds.center()) + part.offset;
    transform.translate = glm::dvec3(place.target) - double(transform.scale.x) * middle;
    return transform;
}

/// The first part that a model file adds.
ItemId first_of(const AddedPart& part) {
    for (auto kind : {ItemKind::mesh, ItemKind::patches, ItemKind::cloud, ItemKind::gaussians,
                      ItemKind::sphere, ItemKind::instance})
        if (count_of(end_of(part), kind) > count_of(part.begin, kind))
            return {kind, static_cast<std::uint32_t>(count_of(part.begin, kind))};
    return {ItemKind::mesh, UINT32_MAX};
}

/// A light there, which gives surfaces a few sizes away an irradiance of about 3 W/m^2.
Light new_light(LightKind kind, const NewPlace& place) {
    constexpr float kIrradiance = 3, kAway = 3;
    float intensity = kIrradiance * kAway * kAway * place.size * place.size;
    Light light{.kind = kind, .position = place.target, .direction = vec3(0, -1, 0)};
    light.radiance = vec3(intensity);
    if (kind == LightKind::directional) {
        light.direction = glm::normalize(vec3(-0.4f, -1, -0.3f));
        light.radiance = vec3(kIrradiance);
    }
    if (kind == LightKind::rectangle) {
        light.edge_u = vec3(place.size, 0, 0);
        light.edge_v = vec3(0, 0, place.size);
        light.position -= 0.5f * (light.edge_u + light.edge_v);
        light.radiance = vec3(intensity / (place.size * place.size));
    }
    if (kind == LightKind::sphere) {
        light.radius = place.size / 2;
        light.radiance = vec3(intensity / (kPi * light.radius * light.radius));
    }
    return light;
}

const char* name_of_light(LightKind kind) {
    constexpr const char* kNames[] = {"Point light", "Sun", "Rectangle light", "Spot light",
                                      "Sphere light"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

void add_shape(ViewerModel& model, const std::string& id) {
    bool ball = id == "sphere";
    std::string title = ball ? "Sphere" : find_shape(id).title;
    auto place = new_place(model);
    add_part(model, title, false, [=](const EditedScene& edited, SceneEdits& edits) {
        auto kind = ball ? ItemKind::sphere : ItemKind::mesh;
        SceneAddition addition{.kind = kind, .name = unused_name(edited, kind, title)};
        if (!ball) addition.shape = id;
        addition.place.scale = vec3(ball ? place.size / 2 : place.size);
        addition.place.translate = glm::dvec3(place.target);
        addition.material = add_own_material(edited, edits, addition.name);
        edits.added.push_back(addition);
        return ItemId{kind, next_number(edited, kind)};
    });
}

void add_light(ViewerModel& model, LightKind kind) {
    auto light = new_light(kind, new_place(model));
    std::string title = name_of_light(kind);
    add_part(model, title, false, [=](const EditedScene& edited, SceneEdits& edits) {
        edits.added.push_back({.kind = ItemKind::light,
                               .name = unused_name(edited, ItemKind::light, title),
                               .light = light});
        return ItemId{ItemKind::light, next_number(edited, ItemKind::light)};
    });
}

void add_model_file(ViewerModel& model, const std::string& path) {
    auto file = absolute_path(with_home(path));
    std::string title = file.stem().string();
    auto place = new_place(model);
    add_part(model, title, true, [=](const EditedScene& edited, SceneEdits& edits) {
        SceneAddition addition{.name = unused_name(edited, ItemKind::mesh, title),
                               .file = file.string()};
        auto part = edited.load_part(addition);
        addition.place = placed_at(place, *part);
        bool plain = end_of(*part).items.materials == part->begin.items.materials;
        ItemId first = first_of(*part);
        if (plain && first.kind != ItemKind::gaussians) {
            addition.material = add_own_material(edited, edits, addition.name);
            ++part->begin.items.materials;
            part->scene.materials.emplace_back();
        }
        addition.kept = std::make_shared<KeptPart>(KeptPart{.part = part});
        edits.added.push_back(addition);
        return first;
    });
}

void ask_for_model(ViewerModel& model) {
    ask_for_file(model.view.browser,
                 {.title = "Add a model",
                  .extensions = model_extensions(),
                  .choose = add_model_file,
                  .suggested_name = {}},
                 model.preferences.last_folder);
}

void ask_for_environment(ViewerModel& model) {
    auto choose = [](ViewerModel& m, const std::string& path) {
        edit_environment(m, "environment map", [path](EnvironmentChoice& choice) {
            choice.file = absolute_path(with_home(path)).string();
        });
    };
    ask_for_file(model.view.browser,
                 {.title = "Environment map",
                  .extensions = {".hdr", ".exr"},
                  .choose = choose,
                  .suggested_name = {}},
                 model.preferences.last_folder);
}

void add_sky(ViewerModel& model) {
    if (!editable_scene(model))
        return model.status.messages.info("this scene cannot be edited; open one first");
    static constexpr vec3 kSky(0.55f, 0.75f, 1);
    edit_scene(model, {.name = "sky", .change = [](SceneEdits& edits) {
                           edits.background = kSky;
                           edits.environment = EnvironmentChoice{};
                       }});
}

}  // namespace tl
