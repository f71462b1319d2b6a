// The parts of a scene as they are at one moment of their motion.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// A mesh as it is at a phase, 0 to 1, of the scene's duration, without motion. Triangles of
/// explosions share no vertices. Runs on the CPU.
[[nodiscard]] Mesh mesh_at(const Mesh& mesh, double phase, float duration);

/// A patch set as it is at that phase, without motion.
[[nodiscard]] PatchSet patches_at(const PatchSet& set, double phase, float duration);

/// The transform of an instance at that phase of its walk.
[[nodiscard]] mat4 transform_at(const Instance& instance, double phase, float duration);

}  // namespace tl
