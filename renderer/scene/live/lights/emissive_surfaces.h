// Emissive surfaces of a scene, as area lights that renderers can sample.
#pragma once

#include <vector>

#include "renderer/scene/live/lights/moving_lights.h"
#include "renderer/scene/live/scene_geometry.h"

namespace tl {

/// Emission of a surface.
struct SurfaceEmission {
    vec3 radiance;  ///< W/(sr m^2), without textures
    /// Material whose textures multiply the radiance, by their colour or by holes; -1: none.
    std::int32_t textured_material;
    vec3 mean;  ///< approximate mean radiance over the surface, holes counted as solid; not 0
};

/// An emissive triangle, in the world, at rest.
struct EmissiveTriangle {
    std::uint32_t
        index;  ///< among all of the scene's triangles, those of instanced meshes included
    vec3 corners[3];
    vec3 outside;  ///< side of emission, a vector
    SurfaceEmission emission;
    bool moves;  ///< whether its vertices or its instance move
    std::uint32_t instance = MovingLight::kNoInstance;
};
struct EmissiveSphere {
    std::uint32_t index;  ///< among the scene's spheres
    vec3 center;
    float radius;
    SurfaceEmission emission;
};
/// An emissive patch, at rest.
struct EmissivePatch {
    std::uint32_t index;  ///< among the scene's patches
    vec3 points[PatchPoints::kCount];
    bool is_rational;
    SurfaceEmission emission;
    bool moves;
};

/// An emissive splat, as LiveSplats::set_emission returns it.
struct EmissiveSplat {
    std::uint32_t index;  ///< among the scene's splats
    vec3 normal;
    float radius;
    float area;                   ///< area of its EmissiveCell, m^2
    vec3 corner, edge_u, edge_v;  ///< rectangle around that cell
    vec3 radiance;                ///< W/(sr m^2)
};

/// Emission of a splat, that of its material included, W/(sr m^2).
[[nodiscard]] vec3 emission_of(const Scene& scene, const Splat& splat);
/// Whether a material or a sphere of the scene emits.
[[nodiscard]] bool has_emission(const Scene& scene);

/// The emissive surfaces that become area lights. Others are hit by BSDF sampling only: surfaces on
/// which a texture was found black, and instances beyond kMostInstanced triangles. So are
/// instances with an emissive material of their own, if parts of them were found black.
struct EmissiveSurfaces {
    static constexpr std::size_t kMostInstanced = 1'000'000;

    /// Triangles of the scene's own meshes, then of each instance.
    std::vector<EmissiveTriangle> triangles;
    std::vector<EmissiveSphere> spheres;
    std::vector<EmissivePatch> patches;
    std::vector<EmissiveSplat> splats;  ///< set by the owner
    std::size_t n_patches;              ///< number of the scene's patches
    std::size_t n_own;                  ///< number of triangles that are not of instanced meshes
    /// Index of each triangle in `triangles`; for those of instanced meshes, the index among the
    /// emissive triangles of their mesh. -1 for triangles without emission. Empty where no triangle
    /// emits.
    std::vector<std::int32_t> of_triangle;
    /// Index in `triangles` of each instance's first one, or -1. All triangles of an instance with
    /// a material of its own follow; of other instances, the emissive ones.
    std::vector<std::int32_t> of_instance;
    bool are_all = true;  ///< whether all emissive surfaces but splats are included

    [[nodiscard]] bool empty() const {
        return triangles.empty() && spheres.empty() && patches.empty() && splats.empty();
    }
    /// `first_triangle`: index of the first triangle of each of the scene's meshes in the geometry.
    EmissiveSurfaces(const Scene& scene, const SceneGeometry& geometry,
                     const std::vector<std::uint32_t>& first_triangle, std::size_t n_own);
};

}  // namespace tl
