// Transforms the objects that were last added to a scene.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Scales, then rotates about x, y and z in this order, then translates.
struct Transform {
    vec3 scale{1};   ///< one factor per axis; none is 0
    vec3 rotate{0};  ///< degrees
    glm::dvec3 translate{0};

    [[nodiscard]] mat4 matrix() const;
    /// The matrix for points to which `offset` is added first: its last column is exact.
    [[nodiscard]] glm::dmat4 matrix_after(const glm::dvec3& offset) const;
    [[nodiscard]] bool is_uniform() const { return scale.x == scale.y && scale.y == scale.z; }
    bool operator==(const Transform&) const = default;
};

/// Applies the transform to the meshes and patches and their motion, instances, spheres, splats and
/// lights added since `mark` and, with `camera`, to the camera. An instanced mesh that has
/// instances is unchanged: these are moved. Mirroring reverses triangles and patches, so that
/// outsides stay outside; spheres and splats are scaled by the factor of x, so that callers must
/// refuse unequal factors. `offset`, the translation by which a model was recentred, is added
/// first, in double precision.
void apply(const Transform& transform, Scene& scene, const SceneMark& mark, bool camera,
           const glm::dvec3& offset = glm::dvec3(0));

}  // namespace tl
