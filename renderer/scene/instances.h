// What can be said of a scene's instances without a device.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Why a matrix cannot place an instance: not finite, not affine, singular; "" for a sound one.
[[nodiscard]] std::string transform_fault(const mat4& transform);

/// The inverse of a sound transform, by way of double precision.
[[nodiscard]] mat4 inverse_transform(const mat4& transform);

/// A Walk in whole rounds and steps of Scene::duration.
struct WalkCycle {
    float radius = 0;  ///< negative: the circle lies to the right; 0: stands still
    float turns = 0;
    float steps = 0;
    float bob = 0;
};

/// The walk in whole rounds, at least one, of `duration` seconds.
[[nodiscard]] WalkCycle cycle_of(const Walk& walk, float duration);

/// Throws UserError that names the first instance with a mesh, material or transform that cannot
/// be used.
void check_instances(const Scene& scene);

/// Where copies go: one to a cell of a grid in the plane y = 0, around the origin.
struct Scatter {
    std::int64_t count = 1;
    vec2 size{10};     ///< of the grid along x and z
    float jitter = 1;  ///< random part of a place, as a share of its cell, 0 to 1
    bool turn = true;  ///< turn each by a random angle about y
    vec2 scale{1};     ///< least and greatest factor of each one's size
    std::uint64_t seed = 1;
};

/// Appends `scatter.count` copies of `base` to the scene's instances: sized and turned, scattered,
/// and then moved by the transform of `base`. With a walk, half of them walk to the right. The same
/// arguments give the same instances everywhere.
void scatter_instances(Scene& scene, const Instance& base, const Scatter& scatter);

/// Makes one mesh of those from `first` on, which keeps the first one's name: instances name one.
void merge_meshes(Scene& scene, std::size_t first);

}  // namespace tl
