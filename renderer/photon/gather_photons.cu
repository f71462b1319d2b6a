#include "renderer/photon/gather_photons.h"

TL_DEVICE_BEGIN

namespace {

struct GatherAt {
    PathTracerFrame frame;
    PhotonGridView grid;
    float caustic_radius;
    GatherQueue queue;
    View<vec4> sums;

    TL_D void operator()(std::uint32_t i) const {
        const SceneView& scene = frame.scene;
        PathRay ray = load_whole(queue.rays[i]);
        PathHit h = path_hit(scene, ray, queue.hits[i]);
        PathPlace at = path_place(scene, ray, queue.hits[i], h, false);
        vec3 radiance = radiance_at(h, at, ray.depth());
        sums[ray.pixel] += vec4(ray.weight * h.passed * radiance, 0);
    }
    /// Epanechnikov's kernel in the tangent plane: for a radius of 1 it falls from 2 / pi to 0 with
    /// the square of the distance. Photons count on the same side of a surface of about the same
    /// orientation, near its plane, so that none shine through a wall or around a corner.
    [[nodiscard]] TL_D vec3 radiance_at(const PathHit& h, const PathPlace& at,
                                        std::uint32_t depth) const {
        constexpr float kLeastCosine = 0.7f, kThickness = 0.25f;
        float r2 = grid.radius * grid.radius, caustic_r2 = caustic_radius * caustic_radius;
        std::uint32_t most_met = static_cast<std::uint32_t>(frame.limits.max_depth) - depth;
        bool is_even = at.bsdf.is_broad_lambert() && at.lit.normal == h.side;
        vec3 sum(0);
        grid.for_each_near(h.surface.position, [&](std::uint32_t k, const PhotonPlace& photon,
                                                   vec3 offset, float distance2) {
            float own_r2 = Photon::is_caustic(photon.surface) ? caustic_r2 : r2;
            float height = glm::dot(offset, h.side);
            if (distance2 >= own_r2 || height * height > kThickness * kThickness * own_r2 ||
                Photon::n_met(photon.surface) > most_met)
                return;
            if (glm::dot(Photon::normal(photon.surface), h.side) < kLeastCosine) return;
            float weight = 2 / kPi * (1 - (distance2 - height * height) / own_r2) / own_r2;
            PhotonLight light = load_whole(grid.lights[k]);
            sum += weight * light.power * (is_even ? vec3(1) : scattered(h, at, light.direction));
        });
        return is_even ? at.bsdf.albedo / kPi * sum : sum;
    }
    /// The part of a photon's power that a surface scatters broadly to the viewer, 1/sr.
    [[nodiscard]] TL_D static vec3 scattered(const PathHit& h, const PathPlace& at,
                                             std::uint32_t direction) {
        constexpr float kLeastCosine = 0.05f;
        vec3 to_source = -unpack_direction<16>(direction);
        float cosine = maximum(fabsf(fused_dot(h.side, to_source)), kLeastCosine);
        return at.bsdf.eval_broad(at.lit.to_viewer, to_source) / cosine;
    }
};

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const std::uint32_t* count,
                       View<vec4> sums) const {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    const GatherAt gather{frame_, grid_, caustic_radius_, queue, sums};
    for_each_entry(stream, "gather photons", count, most, gather);
}

TL_DEVICE_END
