#include "renderer/scene/live/lights/emissive_surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/matrix.hpp>
#include <optional>

#include "renderer/images/srgb.h"

namespace tl {
namespace {

/// Means of a texture's colours over triangles.
class TextureMeans {
  public:
    explicit TextureMeans(const Scene& scene) : scene_(scene) {
        for (std::size_t i = 0; i < linear_.size(); ++i)
            linear_[i] = linear_from_srgb(static_cast<float>(i) / 255);
    }
    /// Approximate mean over the triangle of these texture coordinates, from about one sample per
    /// texel that it covers, up to a limit.
    [[nodiscard]] vec3 over(std::int32_t index, const vec2 (&uvs)[3]) const {
        constexpr float kFewest = 16, kMost = 1024;
        // Steps of a low-discrepancy lattice in the unit square (Roberts' R2 sequence).
        constexpr double kStepU = 0.7548776662466927, kStepV = 0.5698402909980532;
        const Texture& texture = scene_.textures[static_cast<std::size_t>(index)];
        vec2 a = uvs[1] - uvs[0], b = uvs[2] - uvs[0];
        float texels = std::abs(a.x * b.y - a.y * b.x) / 2 * static_cast<float>(texture.width) *
                       static_cast<float>(texture.height);
        if (!std::isfinite(texels)) return vec3(0);
        int n = static_cast<int>(std::clamp(texels, kFewest, kMost));
        vec3 sum(0);
        for (int i = 0; i < n; ++i) {
            double r1 = (i + 0.5) * kStepU, r2 = (i + 0.5) * kStepV;
            float root = std::sqrt(static_cast<float>(r1 - std::floor(r1)));
            float v = static_cast<float>(r2 - std::floor(r2)) * root;
            sum += texel(texture, uvs[0] + (1 - root) * a + v * b);
        }
        return sum / static_cast<float>(n);
    }

  private:
    static int place(float u, int n, TextureWrap wrap) {
        if (wrap == TextureWrap::clamp) u = std::clamp(u, 0.0f, 1.0f);
        if (wrap == TextureWrap::repeat) u -= std::floor(u);
        if (wrap == TextureWrap::mirror) {
            u -= 2 * std::floor(u / 2);
            if (u > 1) u = 2 - u;
        }
        return std::clamp(static_cast<int>(u * static_cast<float>(n)), 0, n - 1);
    }
    [[nodiscard]] vec3 texel(const Texture& texture, vec2 uv) const {
        auto x = static_cast<std::size_t>(place(uv.x, texture.width, texture.wrap_u));
        auto y = static_cast<std::size_t>(texture.height - 1 -
                                          place(uv.y, texture.height, texture.wrap_v));
        const std::uint8_t* c =
            &texture.rgba[4 * (y * static_cast<std::size_t>(texture.width) + x)];
        if (texture.is_srgb) return {linear_[c[0]], linear_[c[1]], linear_[c[2]]};
        return vec3(c[0], c[1], c[2]) / 255.0f;
    }

    const Scene& scene_;
    std::array<float, 256> linear_{};
};

class Finder {
  public:
    Finder(const Scene& scene, const SceneGeometry& geometry)
        : scene_(scene), geometry_(geometry), means_(scene) {}
    /// The triangle `i` of the geometry; none if it is dark.
    [[nodiscard]] std::optional<EmissiveTriangle> triangle(std::size_t i,
                                                           std::int32_t material) const {
        glm::uvec3 t = geometry_.triangles[i];
        auto emission = emission_of(material, [&](int texture) {
            auto& uv = geometry_.uvs;
            return means_.over(texture, {uv[t.x], uv[t.y], uv[t.z]});
        });
        if (!emission) return {};
        auto& p = geometry_.positions;
        auto& n = geometry_.normals;
        EmissiveTriangle found{.index = static_cast<std::uint32_t>(i),
                               .corners = {p[t.x], p[t.y], p[t.z]},
                               .outside = n[t.x] + n[t.y] + n[t.z],
                               .emission = *emission,
                               .moves = moves(i)};
        if (found.outside == vec3(0)) found.outside = glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]);
        return found;
    }
    [[nodiscard]] std::optional<EmissiveSphere> sphere(std::size_t i) const {
        auto& sphere = scene_.spheres[i];
        if (sphere.emission != vec3(0)) {
            auto& material = scene_.materials[static_cast<std::size_t>(sphere.material)];
            vec3 sum = sphere.emission + material.emission;
            return EmissiveSphere{
                static_cast<std::uint32_t>(i), sphere.center, sphere.radius, {sum, -1, sum}};
        }
        auto emission = emission_of(sphere.material, [&](int texture) {
            return mean_over_square(texture, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
        });
        if (!emission) return {};
        return EmissiveSphere{static_cast<std::uint32_t>(i), sphere.center, sphere.radius,
                              *emission};
    }
    /// Patch `k` of a set, the scene's patch `index`.
    [[nodiscard]] std::optional<EmissivePatch> patch(const PatchSet& set, std::size_t k,
                                                     std::uint32_t index) const {
        auto emission = emission_of(set.material_of_patch[k], [&](int texture) {
            vec2 uv[4] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
            if (!set.corner_uvs.empty()) std::copy_n(&set.corner_uvs[4 * k], 4, uv);
            return mean_over_square(texture, uv);
        });
        if (!emission) return {};
        EmissivePatch found{.index = index,
                            .points = {},
                            .is_rational = !set.weights.empty(),
                            .emission = *emission,
                            .moves = set.animation.kind != AnimationKind::none};
        std::copy_n(&set.points[PatchPoints::kCount * k], PatchPoints::kCount, found.points);
        return found;
    }

  private:
    /// Emission of a surface of that material; `mean_over` returns the mean of a texture over it.
    /// None if it is dark.
    template <class MeanOver>
    [[nodiscard]] std::optional<SurfaceEmission> emission_of(std::int32_t material,
                                                             MeanOver&& mean_over) const {
        auto m = static_cast<std::size_t>(material);
        // Materials of the scene's lights follow its own.
        if (m >= scene_.materials.size() || scene_.materials[m].emission == vec3(0)) return {};
        auto& described = scene_.materials[m];
        SurfaceEmission emission{described.emission, -1, described.emission};
        if (described.emission_texture >= 0) emission.mean *= mean_over(described.emission_texture);
        if (described.emission_texture >= 0 || described.alpha_texture >= 0)
            emission.textured_material = material;
        return emission.mean == vec3(0) ? std::nullopt : std::optional(emission);
    }
    /// Approximate mean over a square of texture coordinates, given at its corners row by row.
    [[nodiscard]] vec3 mean_over_square(int texture, const vec2 (&uv)[4]) const {
        return (means_.over(texture, {uv[0], uv[1], uv[2]}) +
                means_.over(texture, {uv[3], uv[1], uv[2]})) /
               2.0f;
    }
    /// Whether the triangle's vertices move.
    [[nodiscard]] bool moves(std::size_t triangle) const {
        auto vertex = geometry_.triangles[triangle].x;
        return std::ranges::any_of(geometry_.moving, [&](const MovingMesh& mesh) {
            return vertex >= mesh.first_vertex && vertex < mesh.first_vertex + mesh.n_vertices;
        });
    }

    const Scene& scene_;
    const SceneGeometry& geometry_;
    TextureMeans means_;
};

EmissiveTriangle placed(EmissiveTriangle triangle, const mat4& transform) {
    for (vec3& corner : triangle.corners) corner = vec3(transform * vec4(corner, 1));
    triangle.outside = glm::transpose(glm::inverse(glm::mat3(transform))) * triangle.outside;
    return triangle;
}

}  // namespace

vec3 emission_of(const Scene& scene, const Splat& splat) {
    return splat.emission + scene.materials[static_cast<std::size_t>(splat.material)].emission;
}

bool has_emission(const Scene& scene) {
    auto emits = [](auto& part) { return part.emission != vec3(0); };
    return std::ranges::any_of(scene.materials, emits) || std::ranges::any_of(scene.spheres, emits);
}

EmissiveSurfaces::EmissiveSurfaces(const Scene& scene, const SceneGeometry& geometry,
                                   const std::vector<std::uint32_t>& first_triangle,
                                   std::size_t n_own)
    : n_patches(scene.patch_count()), n_own(n_own) {
    of_instance.assign(scene.instances.size(), -1);
    Finder finder(scene, geometry);
    if (!has_emission(scene)) return;
    are_all = std::ranges::none_of(scene.materials, [](const Material& m) {
        return m.emission != vec3(0) && m.emission_texture >= 0;
    });
    for (std::size_t i = 0; i < scene.spheres.size(); ++i)
        if (auto found = finder.sphere(i)) spheres.push_back(*found);
    of_triangle.assign(geometry.triangles.size(), -1);
    for (std::size_t i = 0; i < n_own; ++i)
        if (auto found = finder.triangle(i, geometry.materials[i])) {
            of_triangle[i] = static_cast<std::int32_t>(triangles.size());
            triangles.push_back(*found);
        }
    // Emissive triangles of each instanced mesh by their own materials, computed on first use.
    std::vector<std::optional<std::vector<EmissiveTriangle>>> of_mesh(scene.meshes.size());
    std::size_t n_instanced = 0;
    for (std::size_t i = 0; i < scene.instances.size(); ++i) {
        auto& instance = scene.instances[i];
        std::size_t first = first_triangle[instance.mesh];
        std::size_t n = scene.meshes[instance.mesh].triangles.size();
        std::vector<EmissiveTriangle> all;
        const std::vector<EmissiveTriangle>* glowing = &all;
        if (instance.material >= 0) {
            for (std::size_t k = 0; k < n; ++k)
                if (auto found = finder.triangle(first + k, instance.material))
                    all.push_back(*found);
            if (all.size() < n) continue;  // at least partly dark
        } else {
            auto& own = of_mesh[instance.mesh];
            if (!own) {
                own.emplace();
                for (std::size_t k = 0; k < n; ++k)
                    if (auto found = finder.triangle(first + k, geometry.materials[first + k])) {
                        of_triangle[first + k] = static_cast<std::int32_t>(own->size());
                        own->push_back(*found);
                    }
            }
            glowing = &*own;
        }
        if (glowing->empty()) continue;
        if (n_instanced + glowing->size() > kMostInstanced) {
            are_all = false;
            continue;
        }
        n_instanced += glowing->size();
        of_instance[i] = static_cast<std::int32_t>(triangles.size());
        for (auto& triangle : *glowing) {
            auto& light = triangles.emplace_back(placed(triangle, instance.transform));
            light.instance = static_cast<std::uint32_t>(i);
            light.moves = light.moves || instance.walk.radius != 0;
        }
    }
    if (triangles.empty()) of_triangle.clear();
    std::uint32_t index = 0;
    for (auto& set : scene.patches)
        for (std::size_t k = 0; k < set.size(); ++k, ++index)
            if (auto found = finder.patch(set, k, index)) patches.push_back(*found);
}

}  // namespace tl
