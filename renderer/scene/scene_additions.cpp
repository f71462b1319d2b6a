#include "renderer/scene/scene_additions.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

#include "renderer/scene/scene_edits.h"
#include "renderer/scene/shapes.h"

namespace tl {
namespace {

/// Material that all geometry of a part takes.
void set_material(AddedPart& part, std::int32_t material) {
    auto& scene = part.scene;
    auto& begin = part.begin.items;
    for (auto& mesh : std::span(scene.meshes).subspan(begin.meshes))
        std::ranges::fill(mesh.material_of_triangle, material);
    for (auto& set : std::span(scene.patches).subspan(begin.patches))
        std::ranges::fill(set.material_of_patch, material);
    for (auto& sphere : std::span(scene.spheres).subspan(begin.spheres)) sphere.material = material;
    for (auto& splat : std::span(scene.splats).subspan(begin.splats)) splat.material = material;
    for (auto& instance : std::span(scene.instances).subspan(begin.instances))
        instance.material = -1;
}

/// Calls `visit` with each list that additions extend, and its length at that end.
template <class Visit>
void for_each_list(const SceneEnd& end, Visit visit) {
    visit(&Scene::meshes, end.items.meshes);
    visit(&Scene::patches, end.items.patches);
    visit(&Scene::instances, end.items.instances);
    visit(&Scene::spheres, end.items.spheres);
    visit(&Scene::splats, end.items.splats);
    visit(&Scene::lights, end.items.lights);
    visit(&Scene::materials, end.items.materials);
    visit(&Scene::gaussians, end.items.gaussians);
    visit(&Scene::textures, end.textures);
}

/// Moves what the lists hold behind `begin` from one scene to the end of those of the other.
void move_behind(const SceneEnd& begin, Scene& from, Scene& to) {
    for_each_list(begin, [&](auto list, std::size_t first) {
        auto &old = from.*list, &grown = to.*list;
        grown.insert(grown.end(),
                     std::make_move_iterator(old.begin() + static_cast<std::ptrdiff_t>(first)),
                     std::make_move_iterator(old.end()));
        old.resize(first);
    });
}

}  // namespace

bool SceneAddition::operator==(const SceneAddition& o) const {
    return std::tie(kind, name, copied, shape, file, place, material, light) ==
           std::tie(o.kind, o.name, o.copied, o.shape, o.file, o.place, o.material, o.light);
}

std::size_t count_of(const SceneEnd& end, ItemKind kind) {
    const std::size_t counts[kItemKinds] = {
        end.items.meshes, end.items.patches,   end.items.spheres, end.items.instances,
        end.clouds,       end.items.gaussians, end.items.lights,  end.items.materials};
    return counts[static_cast<std::size_t>(kind)];
}

bool same_end(const SceneEnd& a, const SceneEnd& b) {
    for (std::size_t kind = 0; kind < kItemKinds; ++kind)
        if (count_of(a, static_cast<ItemKind>(kind)) != count_of(b, static_cast<ItemKind>(kind)))
            return false;
    return a.items.splats == b.items.splats && a.textures == b.textures;
}

void name_part(AddedPart& part, const std::string& name) {
    auto name_only = [&](auto& list, std::size_t first) {
        if (list.size() == first + 1 && !name.empty()) list.back().name = name;
    };
    name_only(part.scene.meshes, part.begin.items.meshes);
    name_only(part.scene.patches, part.begin.items.patches);
    name_only(part.scene.gaussians, part.begin.items.gaussians);
}

AddedPart empty_part(const SceneEnd& begin) {
    AddedPart part{.begin = begin, .scene = {}};
    for_each_list(begin, [&](auto list, std::size_t n) { (part.scene.*list).resize(n); });
    return part;
}

SceneEnd end_of(const AddedPart& part) {
    float duration = part.begin.duration > 0 ? part.begin.duration : part.scene.duration;
    return {SceneMark(part.scene), part.scene.textures.size(),
            part.begin.clouds + part.clouds.size(), duration};
}

void fill_part(AddedPart& part, const SceneAddition& addition, const ReadObserver& observer) {
    auto& scene = part.scene;
    if (addition.kind == ItemKind::material) {
        scene.materials.emplace_back().name = addition.name;
    } else if (addition.kind == ItemKind::light) {
        scene.lights.push_back(addition.light);
    } else if (addition.kind == ItemKind::sphere) {
        scene.spheres.emplace_back();
    } else if (addition.file.empty()) {
        scene.meshes.push_back(find_shape(addition.shape).make());
    } else {
        part.offset = read_added_model(scene, addition.file, !addition.material, observer);
        scene.lights.resize(part.begin.items.lights);
    }
    part.clouds = clouds_of(scene, part.begin.items);
}

void place_part(AddedPart& part, const SceneAddition& addition) {
    name_part(part, addition.name);
    if (addition.kind == ItemKind::material || addition.kind == ItemKind::light) return;
    apply(addition.place, part.scene, part.begin.items, false, part.offset);
    if (addition.material) set_material(part, static_cast<std::int32_t>(*addition.material));
}

void append_part(Scene& scene, AddedPart& part) {
    scene.duration = end_of(part).duration;
    move_behind(part.begin, part.scene, scene);
    for (auto& line : part.scene.warnings) scene.warnings.push_back(line);
}

AddedPart take_part(Scene& scene, const SceneEnd& begin) {
    auto part = empty_part(begin);
    move_behind(begin, scene, part.scene);
    part.scene.duration = std::exchange(scene.duration, begin.duration);
    return part;
}

}  // namespace tl
