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
    return before ? *before : light(index);
}

void EditedScene::prepare_environment(const SceneEdits& edits, PreparedEdits& prepared,
                                      const ReadObserver& observer) const {
    auto file = edits.environment.value_or(environment_before_).file;
    bool kept = file == environment_before_.file && environment_;
    bool ready = prepared.environment && prepared.environment_file == file;
    if (file.empty() || kept || ready || file == environment().file) return;
    prepared.warnings = {};
    prepared.environment = load_environment(file, prepared.warnings, observer);
    prepared.environment_file = file;
}

EditedScene::PreparedEdits EditedScene::prepare(const SceneEdits& wanted) const {
    PreparedEdits prepared;
    prepare_parts(wanted, prepared, {});
    check(wanted, end_after(prepared.n_kept), *prepared.parts);
    const SceneEdits edits = without_idle(wanted);
    for (auto& id : differences(edits.objects, edits_.objects)) {
        // Additions that are not made yet follow later.
        if (id.index >= count_of(end_after(prepared.n_kept), item_of(id).kind)) continue;
        auto known = objects_.find(id);
        if (known == objects_.end()) prepared.before.emplace(id, copy_of(id));
        auto& before = known == objects_.end() ? prepared.before.at(id) : known->second;
        auto* transform = find(edits.objects, id);
        prepared.transforms.emplace(id, transform ? *transform : Transform{});
        prepared.moved.emplace(
            id, transform ? moved(before, bounds_before(before), *transform) : before);
    }
    prepare_environment(wanted, prepared, {});
    return prepared;
}

void EditedScene::change_environment(const std::optional<EnvironmentChoice>& choice,
                                     PreparedEdits* prepared) {
    auto& map = scene_->environment;
    auto wanted = choice.value_or(environment_before_);
    bool own = wanted.file == environment_before_.file;
    if (own && environment_) {
        map = std::move(*environment_);
        environment_.reset();
    } else if (wanted.file != environment().file) {
        EnvironmentMap other;
        if (!wanted.file.empty()) {
            other = std::move(prepared->environment.value());
            for (auto& line : prepared->warnings) scene_->warnings.push_back(line);
        }
        if (!environment_) environment_ = std::move(map);
        map = std::move(other);
    }
    map.rotation = wanted.rotation;
    map.scale = wanted.scale;
}

SceneEdits EditedScene::without_idle(SceneEdits edits) const {
    // Parts of additions that are made later are not known yet.
    auto known = [&](ItemKind kind, std::uint32_t index) { return index < count(kind); };
    for (auto& [index, material] : edits.materials)
        if (known(ItemKind::material, index))
            material.name = name_before({ItemKind::material, index});
    std::erase_if(edits.materials, [&](auto& edit) {
        return known(ItemKind::material, edit.first) && edit.second == material_before(edit.first);
    });
    std::erase_if(edits.lights, [&](auto& edit) {
        return known(ItemKind::light, edit.first) && edit.second == light_before(edit.first);
    });
    std::erase_if(edits.marks.names, [&](auto& edit) {
        return known(edit.first.kind, edit.first.index) && edit.second == name_before(edit.first);
    });
    std::erase_if(edits.objects, [&](auto& edit) { return edit.second == Transform{}; });
    if (edits.environment == environment_before_) edits.environment.reset();
    if (edits.background == background_before()) edits.background.reset();
    return edits;
}

void EditedScene::change_shading(const SceneEdits& edits, SceneChange& change) {
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
}

SceneChange EditedScene::apply(const SceneEdits& wanted, PreparedEdits* prepared,
                               const ReadObserver& observer) {
    note_contents();
    PreparedEdits own;
    if (!prepared) prepared = &own;
    // All that may fail comes first.
    prepare_environment(wanted, *prepared, observer);
    prepare_parts(wanted, *prepared, observer);
    check(wanted, end_after(prepared->n_kept), *prepared->parts);
    SceneChange change;
    bool glowed = glows(*scene_);
    auto left_out = [](const ItemMarks& marks) { return std::pair(marks.hidden, marks.deleted); };
    bool lists_change =
        wanted.added != edits_.added || left_out(wanted.marks) != left_out(edits_.marks);
    show_all();
    change_additions(wanted, prepared->n_kept, *prepared->parts);
    const SceneEdits edits = without_idle(wanted);
    if (edits.environment != edits_.environment) {
        change_environment(edits.environment, prepared);
        edits_.environment = edits.environment;
        change.any = change.environment = true;
    }
    if (edits.background != edits_.background) {
        if (!background_) background_ = scene_->background;
        scene_->background = edits.background.value_or(*background_);
        change.any = true;
    }
    change_shading(edits, change);
    for (auto& id : differences(edits.objects, edits_.objects)) {
        change_object(id, find(edits.objects, id), prepared);
        change.any = change.geometry = true;
    }
    // Lights of instances' surfaces have numbers after all others.
    if (change.any && !scene_->instances.empty() && (glowed || glows(*scene_)))
        change.geometry = true;
    if (lists_change) change.any = change.geometry = true;
    give_names(edits);
    auto added = std::move(edits_.added);
    edits_ = edits;
    edits_.added = std::move(added);  // with what keeps their parts
    leave_out(edits_.marks);
    return change;
}

}  // namespace tl
