#include "renderer/scene/export/point_export.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/base/error.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/export/moment.h"
#include "renderer/scene/export/ply_point_writer.h"
#include "renderer/scene/export/tessellation.h"
#include "renderer/scene/live/animation.h"

namespace tl {
namespace {

/// Visible surfaces of a scene at a moment; moving meshes are copied.
class ShownSurfaces {
  public:
    ShownSurfaces(const Scene& scene, const SceneMark& mark, double phase)
        : scene_(scene), phase_(phase) {
        surfaces_.scene = &scene;
        surfaces_.spheres = std::span(scene.spheres).subspan(mark.spheres);
        for (auto& mesh : std::span(scene.meshes).subspan(mark.meshes))
            if (!mesh.instanced) surfaces_.meshes.push_back({.mesh = &as_it_is(mesh)});
        std::vector<const Mesh*> copied(scene.meshes.size(), nullptr);
        for (auto& instance : std::span(scene.instances).subspan(mark.instances)) {
            auto& mesh = copied[instance.mesh];
            if (!mesh) mesh = &as_it_is(scene.meshes[instance.mesh]);
            surfaces_.meshes.push_back(
                {mesh, transform_at(instance, phase, scene.duration), instance.material});
        }
        for (auto& set : std::span(scene.patches).subspan(mark.patches))
            if (set.size() > 0)
                surfaces_.meshes.push_back({.mesh = &made_.emplace_back(mesh_of_patches(
                                                patches_at(set, phase, scene.duration)))});
    }
    [[nodiscard]] const SurfacesToSample& surfaces() const { return surfaces_; }

  private:
    const Mesh& as_it_is(const Mesh& mesh) {
        if (mesh.animation.kind == AnimationKind::none) return mesh;
        return made_.emplace_back(mesh_at(mesh, phase_, scene_.duration));
    }

    const Scene& scene_;
    double phase_;
    std::deque<Mesh> made_;
    SurfacesToSample surfaces_;
};

/// Linear RGB in the bytes of sRGB, red in the lowest one.
std::uint32_t packed_srgb(vec3 color) {
    std::uint32_t packed = 0;
    for (int k = 0; k < 3; ++k) {
        float part = std::clamp(srgb_from_linear(color[k]), 0.0f, 1.0f);
        packed |= static_cast<std::uint32_t>(std::lround(255 * part)) << 8 * k;
    }
    return packed;
}

}  // namespace

SurfaceSamples sample_surfaces_of(const Scene& scene, const PointSampling& sampling,
                                  const std::function<void(double)>& progress) {
    ShownSurfaces shown(scene, {}, phase_of(sampling.time.value_or(0), scene.duration));
    return sample_surfaces(shown.surfaces(), sampling.n_points, sampling.seed, progress);
}

SurfaceSamples sample_scene(const Scene& scene, const PointSampling& sampling,
                            const std::function<void(double)>& progress) {
    auto samples = sample_surfaces_of(scene, sampling, progress);
    if (samples.positions.empty())
        throw UserError("the scene has no surfaces, so there are no points on them");
    return samples;
}

SurfaceSamples sample_scene_since(const Scene& scene, const SceneMark& mark, std::size_t n_points) {
    ShownSurfaces shown(scene, mark, 0);
    return sample_surfaces(shown.surfaces(), n_points, PointSampling{}.seed);
}

std::size_t write_ply_points(const std::string& path, const SurfaceSamples& samples,
                             const glm::dvec3& offset) {
    constexpr const char* kEmission[] = {"emission_red", "emission_green", "emission_blue"};
    std::size_t n = samples.positions.size();
    bool emits = !samples.emission.empty();
    PlyPointWriter file(path, n, offset, std::span(kEmission, emits ? 3 : 0));
    auto area = static_cast<float>(samples.area / static_cast<double>(std::max<std::size_t>(n, 1)));
    for (std::size_t i = 0; i < n; ++i) {
        vec3 emission = emits ? samples.emission[i] : vec3(0);
        const float further[] = {emission.x, emission.y, emission.z};
        file.add(samples.positions[i], samples.normals[i], packed_srgb(samples.colors[i]), area,
                 std::span(further, emits ? 3 : 0));
    }
    return file.finish();
}

std::size_t write_ply_illumination(const std::string& path, const IlluminationMap& map,
                                   std::span<const std::uint32_t> srgb, const glm::dvec3& offset) {
    constexpr const char* kNames[] = {"irradiance_red", "irradiance_green", "irradiance_blue",
                                      "radiosity_red",  "radiosity_green",  "radiosity_blue"};
    PlyPointWriter file(path, map.size(), offset, kNames);
    for (std::size_t i = 0; i < map.size(); ++i) {
        vec3 arrives = map.irradiance[i], leaves = map.radiosity[i];
        const float light[] = {arrives.x, arrives.y, arrives.z, leaves.x, leaves.y, leaves.z};
        file.add(map.positions[i], map.normals[i], srgb[i], map.areas[i], light);
    }
    return file.finish();
}

}  // namespace tl
