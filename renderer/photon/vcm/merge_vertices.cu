#include "renderer/photon/vcm/join_vertices.h"

TL_DEVICE_BEGIN

namespace {

struct Merge {
    VcmPass pass;
    LightVertices list;
    PhotonGridView grid;
    View<const PathVertex> vertices;
    View<vec4> sums;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathVertex v = load_vectorized(vertices[i]);
        VertexSide seen(pass.frame.scene, v, v.to_previous);
        // Merges only vertices on surfaces of about the same orientation, near the plane of this
        // one.
        constexpr float kLeastCosine = 0.7f, kThickness = 0.25f;
        float most_height = kThickness * grid.radius;
        std::uint32_t most_met =
            static_cast<std::uint32_t>(pass.frame.limits.max_depth) - v.depth();
        vec3 sum(0);
        grid.for_each_near(
            team, v.position, grid.radius,
            [&](std::uint32_t k, const PhotonPosition& place, vec3 offset, float) {
                if (fabsf(glm::dot(offset, v.geometric)) > most_height ||
                    Photon::n_met(place.surface) > most_met ||
                    fabsf(glm::dot(Photon::normal(place.surface), v.geometric)) < kLeastCosine)
                    return;
                sum += merged(v, seen, k);
            });
        sum = team.sum(sum) / (kPi * grid.radius * grid.radius);
        if (team.rank() == 0) sums[v.sub_path] += vec4(v.throughput * sum, 0);
    }
    /// Contribution of photon k as if it had been stored at the vertex, W/sr, MIS weight included.
    [[nodiscard]] TL_D vec3 merged(const PathVertex& v, const VertexSide& seen,
                                   std::uint32_t k) const {
        PhotonLight light = load_vectorized(grid.lights[k]);
        vec3 to_light = -unpack_direction<16>(light.direction);
        vec3 scattered = seen.eval(to_light);
        if (scattered == vec3(0)) return scattered;
        constexpr float kLeastCosine = 0.05f;
        float mis =
            weight_of_merge(pass.balance, list.sums[grid.order[k]], seen.pdf(to_light), v.sums,
                            VertexSide(pass.frame.scene, v, to_light).pdf(v.to_previous));
        return light.power * scattered *
               (mis / maximum(fabsf(fused_dot(v.geometric, to_light)), kLeastCosine));
    }
};

}  // namespace

void merge_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                    const PhotonGridView& grid, const CameraVertices& from,
                    const CameraCounts* counts, View<vec4> sums) {
    const Merge merge{pass, list, grid, from.vertices, sums};
    const std::uint32_t* count = &counts->n_vertices;
    constexpr std::uint32_t kThreads = Team::kThreads;
    std::uint32_t n_threads =
        std::min(static_cast<std::uint32_t>(from.vertices.size), kQueueThreads) * kThreads;
    parallel_for(
        stream, "merge vertices", n_threads,
        TL_LAMBDA(std::uint32_t thread) {
            for (std::uint32_t i = thread / kThreads; i < *count; i += n_threads / kThreads)
                merge(Team(), i);
        },
        256);
}

TL_DEVICE_END
