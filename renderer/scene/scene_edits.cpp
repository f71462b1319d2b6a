#include "renderer/scene/scene_edits.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "renderer/scene/surface_layers.h"

namespace tl {
namespace {

auto fields(const SurfaceLayers& m) {
    return std::tie(m.base, m.metallic, m.roughness, m.reflectance, m.transmission, m.coat,
                    m.coat_roughness, m.texture);
}
auto fields(const Material& m) {
    return std::tie(m.name, m.kind, m.diffuse, m.specular, m.exponent, m.roughness, m.ior,
                    m.transmission, m.absorption, m.priority, m.emission, m.layers,
                    m.diffuse_texture, m.emission_texture, m.alpha_texture, m.alpha_cutoff,
                    m.normal_texture, m.normal_scale);
}
auto textures(const Material& m) {
    return std::tuple(m.diffuse_texture, m.emission_texture, m.alpha_texture, m.normal_texture,
                      m.layers ? m.layers->texture : -1);
}
/// The fields that define a light's surface.
auto places(const Light& l) {
    return std::tie(l.kind, l.position, l.edge_u, l.edge_v, l.radius);
}
auto fields(const Light& l) {
    return std::tuple_cat(places(l),
                          std::tie(l.direction, l.inner_angle, l.outer_angle, l.radiance));
}

bool glows(const Scene& scene) {
    return std::ranges::any_of(scene.materials,
                               [](const Material& m) { return m.emission != vec3(0); });
}

/// The value at a key; null where there is none.
template <class Key, class Value>
const Value* find(const std::map<Key, Value>& map, const Key& key) {
    auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

/// The keys at which two maps differ.
template <class Key, class Value>
std::set<Key> differences(const std::map<Key, Value>& a, const std::map<Key, Value>& b) {
    std::set<Key> keys;
    for (auto* map : {&a, &b})
        for (auto& [key, value] : *map) {
            auto *in_a = find(a, key), *in_b = find(b, key);
            if (!in_a || !in_b || !(*in_a == *in_b)) keys.insert(key);
        }
    return keys;
}

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};

std::size_t count_of(const Scene& scene, ObjectKind kind) {
    switch (kind) {
        case ObjectKind::mesh:
            return scene.meshes.size();
        case ObjectKind::patches:
            return scene.patches.size();
        case ObjectKind::sphere:
            return scene.spheres.size();
        case ObjectKind::instance:
            break;
    }
    return scene.instances.size();
}

Box bounds_of_points(const std::vector<vec3>& points) {
    Box box;
    for (auto& p : points) box.extend(p);
    return box;
}

Box bounds_of_sphere(const Sphere& sphere) {
    Box box;
    box.extend(sphere.center - sphere.radius);
    box.extend(sphere.center + sphere.radius);
    return box;
}

Box bounds_of_instance(const Scene& scene, const Instance& instance) {
    Box own = bounds_of_points(scene.meshes[instance.mesh].positions), box;
    for (int corner = 0; corner < 8 && !own.empty(); ++corner)
        box.extend(vec3(instance.transform * vec4(corner_of_box(own, corner), 1)));
    return box;
}

}  // namespace

bool operator==(const SurfaceLayers& a, const SurfaceLayers& b) {
    return fields(a) == fields(b);
}

bool operator==(const Material& a, const Material& b) {
    return fields(a) == fields(b);
}

bool operator==(const Light& a, const Light& b) {
    return fields(a) == fields(b);
}

namespace {

/// Copies all fields that set_layers() sets, except the layers.
void take_shown_kind(Material& to, const Material& from) {
    std::tie(to.kind, to.diffuse, to.specular, to.exponent, to.ior, to.transmission) = std::tie(
        from.kind, from.diffuse, from.specular, from.exponent, from.ior, from.transmission);
}

}  // namespace

Material with_kind(const Material& before, Material now, MaterialKind kind) {
    bool had_layers = now.layers.has_value();
    now.layers.reset();
    if (kind == now.kind && !had_layers) return now;
    if (kind == before.kind && !before.layers) {
        take_shown_kind(now, before);
        return now;
    }
    now.kind = kind;
    if (is_perfect(kind) && now.specular == vec3(0)) now.specular = vec3(1);
    return now;
}

Material with_layers(const Material& before, Material now, const SurfaceLayers& layers, float ior) {
    SurfaceLayers as_before = before.layers.value_or(SurfaceLayers{});
    as_before.texture = layers.texture;  // it may be hidden
    if (before.layers && layers == as_before && ior == before.ior) {
        take_shown_kind(now, before);
        now.layers = layers;
        return now;
    }
    // Resets all fields of the former kind.
    take_shown_kind(now, Material{});
    set_layers(now, layers, ior, layers.metallic, layers.roughness);
    now.ior = ior;
    return now;
}

Material with_textures(const Material& before, Material now, bool shown) {
    const Material none;
    auto& from = shown ? before : none;
    now.diffuse_texture = from.diffuse_texture;
    now.emission_texture = from.emission_texture;
    now.alpha_texture = from.alpha_texture;
    now.normal_texture = from.normal_texture;
    if (now.layers) now.layers->texture = shown && before.layers ? before.layers->texture : -1;
    return now;
}

bool has_textures(const Material& material) {
    return textures(material) != textures(Material{});
}

const Material& EditedScene::material_before(std::uint32_t index) const {
    auto* before = find(materials_, index);
    return before ? *before : scene_->materials.at(index);
}

const Light& EditedScene::light_before(std::uint32_t index) const {
    auto* before = find(lights_, index);
    return before ? *before : scene_->lights.at(index);
}

vec3 EditedScene::center_before(const ObjectId& id) const {
    auto* before = find(objects_, id);
    Box bounds = before ? bounds_before(*before) : bounds_of(*scene_, id);
    return bounds.empty() ? vec3(0) : bounds.center();
}

void EditedScene::check(const SceneEdits& edits) const {
    auto require = [](const char* what, std::size_t index, std::size_t count) {
        if (index >= count)
            throw UserError("there is no " + std::string(what) + " " + std::to_string(index) +
                            "; the scene has " + std::to_string(count) + ", from 0");
    };
    for (auto index : std::views::keys(edits.materials))
        require("material", index, scene_->materials.size());
    for (auto index : std::views::keys(edits.lights))
        require("light", index, scene_->lights.size());
    for (auto& [id, transform] : edits.objects) {
        constexpr const char* kNames[] = {"mesh", "set of patches", "sphere", "instance"};
        require(kNames[static_cast<std::size_t>(id.kind)], id.index, count_of(*scene_, id.kind));
        if (id.kind == ObjectKind::sphere && !transform.is_uniform())
            throw UserError("a sphere takes one scale for all axes");
        if (id.kind == ObjectKind::mesh && scene_->meshes[id.index].instanced)
            throw UserError("mesh " + std::to_string(id.index) +
                            " is seen through instances alone; move these");
    }
}

EditedScene::Object EditedScene::copy_of(const ObjectId& id) const {
    switch (id.kind) {
        case ObjectKind::mesh:
            return scene_->meshes[id.index];
        case ObjectKind::patches:
            return scene_->patches[id.index];
        case ObjectKind::sphere:
            return scene_->spheres[id.index];
        case ObjectKind::instance:
            break;
    }
    return scene_->instances[id.index];
}

void EditedScene::put(const ObjectId& id, Object object) {
    if (auto* mesh = std::get_if<Mesh>(&object)) scene_->meshes[id.index] = std::move(*mesh);
    if (auto* set = std::get_if<PatchSet>(&object)) scene_->patches[id.index] = std::move(*set);
    if (auto* sphere = std::get_if<Sphere>(&object)) scene_->spheres[id.index] = *sphere;
    if (auto* instance = std::get_if<Instance>(&object)) scene_->instances[id.index] = *instance;
}

EditedScene::Object EditedScene::moved(const Object& before, const Box& bounds,
                                       const Transform& transform) {
    glm::dvec3 middle = bounds.empty() ? glm::dvec3(0) : glm::dvec3(bounds.center());
    Transform about = transform;
    about.translate += middle;
    // The object alone in a scene, so that the transform affects no other.
    Scene alone;
    SceneMark none(alone);
    auto move = [&](auto& list, const auto& object) -> Object {
        list.push_back(object);
        tl::apply(about, alone, none, false, -middle);
        return std::move(list.back());
    };
    return std::visit(
        Overloaded{[&](const Mesh& mesh) { return move(alone.meshes, mesh); },
                   [&](const PatchSet& set) { return move(alone.patches, set); },
                   [&](const Sphere& sphere) { return move(alone.spheres, sphere); },
                   [&](const Instance& instance) { return move(alone.instances, instance); }},
        before);
}

Box EditedScene::bounds_before(const Object& before) const {
    if (auto* instance = std::get_if<Instance>(&before))
        return bounds_of_instance(*scene_, *instance);
    return std::visit(Overloaded{[](const Mesh& mesh) { return bounds_of_points(mesh.positions); },
                                 [](const PatchSet& set) { return bounds_of_points(set.points); },
                                 [](const Sphere& sphere) { return bounds_of_sphere(sphere); },
                                 [](const Instance&) { return Box{}; }},
                      before);
}

EditedScene::PreparedEdits EditedScene::prepare(const SceneEdits& wanted) const {
    check(wanted);
    const SceneEdits edits = without_idle(wanted);
    PreparedEdits prepared;
    for (auto& id : differences(edits.objects, edits_.objects)) {
        auto known = objects_.find(id);
        if (known == objects_.end()) prepared.before.emplace(id, copy_of(id));
        auto& before = known == objects_.end() ? prepared.before.at(id) : known->second;
        auto* transform = find(edits.objects, id);
        prepared.transforms.emplace(id, transform ? *transform : Transform{});
        prepared.moved.emplace(
            id, transform ? moved(before, bounds_before(before), *transform) : before);
    }
    auto file = edits.environment.value_or(environment_before_).file;
    bool kept = file == environment_before_.file && environment_;
    if (!file.empty() && !kept && file != environment().file) {
        prepared.environment_file = file;
        prepared.environment = load_environment(file, prepared.warnings);
    }
    return prepared;
}

void EditedScene::change_object(const ObjectId& id, const Transform* transform,
                                PreparedEdits* prepared) {
    bool ready = prepared && prepared->moved.contains(id) &&
                 prepared->transforms.at(id) == (transform ? *transform : Transform{});
    if (!objects_.contains(id)) {
        if (ready && prepared->before.contains(id))
            objects_.emplace(id, std::move(prepared->before.at(id)));
        else
            objects_.emplace(id, copy_of(id));
    }
    auto& before = objects_.at(id);
    if (ready)
        put(id, std::move(prepared->moved.at(id)));
    else
        put(id, transform ? moved(before, bounds_before(before), *transform) : before);
}

void EditedScene::change_environment(const std::optional<EnvironmentChoice>& choice,
                                     PreparedEdits* prepared, const ReadObserver& observer) {
    auto& map = scene_->environment;
    auto wanted = choice.value_or(environment_before_);
    bool own = wanted.file == environment_before_.file;
    if (own && environment_) {
        map = std::move(*environment_);
        environment_.reset();
    } else if (wanted.file != environment().file) {
        EnvironmentMap other;
        bool ready = prepared && prepared->environment && prepared->environment_file == wanted.file;
        if (ready) {
            other = std::move(*prepared->environment);
            for (auto& line : prepared->warnings) scene_->warnings.push_back(line);
        } else if (!wanted.file.empty()) {
            other = load_environment(wanted.file, scene_->warnings, observer);
        }
        if (!environment_) environment_ = std::move(map);
        map = std::move(other);
    }
    map.rotation = wanted.rotation;
    map.scale = wanted.scale;
}

SceneEdits EditedScene::without_idle(SceneEdits edits) const {
    std::erase_if(edits.materials,
                  [&](auto& edit) { return edit.second == material_before(edit.first); });
    std::erase_if(edits.lights,
                  [&](auto& edit) { return edit.second == light_before(edit.first); });
    std::erase_if(edits.objects, [&](auto& edit) { return edit.second == Transform{}; });
    if (edits.environment == environment_before_) edits.environment.reset();
    if (edits.background == background_before()) edits.background.reset();
    return edits;
}

SceneChange EditedScene::apply(const SceneEdits& wanted, PreparedEdits* prepared,
                               const ReadObserver& observer) {
    check(wanted);
    const SceneEdits edits = without_idle(wanted);
    SceneChange change;
    bool glowed = glows(*scene_);
    if (edits.environment != edits_.environment) {
        change_environment(edits.environment, prepared, observer);
        edits_.environment = edits.environment;
        change.any = change.environment = true;
    }
    if (edits.background != edits_.background) {
        if (!background_) background_ = scene_->background;
        scene_->background = edits.background.value_or(*background_);
        change.any = true;
    }
    for (auto index : differences(edits.materials, edits_.materials)) {
        auto& now = scene_->materials[index];
        materials_.emplace(index, now);
        auto* edit = find(edits.materials, index);
        const Material& next = edit ? *edit : materials_.at(index);
        change.geometry = change.geometry || textures(next) != textures(now);
        now = next;
        change.any = true;
    }
    for (auto index : differences(edits.lights, edits_.lights)) {
        auto& now = scene_->lights[index];
        lights_.emplace(index, now);
        auto* edit = find(edits.lights, index);
        const Light& next = edit ? *edit : lights_.at(index);
        bool surfaces = has_surface(next.kind) || has_surface(now.kind);
        change.geometry = change.geometry || (surfaces && places(next) != places(now));
        now = next;
        change.any = true;
    }
    for (auto& id : differences(edits.objects, edits_.objects)) {
        change_object(id, find(edits.objects, id), prepared);
        change.any = change.geometry = true;
    }
    // Lights of instances' surfaces have numbers after all others.
    if (change.any && !scene_->instances.empty() && (glowed || glows(*scene_)))
        change.geometry = true;
    edits_ = edits;
    return change;
}

const char* name_of(ObjectKind kind) {
    constexpr const char* kNames[] = {"mesh", "patches", "sphere", "instance"};
    return kNames[static_cast<std::size_t>(kind)];
}

Box bounds_of(const Scene& scene, const ObjectId& id) {
    switch (id.kind) {
        case ObjectKind::mesh:
            return bounds_of_points(scene.meshes[id.index].positions);
        case ObjectKind::patches:
            return bounds_of_points(scene.patches[id.index].points);
        case ObjectKind::sphere:
            return bounds_of_sphere(scene.spheres[id.index]);
        case ObjectKind::instance:
            break;
    }
    return bounds_of_instance(scene, scene.instances[id.index]);
}

}  // namespace tl
