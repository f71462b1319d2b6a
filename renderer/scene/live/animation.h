// Animated meshes: the device computes the vertices at a given time from their rest positions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device/array.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/simulated_surface.h"

namespace tl {

/// A moving mesh: its range of vertices in the array of all meshes.
struct MovingMesh {
    Animation animation;
    std::size_t first_vertex = 0, n_vertices = 0;
    std::span<const MeshFrame> frames{};           ///< read only by Animator::set
    const SimulatedSurface* simulation = nullptr;  ///< read only by Animator::set
};

/// State of AnimationKind::explode at a time. Every three vertices are a triangle.
struct Explosion {
    vec3 center;
    float distance = 0;  ///< distance of the farthest triangles
    float angle = 0;     ///< rotation of each triangle, radians
};

/// State of AnimationKind::wave at a time: a sum of sines.
struct WaveSum {
    static constexpr int kWaves = 4;
    vec3 lift;
    vec3 wave_vector[kWaves];  ///< radians per unit of length, perpendicular to lift
    float amplitude[kWaves];
    float shift[kWaves];  ///< phase shifts, radians
};

/// State of AnimationKind::frames at a time: two frames to interpolate.
struct FramePair {
    std::uint32_t from = 0, to = 0;
    float weight = 0;  ///< weight of `to`
};

/// State of several meshes of AnimationKind::rigid, whose rest vertices are consecutive.
struct RigidBatch {
    static constexpr std::size_t kMost = 32;  // 2.9 KiB of the 4 for kernel arguments
    struct Placed {
        glm::mat4x3 points;
        glm::mat3 normals;    ///< cofactors of the linear part, since scale 0 has no inverse
        std::uint32_t end;    ///< end of its vertices in the batch
        std::uint32_t shift;  ///< index among all meshes minus that in the batch, mod 2^32
    };
    Placed meshes[kMost];
};

/// The states at a phase, 0 to 1; phases 0 and 1 give the same state.
[[nodiscard]] Explosion explosion_at(const Animation& animation, double phase);
[[nodiscard]] WaveSum waves_at(const Animation& animation, double phase);
/// Returns the two of `n_frames` frames around the phase.
[[nodiscard]] FramePair frames_at(const Animation& animation, std::size_t n_frames, double phase);
/// `time` as a fraction of `duration`, in [0, 1).
[[nodiscard]] double phase_of(float time, float duration);
/// Converts a phase of the scene's duration, which is made of whole periods, to one of the period.
[[nodiscard]] double phase_of_round(double phase, float period, float duration);

/// Positions and normals at rest, and the output arrays. Zero normals stay zero.
struct VertexMotion {
    View<const vec3> rest_positions, rest_normals;
    View<vec3> positions, normals;
};

/// Animates meshes; owns the rest state of the moving vertices.
class Animator {
  public:
    /// `positions` and `normals` of all meshes.
    void set(Stream& stream, std::vector<MovingMesh> meshes, std::span<const vec3> positions,
             std::span<const vec3> normals);
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// Writes the moved vertices to the arrays of all meshes, without waiting. `duration` is the
    /// scene's.
    void run(Stream& stream, double phase, float duration, View<vec3> positions,
             View<vec3> normals) const;
    /// Device memory of the rest state and of simulations.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Part {
        MovingMesh mesh;
        std::size_t first = 0;     ///< index of its first rest vertex
        std::size_t n_frames = 1;  ///< frames stored there, one after the other
        /// Simulation of AnimationKind::simulated, else null.
        std::unique_ptr<SurfaceMotion> simulation;
    };
    void run_rigid(Stream& stream, double phase, float duration, View<vec3> positions,
                   View<vec3> normals) const;

    std::vector<Part> parts_;  ///< the rigid ones first
    std::size_t n_rigid_ = 0;
    DeviceArray<vec3> positions_, normals_;  ///< rest state of the moving vertices, mesh after mesh
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Moves each triangle away from the explosion's centre and turns it about its own centre.
    void explode(Stream& stream, const Explosion& at, const VertexMotion& vertices);
    /// Displaces each vertex by the waves at its position; normals are transformed by the inverse
    /// transpose of the deformation's Jacobian.
    void wave(Stream& stream, const WaveSum& waves, const VertexMotion& vertices);
    /// Moves each mesh of the batch rigidly. The output views are those of all meshes.
    void move_rigidly(Stream& stream, const RigidBatch& batch, const VertexMotion& vertices);
    /// Interpolates each vertex linearly between frames, which are stored one after the other.
    void blend_frames(Stream& stream, const FramePair& at, const VertexMotion& vertices);
)
// clang-format on
