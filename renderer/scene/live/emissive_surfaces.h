// The surfaces of a scene that glow, as lights that renderers can sample.
#pragma once

#include <vector>

#include "renderer/scene/live/moving_lights.h"
#include "renderer/scene/live/scene_geometry.h"

namespace tl {

/// What a surface emits.
struct Glow {
    vec3 radiance;  ///< W/(sr m^2), without textures
    /// The material whose textures multiply it, by their colour or by holes; -1: none.
    std::int32_t textured_material;
    vec3 mean;  ///< about the mean radiance over the surface, holes counted as solid; not 0
};

/// A triangle with an emission, in the world, at rest.
struct EmissiveTriangle {
    std::uint32_t
        index;  ///< among all of the scene's triangles, those of instanced meshes included
    vec3 corners[3];
    vec3 outside;  ///< it emits on this side of it
    Glow glow;
    bool moves;  ///< its vertices or its instance
    std::uint32_t instance = MovingLight::kNoInstance;
};
struct EmissiveSphere {
    std::uint32_t index;  ///< among the scene's spheres
    vec3 center;
    float radius;
    Glow glow;
};
/// At rest.
struct EmissivePatch {
    std::uint32_t index;  ///< among the scene's patches
    vec3 points[PatchPoints::kCount];
    bool is_rational;
    Glow glow;
    bool moves;
};

/// What is left out is found by chance only: surfaces on which a texture was found black, splats,
/// instances with a glowing material of their own parts of which were found black, and instances
/// once there are kMostInstanced triangles of them.
struct EmissiveSurfaces {
    static constexpr std::size_t kMostInstanced = 1'000'000;

    std::vector<EmissiveTriangle> triangles;  ///< of the scene's own meshes; then of each instance
    std::vector<EmissiveSphere> spheres;
    std::vector<EmissivePatch> patches;
    std::size_t n_patches;  ///< of the scene
    std::size_t n_own;      ///< the scene's triangles that are not of instanced meshes
    /// For each triangle its place in `triangles`; for those of instanced meshes the place among
    /// the glowing ones of their mesh; -1 for the others. Empty where no triangle glows.
    std::vector<std::int32_t> of_triangle;
    /// For each instance the place in `triangles` of its first one, or -1. All triangles of an
    /// instance with a material of its own follow; of others those that glow.
    std::vector<std::int32_t> of_instance;
    bool are_all = true;  ///< nothing that glows is left out

    [[nodiscard]] bool empty() const {
        return triangles.empty() && spheres.empty() && patches.empty();
    }
    /// `first_triangle`: of each of the scene's meshes in the geometry.
    EmissiveSurfaces(const Scene& scene, const SceneGeometry& geometry,
                     const std::vector<std::uint32_t>& first_triangle, std::size_t n_own);
};

}  // namespace tl
