#include "renderer/scene/scene_additions.h"

#include <algorithm>
#include <cstddef>
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

/// Appends what a list holds from `first` on.
template <class T>
void append_from(std::vector<T>& to, const std::vector<T>& from, std::size_t first) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
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
    part.scene.meshes.resize(begin.items.meshes);
    part.scene.patches.resize(begin.items.patches);
    part.scene.instances.resize(begin.items.instances);
    part.scene.spheres.resize(begin.items.spheres);
    part.scene.splats.resize(begin.items.splats);
    part.scene.lights.resize(begin.items.lights);
    part.scene.materials.resize(begin.items.materials);
    part.scene.gaussians.resize(begin.items.gaussians);
    part.scene.textures.resize(begin.textures);
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

void append_part(Scene& scene, const AddedPart& part) {
    auto& from = part.scene;
    auto& begin = part.begin.items;
    append_from(scene.meshes, from.meshes, begin.meshes);
    append_from(scene.patches, from.patches, begin.patches);
    append_from(scene.instances, from.instances, begin.instances);
    append_from(scene.spheres, from.spheres, begin.spheres);
    append_from(scene.splats, from.splats, begin.splats);
    append_from(scene.lights, from.lights, begin.lights);
    append_from(scene.materials, from.materials, begin.materials);
    append_from(scene.gaussians, from.gaussians, begin.gaussians);
    append_from(scene.textures, from.textures, part.begin.textures);
    for (auto& line : from.warnings) scene.warnings.push_back(line);
    scene.duration = end_of(part).duration;
}

void cut_back(Scene& scene, const SceneEnd& end) {
    scene.meshes.resize(end.items.meshes);
    scene.patches.resize(end.items.patches);
    scene.instances.resize(end.items.instances);
    scene.spheres.resize(end.items.spheres);
    scene.splats.resize(end.items.splats);
    scene.lights.resize(end.items.lights);
    scene.materials.resize(end.items.materials);
    scene.gaussians.resize(end.items.gaussians);
    scene.textures.resize(end.textures);
    scene.duration = end.duration;
}

}  // namespace tl
