// Parts of an EditedScene that are hidden, deleted or renamed: they are laid aside, and brought
// back.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "renderer/scene/scene_edits.h"

namespace tl {
namespace {

/// Lays an element aside and leaves an empty one.
template <class T, class Shell>
void lay_aside(std::vector<T>& list, std::map<std::uint32_t, T>& aside, std::uint32_t index,
               Shell shell) {
    T empty = shell(list[index]);
    aside.emplace(index, std::exchange(list[index], std::move(empty)));
}

template <class T>
void bring_back_all(std::vector<T>& list, std::map<std::uint32_t, T>& aside) {
    for (auto& [index, element] : aside) list[index] = std::move(element);
    aside.clear();
}

template <class T>
void bring_back_list(std::vector<T>& list, std::optional<std::vector<T>>& aside,
                     std::vector<std::uint32_t>& shown) {
    if (aside) list = std::move(*aside);
    aside.reset();
    shown.clear();
}

/// Leaves only those elements in a list that `shows`; the full list is laid aside unless it is
/// equal.
template <class T, class Shows>
void leave_out_of(std::vector<T>& list, std::optional<std::vector<T>>& aside,
                  std::vector<std::uint32_t>& shown, Shows shows) {
    for (std::uint32_t i = 0; i < list.size(); ++i)
        if (shows(i)) shown.push_back(i);
    if (shown.size() == list.size()) return shown.clear();
    std::vector<T> kept;
    kept.reserve(shown.size());
    for (auto i : shown) kept.push_back(list[i]);
    aside = std::exchange(list, std::move(kept));
}

template <class T>
const T& element(const std::vector<T>& list, const std::map<std::uint32_t, T>& aside,
                 std::uint32_t index) {
    auto found = aside.find(index);
    return found == aside.end() ? list[index] : found->second;
}

/// Whether `marks` leave out any part of these kinds.
bool leave_out_any(const ItemMarks& marks, std::initializer_list<ItemKind> kinds) {
    auto of_kinds = [&](const ItemId& id) {
        return std::ranges::find(kinds, id.kind) != kinds.end();
    };
    return std::ranges::any_of(marks.hidden, of_kinds) ||
           std::ranges::any_of(marks.deleted, of_kinds);
}

}  // namespace

void EditedScene::show_all() {
    bring_back_all(scene_->meshes, aside_.meshes);
    bring_back_all(scene_->patches, aside_.patches);
    bring_back_all(scene_->gaussians, aside_.gaussians);
    bring_back_list(scene_->spheres, aside_.spheres, aside_.shown_spheres);
    bring_back_list(scene_->splats, aside_.splats, aside_.shown_splats);
    bring_back_list(scene_->instances, aside_.instances, aside_.shown_instances);
    bring_back_list(scene_->lights, aside_.lights, aside_.shown_lights);
}

void EditedScene::leave_out(const ItemMarks& marks) {
    for (auto* marked : {&marks.hidden, &marks.deleted})
        for (auto& id : *marked) {
            if (id.kind == ItemKind::mesh)
                lay_aside(scene_->meshes, aside_.meshes, id.index, [](const Mesh& mesh) {
                    Mesh empty;
                    empty.name = mesh.name;
                    return empty;
                });
            if (id.kind == ItemKind::patches)
                lay_aside(scene_->patches, aside_.patches, id.index, [](const PatchSet& set) {
                    PatchSet empty;
                    empty.name = set.name;
                    return empty;
                });
            if (id.kind == ItemKind::gaussians)
                lay_aside(scene_->gaussians, aside_.gaussians, id.index,
                          [](const GaussianSet& set) {
                              GaussianSet empty;
                              empty.name = set.name;
                              return empty;
                          });
        }
    if (leave_out_any(marks, {ItemKind::light}))
        leave_out_of(scene_->lights, aside_.lights, aside_.shown_lights, [&](std::uint32_t i) {
            return !marks.leaves_out({ItemKind::light, i});
        });
    if (leave_out_any(marks, {ItemKind::instance, ItemKind::mesh}))
        leave_out_of(scene_->instances, aside_.instances, aside_.shown_instances,
                     [&](std::uint32_t i) {
                         auto of = scene_->instances[i].mesh;
                         return !marks.leaves_out({ItemKind::instance, i}) &&
                                !marks.leaves_out({ItemKind::mesh, of});
                     });
    if (!leave_out_any(marks, {ItemKind::sphere, ItemKind::cloud})) return;
    std::vector<bool> no_sphere(scene_->spheres.size()), no_splat(scene_->splats.size());
    for (std::uint32_t i = 0; i < clouds_.size(); ++i) {
        if (!marks.leaves_out({ItemKind::cloud, i})) continue;
        auto& left = clouds_[i].splats ? no_splat : no_sphere;
        auto first = left.begin() + static_cast<std::ptrdiff_t>(clouds_[i].first);
        std::fill(first, first + static_cast<std::ptrdiff_t>(clouds_[i].count), true);
    }
    leave_out_of(scene_->spheres, aside_.spheres, aside_.shown_spheres, [&](std::uint32_t i) {
        return !no_sphere[i] && !marks.leaves_out({ItemKind::sphere, i});
    });
    leave_out_of(scene_->splats, aside_.splats, aside_.shown_splats,
                 [&](std::uint32_t i) { return !no_splat[i]; });
}

std::string* EditedScene::name_in_scene(const ItemId& id) {
    switch (id.kind) {
        case ItemKind::mesh:
            return &scene_->meshes[id.index].name;
        case ItemKind::patches:
            return &scene_->patches[id.index].name;
        case ItemKind::gaussians:
            return &scene_->gaussians[id.index].name;
        case ItemKind::material:
            return &scene_->materials[id.index].name;
        default:
            return nullptr;
    }
}

void EditedScene::give_names(const SceneEdits& edits) {
    for (auto& [id, name] : edits.marks.names) {
        auto* own = name_in_scene(id);
        if (!own) continue;
        names_.emplace(id, *own);
        if (id.kind == ItemKind::material)
            materials_.emplace(id.index, scene_->materials[id.index]);
    }
    for (auto& [id, before] : names_) {
        auto renamed = edits.marks.names.find(id);
        *name_in_scene(id) = renamed == edits.marks.names.end() ? before : renamed->second;
    }
}

const Mesh& EditedScene::mesh(std::uint32_t index) const {
    return element(scene_->meshes, aside_.meshes, index);
}

const PatchSet& EditedScene::patches(std::uint32_t index) const {
    return element(scene_->patches, aside_.patches, index);
}

const GaussianSet& EditedScene::gaussians(std::uint32_t index) const {
    return element(scene_->gaussians, aside_.gaussians, index);
}

const Sphere& EditedScene::sphere(std::uint32_t index) const {
    return all_spheres()[index];
}

const Instance& EditedScene::instance(std::uint32_t index) const {
    return (aside_.instances ? *aside_.instances : scene_->instances)[index];
}

const Light& EditedScene::light(std::uint32_t index) const {
    return (aside_.lights ? *aside_.lights : scene_->lights)[index];
}

std::string EditedScene::name(const ItemId& id) const {
    auto& names = edits_.marks.names;
    auto renamed = names.find(id);
    return renamed == names.end() ? name_before(id) : renamed->second;
}

std::string EditedScene::name_before(const ItemId& id) const {
    auto renamed = names_.find(id);
    if (renamed != names_.end()) return renamed->second;
    switch (id.kind) {
        case ItemKind::mesh:
            return mesh(id.index).name;
        case ItemKind::patches:
            return patches(id.index).name;
        case ItemKind::gaussians:
            return gaussians(id.index).name;
        case ItemKind::material:
            return scene_->materials[id.index].name;
        default:
            break;
    }
    auto addition = addition_of(id);
    return addition ? edits_.added[*addition].name : "";
}

bool EditedScene::shows(const ItemId& id) const {
    auto& marks = edits_.marks;
    if (id.index >= count(id.kind) || marks.leaves_out(id)) return false;
    if (id.kind == ItemKind::instance)
        return !marks.leaves_out({ItemKind::mesh, instance(id.index).mesh});
    if (id.kind != ItemKind::sphere) return true;
    for (std::uint32_t i = 0; i < clouds_.size(); ++i)
        if (!clouds_[i].splats && id.index - clouds_[i].first < clouds_[i].count)
            return !marks.leaves_out({ItemKind::cloud, i});
    return true;
}

Box EditedScene::bounds_of(const ItemId& id) const {
    if (!shows(id)) return {};
    auto bounds_of_range = [](auto& list, const PointRange& range) {
        return bounds_of_cloud(std::span(list).subspan(range.first, range.count));
    };
    switch (id.kind) {
        case ItemKind::mesh:
            return bounds_of_points(mesh(id.index).positions);
        case ItemKind::patches:
            return bounds_of_points(patches(id.index).points);
        case ItemKind::sphere:
            return bounds_of_sphere(sphere(id.index));
        case ItemKind::instance:
            return bounds_of_instance(mesh(instance(id.index).mesh), instance(id.index));
        case ItemKind::gaussians:
            return bounds_of_gaussians(gaussians(id.index));
        case ItemKind::cloud:
            return clouds_[id.index].splats ? bounds_of_range(all_splats(), clouds_[id.index])
                                            : bounds_of_range(all_spheres(), clouds_[id.index]);
        default:
            return {};
    }
}

std::uint32_t EditedScene::number_of(ItemKind kind, std::uint32_t place) const {
    auto& shown = kind == ItemKind::sphere     ? aside_.shown_spheres
                  : kind == ItemKind::instance ? aside_.shown_instances
                                               : aside_.shown_lights;
    return place < shown.size() ? shown[place] : place;
}

std::optional<std::uint32_t> EditedScene::cloud_of(bool splat, std::size_t place) const {
    auto& shown = splat ? aside_.shown_splats : aside_.shown_spheres;
    std::size_t number = place < shown.size() ? shown[place] : place;
    for (std::uint32_t i = 0; i < clouds_.size(); ++i)
        if (clouds_[i].splats == splat && number - clouds_[i].first < clouds_[i].count) return i;
    return std::nullopt;
}

}  // namespace tl
