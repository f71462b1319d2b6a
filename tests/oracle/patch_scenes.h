// Scenes of patches for tests: the teapot, and knots.
#pragma once

#include <memory>
#include <random>

#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/patch_files.h"
#include "tests/source_path.h"

namespace tl::test {

inline std::shared_ptr<Scene> teapot_scene() {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    add_patches(*scene, source_path("assets/teapot.bpt"), ".bpt");
    return scene;
}

inline std::shared_ptr<Scene> knot_scene(int patches) {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    generate(*scene, "patch-knot", {{"patches", std::to_string(patches)}});
    scene->lights.clear();
    return scene;
}

/// A closed sphere of eight rational patches, each an octant with one edge at a pole: exact except
/// for the rounding of its control points. (Two quarter circles of degree 2, raised to 3.)
inline std::shared_ptr<Scene> sphere_scene() {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    PatchSet set;
    // A quarter circle from (1, 0) to (0, 1) as a rational cubic, points times weights.
    const double h = std::sqrt(0.5);
    const glm::dvec3 quadratic[3] = {{1, 0, 1}, {h, h, h}, {0, 1, 1}};
    const glm::dvec3 arc[4] = {quadratic[0], (quadratic[0] + 2.0 * quadratic[1]) / 3.0,
                               (2.0 * quadratic[1] + quadratic[2]) / 3.0, quadratic[2]};
    for (int octant = 0; octant < 8; ++octant) {
        double x = octant & 1 ? -1 : 1, y = octant & 2 ? -1 : 1, z = octant & 4 ? -1 : 1;
        bool mirrored = x * y * z < 0;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                // Index i runs around the axis, j upwards.
                int i = mirrored ? b : a, j = mirrored ? a : b;
                double w = arc[i].z * arc[j].z;
                set.points.emplace_back(glm::dvec3(x * arc[i].x * arc[j].x, y * arc[i].y * arc[j].x,
                                                   z * arc[i].z * arc[j].y) /
                                        w);
                set.weights.push_back(static_cast<float>(w));
            }
        set.material_of_patch.push_back(0);
    }
    scene->patches.push_back(std::move(set));
    return scene;
}

}  // namespace tl::test
