// Meshes that move: where their vertices are at a moment, computed on the device from where they
// rest.
#pragma once

#include <span>
#include <vector>

#include "accel/parallel/array.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Vertices of one mesh that moves, among those of all meshes.
struct MovingMesh {
    Animation animation;
    std::size_t first_vertex = 0, n_vertices = 0;
};

/// A moment of AnimationKind::explode. Each three vertices are a triangle.
struct Explosion {
    vec3 center;
    float distance = 0;  ///< what the farthest have flown
    float angle = 0;     ///< by which each has turned, radians
};

/// A moment of AnimationKind::wave: a sum of sines.
struct WaveSum {
    static constexpr int kWaves = 4;
    vec3 lift;
    vec3 wave_vector[kWaves];  ///< radians per length, at right angles to lift
    float amplitude[kWaves];
    float shift[kWaves];  ///< radians
};

/// The moment of a phase, 0 to 1; those of 0 and 1 are the same.
[[nodiscard]] Explosion explosion_at(const Animation& animation, double phase);
[[nodiscard]] WaveSum waves_at(const Animation& animation, double phase);
/// `time` as a part of `duration`, in [0, 1).
[[nodiscard]] double phase_of(float time, float duration);

/// Positions and normals where they rest, and where to write them. Normals of no length stay so.
struct VertexMotion {
    View<const vec3> rest_positions, rest_normals;
    View<vec3> positions, normals;
};

/// Keeps the rest state of the vertices that move.
class Animator {
  public:
    /// `positions` and `normals` of all meshes.
    void set(Stream& stream, std::vector<MovingMesh> meshes, std::span<const vec3> positions,
             std::span<const vec3> normals);
    [[nodiscard]] bool empty() const { return meshes_.empty(); }
    /// Writes the vertices that move to the arrays of all meshes, without waiting.
    void run(Stream& stream, double phase, View<vec3> positions, View<vec3> normals) const;
    /// Device memory of the rest state.
    [[nodiscard]] std::size_t bytes() const { return positions_.bytes() + normals_.bytes(); }

  private:
    std::vector<MovingMesh> meshes_;
    DeviceArray<vec3> positions_, normals_;  ///< of the moving vertices, mesh after mesh
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Each triangle flies away from the centre along a line through its own and turns about itself.
    void explode(Stream& stream, const Explosion& at, const VertexMotion& vertices);
    /// Each vertex is lifted by the waves at its place; normals follow by the inverse transpose of the
    /// deformation's Jacobian.
    void wave(Stream& stream, const WaveSum& waves, const VertexMotion& vertices);
)
// clang-format on
