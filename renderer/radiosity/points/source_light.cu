#include "renderer/radiosity/points/source_light.h"

#include "renderer/radiosity/points/passed_surfaces.h"

TL_DEVICE_BEGIN

namespace {

/// Random numbers in [0, 1) of a ray from a receiver.
struct LightNumbers {
    Sampler sampler;
    std::uint32_t sample, pair;

    TL_D LightNumbers(const PathFrame& frame, const ReceiverRays& rays, std::uint32_t place,
                      std::uint32_t ray)
        : sampler(frame.pattern, frame.seed, rays.stride * place + rays.offset, 0),
          sample(rays.first_ray + ray),
          pair(rays.pair) {}
    /// Selects the light of next-event estimation.
    [[nodiscard]] TL_D float choice() const { return sampler.pair(0).point(sample).x; }
    [[nodiscard]] TL_D vec2 point_of_light() const { return sampler.pair(1).point(sample); }
    [[nodiscard]] TL_D vec2 direction() const { return sampler.pair(pair).point(sample); }
};

/// Ray from a receiver in a cosine-distributed direction.
TL_D PathRay leaving(const PathTracerFrame& frame, const ReceiverPoint& place, vec2 r,
                     std::uint32_t number) {
    return {place.start, number,  cosine_direction(place.normal, r),
            1,           vec3(1), 1u << Media::kBits | place.media.bits,
            frame.cone};
}

/// Next-event estimation: samples one light, MIS weight included. Returns false if it contributes
/// nothing.
TL_D bool sample_a_light(const PathTracerFrame& frame, const ReceiverPoint& place,
                         const LightNumbers& numbers, DirectSample& direct) {
    const SceneView& scene = frame.scene;
    ChosenLight chosen =
        choose_any_light(scene.search, place.position, place.normal, false, numbers.choice());
    if (!(chosen.probability > 0)) return false;
    const LightData& light = scene.lights[chosen.index];
    LightSample sample;
    vec2 at = numbers.point_of_light();
    if (!sample_any_light(scene, light, place.position, at.x, at.y, sample)) return false;
    float cosine = fused_dot(place.normal, sample.direction);
    if (!(cosine > 0)) return false;
    if (scene.has_textured_lights && light.textured_material >= 0)
        sample.radiance *= texture_of_sample(scene, light, place.position, at.x, at.y, sample);
    float mis = 1;
    if (is_emissive_surface(scene, light) || is_wide(light))
        mis = mis_weight(chosen.probability / sample.inverse_density, cosine / kPi);
    direct.radiance = absorbed(scene, place.media, sample.distance) * sample.radiance *
                      (cosine * sample.inverse_density * mis / chosen.probability);
    if (direct.radiance == vec3(0)) return false;
    direct.shadow_ray = ray_to_light(sample, place.position, place.start, {});
    return true;
}

/// Whether a surface may have a wide lobe, and so points that send light. Lamps are often black and
/// then have none.
TL_D bool may_have_points(const SceneView& scene, const MaterialData& m) {
    if (is_smooth_specular(scene, m)) return false;
    return m.layers >= 0 || m.kind != MaterialKind::diffuse || m.diffuse != vec3(0);
}

/// Starts the rays of a receiver: a cosine-distributed ray and a shadow ray.
struct StartRays {
    PathTracerFrame frame;
    ReceiverRays of;
    bool has_lights;   ///< whether shadow rays are made
    bool follows_all;  ///< whether to keep cosine-distributed rays that cannot hit an emitter
    View<PathRay> rays;
    ShadowQueue shadows;
    View<vec3> light;
    WaveCounts* counts;

    TL_D void operator()(std::uint32_t r) const {
        auto n = static_cast<std::uint32_t>(of.places.size);
        std::uint32_t i = r % n;
        if (!light.empty()) light[r] = vec3(0);
        if (!of.wanted.empty() && !of.wanted[i]) return;
        ReceiverPoint place = of.places[i];
        const LightNumbers numbers(frame, of, i, r / n);
        PathRay ray = leaving(frame, place, numbers.direction(), r);
        if (follows_all || may_meet_light(frame.scene, ray.origin, ray.direction))
            store_vectorized(rays[atomic_append(&counts->n_paths)], ray);
        DirectSample direct;
        if (!has_lights || !sample_a_light(frame, place, numbers, direct)) return;
        std::uint32_t k = atomic_append(&counts->n_shadows);
        shadows.store(k, direct.shadow_ray, {direct.radiance, r});
    }
};

/// Adds the emission at the hit of a cosine-distributed ray, MIS weight included, and sets the next
/// vertex of walks.
struct MeetLight {
    PathTracerFrame frame;
    ReceiverRays of;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<vec3> light;
    View<ReceiverPoint> next;
    View<std::uint32_t> met;

    TL_D void operator()(std::uint32_t k) const {
        PathState state{load_vectorized(rays[k]), PathHistory::of_camera_ray()};
        std::uint32_t r = state.ray.pixel, i = r % static_cast<std::uint32_t>(of.places.size);
        ReceiverPoint place = of.places[i];
        state.history.pdf = fused_dot(place.normal, state.ray.direction) / kPi;
        state.history.lit_from = place.position;
        state.history.lit_normal = place.normal;
        state.history.n_scattered = 1;
        bool counts = state.history.pdf > 0;
        PathFollower follower(frame);
        Hit hit = hits[k];
        if (!next.empty()) met[i] = !hit.found() ? 0 : is_lamp(frame.scene, hit) ? 2 : 1;
        if (!hit.found()) {
            if (counts) light[r] += kPi * follower.miss(state);
            return;
        }
        PathHit h = path_hit(frame.scene, state.ray, hit);
        if (counts) light[r] += kPi * follower.emission(state, hit, h);
        if (next.empty()) return;
        next[i] = {h.surface.position,
                   start_of_rays(h.surface, h.surface.position, h.geometric_normal),
                   h.geometric_normal,
                   {}};
    }
};

}  // namespace

void pass_surfaces(Scratch& scratch, const SceneView& scene, Passed kind, int n_times,
                   View<PathRay> rays, const std::uint32_t* count, View<Hit> hits) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(rays.size);
    auto again = scratch.take<PathRay>(n);
    auto found = scratch.take<Hit>(n);
    auto of = scratch.take<std::uint32_t>(n), n_again = scratch.take<std::uint32_t>(1);
    for (int time = 0; time < n_times; ++time) {
        stream.device().fill_zero(stream, n_again.data, sizeof(std::uint32_t));
        for_each_entry(
            stream, "rays at passed surfaces", count, n, TL_LAMBDA(std::uint32_t i) {
                Hit hit = hits[i];
                if (!hit.found() || !is_passed(scene, hit, kind)) return;
                PathRay ray = load_vectorized(rays[i]);
                ray.origin += kBehind * hit.t * ray.direction;
                ray.on_patch = {};
                std::uint32_t k = atomic_append(n_again.data);
                store_vectorized(again[k], ray);
                of[k] = i;
            });
        trace_path_rays(scratch, "rays behind surfaces", scene, again, n_again.data, found,
                        launch_of_scattered_rays(scene));
        for_each_entry(
            stream, "hits behind surfaces", n_again.data, n, TL_LAMBDA(std::uint32_t k) {
                store_vectorized(rays[of[k]], load_vectorized(again[k]));
                hits[of[k]] = found[k];
            });
    }
}

SourceLight::SourceLight(Scratch& scratch, const PathTracerFrame& frame, std::uint32_t n_rays)
    : scratch_(scratch),
      frame_(frame),
      rays_(scratch.take<PathRay>(n_rays)),
      hits_(scratch.take<Hit>(n_rays)),
      shadows_(scratch, n_rays),
      counts_(scratch.take<WaveCounts>(1)) {}

void SourceLight::start() {
    auto& stream = scratch_.stream();
    stream.device().fill_zero(stream, counts_.data, sizeof(WaveCounts));
}

void SourceLight::trace() {
    trace_path_rays(scratch_, "rays from points", frame_.scene, rays_, &counts_.data->n_paths,
                    hits_, launch_of_scattered_rays(frame_.scene));
}

void SourceLight::pass_glass() {
    if (frame_.scene.has_glass)
        pass_surfaces(scratch_, frame_.scene, Passed::glass, kMostPassed, rays_,
                      &counts_.data->n_paths, hits_);
}

void SourceLight::sample(const ReceiverRays& rays, View<vec3> light, View<ReceiverPoint> next,
                         View<std::uint32_t> met) {
    auto& stream = scratch_.stream();
    const SceneView& scene = frame_.scene;
    std::uint32_t n = rays.size();
    bool has_lights = scene.search.n_choices() > 0;
    bool follows = scene.has_visible_light || !next.empty();
    start();
    const StartRays starts{frame_, rays,     has_lights, !next.empty(),
                           rays_,  shadows_, light,      counts_.data};
    parallel_for(
        stream, "start rays", n, TL_LAMBDA(std::uint32_t r) { starts(r); }, 256);
    if (has_lights) {
        ShadowQueue shadows = shadows_;
        trace_shadow_rays(scratch_, scene, shadows, &counts_.data->n_shadows,
                          launch_of_scattered_rays(scene));
        for_each_entry(
            stream, "light at points", &counts_.data->n_shadows, n, TL_LAMBDA(std::uint32_t k) {
                ArrivingLight arriving = load_vectorized(shadows.light[k]);
                if (!shadows.occluded[k]) light[arriving.pixel] += arriving.radiance;
            });
    }
    if (!follows) return;
    trace();
    if (!next.empty()) pass_glass();
    for_each_entry(stream, "light that rays meet", &counts_.data->n_paths, n,
                   MeetLight{frame_, rays, rays_, hits_, light, next, met});
}

void SourceLight::count_diffuse(const ReceiverRays& rays, View<std::uint32_t> n_met) {
    auto& stream = scratch_.stream();
    std::uint32_t n = rays.size(), n_places = static_cast<std::uint32_t>(rays.places.size);
    start();
    const StartRays starts{frame_, rays, false, true, rays_, shadows_, {}, counts_.data};
    parallel_for(
        stream, "start rays", n, TL_LAMBDA(std::uint32_t r) { starts(r); }, 256);
    trace();
    pass_glass();
    SceneView scene = frame_.scene;
    View<const PathRay> of_places = rays_;
    View<const Hit> hits = hits_;
    for_each_entry(
        stream, "surfaces that rays meet", &counts_.data->n_paths, n, TL_LAMBDA(std::uint32_t k) {
            Hit hit = hits[k];
            if (hit.found() && may_have_points(scene, material_at(scene, hit)))
                atomic_add(&n_met[of_places[k].pixel % n_places], 1);
        });
}

TL_DEVICE_END
