// Host-side functions on a scene's instances: checks, walks, scattered copies.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Reason why a matrix is not a valid instance transform: not finite, not affine, singular; "" if
/// it is valid.
[[nodiscard]] std::string transform_fault(const mat4& transform);

/// The inverse of a valid transform, computed in double precision.
[[nodiscard]] mat4 inverse_transform(const mat4& transform);

/// A Walk rounded to whole rounds and steps in Scene::duration.
struct WalkCycle {
    float radius = 0;  ///< negative: the circle lies to the right; 0: no walk
    float turns = 0;
    float steps = 0;
    float bob = 0;
};

/// The walk rounded to whole rounds, at least one, in `duration` seconds.
[[nodiscard]] WalkCycle cycle_of(const Walk& walk, float duration);

/// Checks all instances; throws UserError that names the first with an invalid mesh, material or
/// transform.
void check_instances(const Scene& scene);

/// Parameters of scattered copies: one per cell of a grid in the plane y = 0, around the origin.
struct Scatter {
    std::int64_t count = 1;
    vec2 size{10};     ///< extent of the grid along x and z
    float jitter = 1;  ///< random offset, as a fraction of the cell, 0 to 1
    bool turn = true;  ///< turn each by a random angle about y
    vec2 scale{1};     ///< least and greatest scale factor of a copy
    std::uint64_t seed = 1;
};

/// Appends `scatter.count` copies of `base` to the scene's instances: sized and turned, scattered,
/// and then moved by the transform of `base`. With a walk, half of them walk to the right. The same
/// arguments give the same instances everywhere.
void scatter_instances(Scene& scene, const Instance& base, const Scatter& scatter);

/// Merges the meshes from `first` on into one named as the first: an instance refers to one mesh.
void merge_meshes(Scene& scene, std::size_t first);

}  // namespace tl
