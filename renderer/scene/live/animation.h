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
    std::span<const MeshFrame> frames{};  ///< read by Animator::set alone
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

/// A moment of AnimationKind::frames: between two of them.
struct FramePair {
    std::uint32_t from = 0, to = 0;
    float weight = 0;  ///< of `to`
};

/// A moment of several meshes of AnimationKind::rigid, which lie one after the other at rest.
struct RigidBatch {
    static constexpr std::size_t kMost = 32;  // 2.9 KiB, of 4 that a launch may carry
    struct Placed {
        glm::mat4x3 points;
        glm::mat3 normals;    ///< the cofactors of the linear part: there is no inverse of scale 0
        std::uint32_t end;    ///< of its vertices, among those of the batch
        std::uint32_t shift;  ///< to its vertices among those of all meshes, modulo 2^32
    };
    Placed meshes[kMost];
};

/// The moment of a phase, 0 to 1; those of 0 and 1 are the same.
[[nodiscard]] Explosion explosion_at(const Animation& animation, double phase);
[[nodiscard]] WaveSum waves_at(const Animation& animation, double phase);
/// Between which of `n_frames` the phase lies.
[[nodiscard]] FramePair frames_at(const Animation& animation, std::size_t n_frames, double phase);
/// `time` as a part of `duration`, in [0, 1).
[[nodiscard]] double phase_of(float time, float duration);
/// A phase of the scene's duration as one of Animation::period, of which there are whole rounds.
[[nodiscard]] double phase_of_round(double phase, float period, float duration);

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
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// Writes the vertices that move to the arrays of all meshes, without waiting. `duration` is
    /// the scene's.
    void run(Stream& stream, double phase, float duration, View<vec3> positions,
             View<vec3> normals) const;
    /// Device memory of the rest state.
    [[nodiscard]] std::size_t bytes() const { return positions_.bytes() + normals_.bytes(); }

  private:
    struct Part {
        MovingMesh mesh;
        std::size_t first = 0;     ///< of its vertices at rest
        std::size_t n_frames = 1;  ///< that lie there, one after the other
    };
    void run_rigid(Stream& stream, double phase, float duration, View<vec3> positions,
                   View<vec3> normals) const;

    std::vector<Part> parts_;  ///< the rigid ones first
    std::size_t n_rigid_ = 0;
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
    /// Each mesh of the batch moves as a whole. The views of what to write are those of all meshes.
    void move_rigidly(Stream& stream, const RigidBatch& batch, const VertexMotion& vertices);
    /// Each vertex goes straight from frame to frame. All frames lie at rest, one after the other.
    void blend_frames(Stream& stream, const FramePair& at, const VertexMotion& vertices);
)
// clang-format on
