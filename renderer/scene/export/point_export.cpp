#include "renderer/scene/export/point_export.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/export/moment.h"
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

/// Appends a number's bytes, the lowest first.
template <class T>
void append_little(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

std::string ply_points_header(std::size_t n, bool is_wide) {
    std::string header =
        "ply\nformat binary_little_endian 1.0\ncomment points of Treelight\n"
        "element vertex " +
        std::to_string(n) + "\n";
    for (const char* axis : {"x", "y", "z"})
        header += std::string("property ") + (is_wide ? "double " : "float ") + axis + "\n";
    for (const char* name : {"nx", "ny", "nz"})
        header += std::string("property float ") + name + "\n";
    for (const char* name : {"red", "green", "blue"})
        header += std::string("property uchar ") + name + "\n";
    return header + "property float area\nend_header\n";
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
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    bool is_wide = offset != glm::dvec3(0);
    std::size_t n = samples.positions.size(), n_bytes = 0;
    FileWriter file(path);
    std::string bytes = ply_points_header(n, is_wide);
    auto flush = [&] {
        file.write(bytes);
        n_bytes += bytes.size();
        bytes.clear();
    };
    auto area = static_cast<float>(samples.area / static_cast<double>(std::max<std::size_t>(n, 1)));
    for (std::size_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            float place = samples.positions[i][k];
            if (is_wide)
                append_little(bytes, static_cast<double>(place) + offset[k]);
            else
                append_little(bytes, place);
        }
        for (int k = 0; k < 3; ++k) append_little(bytes, samples.normals[i][k]);
        for (int k = 0; k < 3; ++k) {
            float part = std::clamp(srgb_from_linear(samples.colors[i][k]), 0.0f, 1.0f);
            append_little(bytes, static_cast<std::uint8_t>(std::lround(255 * part)));
        }
        append_little(bytes, area);
        if (bytes.size() > kBufferBytes) flush();
    }
    flush();
    file.finish();
    return n_bytes;
}

}  // namespace tl
