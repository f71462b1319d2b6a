#include "renderer/photon/vcm/join_vertices.h"
#include "renderer/photon/vcm/shadow_links.h"
#include "renderer/photon/vcm/sources.h"

TL_DEVICE_BEGIN

namespace {

struct Connect {
    VcmPass pass;
    LightVertices list;
    CameraVertices from;
    CameraCounts* counts;

    TL_D void operator()(std::uint32_t i) const {
        PathVertex v = load_vectorized(from.vertices[i]);
        VertexSide seen(pass.frame.scene, v, v.to_previous);
        std::uint32_t newest = PathVertex::kNone;
        sample_source(v, seen, newest);
        if (pass.balance.connections > 0)
            for (std::uint32_t k = list.newest[v.sub_path % pass.n_light_paths];
                 k != PathVertex::kNone;) {
                PathVertex light = load_vectorized(list.vertices[k]);
                if (v.depth() + light.depth() + 2 <=
                    static_cast<std::uint32_t>(pass.frame.limits.max_depth))
                    connect(v, seen, light, newest);
                k = light.previous;
            }
        from.newest[i] = newest;
    }
    TL_D void append(const Ray& shadow, vec3 radiance, std::uint32_t& newest) const {
        std::uint32_t k = atomic_append(&counts->n_shadows);
        from.shadows.store(k, shadow, {radiance, newest});
        newest = k;
    }
    /// Next-event estimation: appends the shadow ray to a sample of one emitter.
    TL_D void sample_source(const PathVertex& v, const VertexSide& seen,
                            std::uint32_t& newest) const {
        const PathTracerFrame& frame = pass.frame;
        const SceneView& scene = frame.scene;
        if (scene.search.n_choices() == 0) return;
        PathNumbers numbers(frame.pattern, frame.seed, v.sub_path, frame.sample, v.path_id);
        ChosenLight chosen = choose_any_light(scene.search, v.position, v.shading,
                                              is_two_sided(scene, v), numbers.light());
        if (!(chosen.probability > 0)) return;
        const LightData& light = scene.lights[chosen.index];
        vec2 point = numbers.point_of_light();
        LightSample sample;
        if (!sample_any_light(scene, light, v.position, point.x, point.y, sample)) return;
        vec3 scattered = seen.eval(sample.direction);
        if (scattered == vec3(0)) return;
        if (light.textured_material >= 0)
            sample.radiance *=
                texture_of_sample(scene, light, v.position, point.x, point.y, sample);
        bool met = can_be_met(scene, chosen.index);
        float direct = chosen.probability / sample.inverse_density;
        if (light.kind == LightKind::point || light.kind == LightKind::spot)
            direct *= sample.distance * sample.distance;
        else if (is_patch_light(scene, light))
            direct = chosen.probability *
                     weighed_density(light, v.position, sample.direction, sample.distance);
        float mis = weight_of_sample(
            v.sums, direct, met ? seen.pdf(sample.direction) : 0.0f,
            inverse_emission_density(scene, *pass.around, chosen.index, -sample.direction),
            cosine_at(v, sample.direction),
            VertexSide(scene, v, sample.direction).pdf(v.to_previous));
        vec3 radiance = v.throughput * scattered *
                        transmittance(scene, v, sample.direction, sample.distance) *
                        (sample.radiance * (sample.inverse_density * mis / chosen.probability));
        if (radiance != vec3(0))
            append(ray_to_light(sample, v.position, v.origin_towards(sample.direction), v.on_patch),
                   radiance, newest);
    }
    TL_D void connect(const PathVertex& v, const VertexSide& seen, const PathVertex& light,
                      std::uint32_t& newest) const {
        const SceneView& scene = pass.frame.scene;
        vec3 between = light.position - v.position;
        float distance2 = glm::dot(between, between);
        if (!(distance2 > 0)) return;
        float distance = sqrtf(distance2);
        vec3 to_light = between / distance;
        vec3 scattered = seen.eval(to_light);
        if (scattered == vec3(0)) return;
        VertexSide light_seen(scene, light, -to_light);
        vec3 sent = sent_towards(light, light_seen, -to_light);
        if (sent == vec3(0)) return;
        float drawn = seen.pdf(to_light) * cosine_at(light, to_light) / distance2;
        float drawn_back = VertexSide(scene, light, light.to_previous).pdf(-to_light) *
                           cosine_at(v, to_light) / distance2;
        float mis = weight_of_connection(pass.balance, light.sums,
                                         pass.balance.merges_at(light.depth() + 1), drawn,
                                         light_seen.pdf(light.to_previous), v.sums, drawn_back,
                                         VertexSide(scene, v, to_light).pdf(v.to_previous));
        // The light sub-path is one of many, but the only one that this camera sub-path is
        // connected to.
        float n = static_cast<float>(pass.n_light_paths);
        vec3 radiance = v.throughput * scattered * light.throughput * sent *
                        transmittance(scene, v, to_light, distance) * (mis * n / distance2);
        if (radiance != vec3(0)) append(ray_to_point(v, to_light, distance), radiance, newest);
    }
};

}  // namespace

void connect_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                      const CameraVertices& from, CameraCounts* counts) {
    const Connect connect{pass, list, from, counts};
    for_each_entry_in_step<256, 2>(stream, "connect vertices", &counts->n_vertices,
                                   static_cast<std::uint32_t>(from.vertices.size), connect);
}

void add_connections(Stream& stream, const CameraVertices& from, const CameraCounts* counts,
                     View<vec4> sums) {
    CameraVertices vertices = from;
    for_each_entry(
        stream, "add connections", &counts->n_vertices,
        static_cast<std::uint32_t>(from.vertices.size), TL_LAMBDA(std::uint32_t i) {
            vec4 sum(0);
            for (std::uint32_t k = vertices.newest[i]; k != PathVertex::kNone;) {
                ArrivingLight light = load_vectorized(vertices.shadows.light[k]);
                sum += vec4(vertices.shadows.occluded[k] ? vec3(0) : light.radiance, 1);
                k = light.pixel;
            }
            sums[vertices.vertices[i].sub_path] += sum;
        });
}

TL_DEVICE_END
