#include "renderer/scene/toml/toml_models.h"

#include <algorithm>

namespace tl {

bool RepeatedModels::add(Scene& scene, const std::string& file, ModelParts parts) {
    const int left = --uses_[file];
    auto found = models_.find(Key{file, parts});
    if (found == models_.end()) return false;
    const ReadModel& model = found->second;
    const auto shift = static_cast<std::int32_t>(scene.materials.size() - model.first_material);
    auto moved = [&](std::int32_t material) {
        return material < static_cast<std::int32_t>(model.first_material) ? material
                                                                          : material + shift;
    };
    scene.materials.insert(scene.materials.end(), model.materials.begin(), model.materials.end());
    for (auto& mesh : model.meshes) {
        auto& copy = scene.meshes.emplace_back(mesh);
        std::ranges::transform(copy.material_of_triangle, copy.material_of_triangle.begin(), moved);
    }
    for (Sphere sphere : model.spheres) {
        sphere.material = moved(sphere.material);
        scene.spheres.push_back(sphere);
    }
    for (Splat splat : model.splats) {
        splat.material = moved(splat.material);
        scene.splats.push_back(splat);
    }
    scene.offset = model.offset;
    if (left <= 0) std::erase_if(models_, [&](auto& entry) { return entry.first.file == file; });
    return true;
}

void RepeatedModels::keep(const Scene& scene, const SceneMark& mark, const std::string& file,
                          ModelParts parts) {
    const bool plain =
        scene.patches.size() == mark.patches && scene.instances.size() == mark.instances &&
        scene.gaussians.size() == mark.gaussians && scene.lights.size() == mark.lights;
    if (uses_[file] <= 0 || !plain) return;
    auto since = [](auto& all, std::size_t first) {
        return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    };
    models_[{file, parts}] = {mark.materials,
                              since(scene.materials, mark.materials),
                              since(scene.meshes, mark.meshes),
                              since(scene.spheres, mark.spheres),
                              since(scene.splats, mark.splats),
                              scene.offset};
}

}  // namespace tl
