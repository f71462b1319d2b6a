// Scenes with some of each kind of geometry.
#pragma once

#include <glm/gtc/packing.hpp>

#include "renderer/unshown_content.h"

namespace tl::test {

/// A square from -1 to 1 in the plane z = 0, of material 0.
inline Mesh square() {
    Mesh mesh;
    mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    return mesh;
}

/// Adds an object of this kind, of material 0, between -1 and 1 along each axis.
inline void add_content(Scene& scene, SceneContent content) {
    switch (content) {
        case SceneContent::triangles:
            scene.meshes.push_back(square());
            break;
        case SceneContent::instances: {
            auto mesh = scene.meshes.size();
            scene.meshes.push_back(square());
            scene.meshes.back().instanced = true;
            scene.instances.push_back({.mesh = static_cast<std::uint32_t>(mesh)});
            break;
        }
        case SceneContent::spheres:
            scene.spheres.push_back({{0, 0, 0}, 1, 0});
            break;
        case SceneContent::splats:
            scene.splats.push_back({{0, 0, 0}, 1, {0, 0, 1}, 0});
            break;
        case SceneContent::patches: {
            PatchSet patches;
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    patches.points.emplace_back(-1 + i * 2 / 3.0f, -1 + j * 2 / 3.0f, 0);
            patches.material_of_patch = {0};
            scene.patches.push_back(patches);
            break;
        }
        case SceneContent::gaussians: {
            GaussianSet set;
            set.centers = {{0, 0, 0}};
            set.covariances = {GaussianCovariance::of(vec3(0.5f), {1, 0, 0, 0})};
            set.opacities = {0.9f};
            set.harmonics.assign(3, glm::packHalf1x16(1));
            scene.gaussians.push_back(set);
            break;
        }
    }
}

}  // namespace tl::test
