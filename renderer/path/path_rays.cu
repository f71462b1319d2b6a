#include "renderer/path/path_rays.h"

#include "accel/bvh/traversal/trace_both.h"
#include "renderer/path/gaussians/gaussian_pass.h"
#include "renderer/path/path_wavefront.h"
#include "renderer/record_rays.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

namespace {

/// Trees of fewer primitives are traced with one thread per ray. Their traversals are of about the
/// same length, so a queue would find no idle lanes to fill.
constexpr std::uint32_t kSmallTree = 4096;

struct TracePathRay {
    template <class Tracer>
    static constexpr int kBlocks = kBlocksFor<Tracer>;
    SceneView scene;
    Records<const PathRay> rays;
    const std::uint32_t* count;
    RayPurpose purpose;
    View<Hit> hits;  ///< output; empty: not stored

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t i) const {
        if (i >= *count) return;
        Ray ray = as_ray(rays.load(i));
        announce(tracer, purpose);
        Hit hit = closest_solid(tracer, seen_by<Tracer>(scene), ray);
        if (!hits.empty()) hits[i] = hit;
    }
};

struct TraceShadowRay {
    template <class Tracer>
    static constexpr int kBlocks = kBlocksFor<Tracer>;
    SceneView scene;
    Records<const Ray> rays;
    const std::uint32_t* count;
    View<std::uint8_t> occluded;  ///< output; empty: not stored

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t i) const {
        if (i >= *count) return;
        std::uint32_t n_rays = 0;
        vec3 passes =
            light_that_passes(tracer, seen_by<Tracer>(scene), rays.load(i), Media{}, n_rays);
        if (!occluded.empty()) occluded[i] = passes == vec3(0);
    }
};

template <class Trace>
struct TracePass {
    Stream& stream;
    const char* name;
    const Trace& trace;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        Trace trace = this->trace;
        for_each_entry<Trace::template kBlocks<Tracer>>(
            stream, name, trace.count, trace.rays.size,
            TL_LAMBDA(std::uint32_t i) { trace(tracer, i); });
    }
};

/// A queue's rays as input of the tracer. On the CPU the host reads their number.
RayRecords records_of(Records<const PathRay> rays, const std::uint32_t* count) {
#if !defined(__CUDACC__)
    rays.size = std::min(rays.size, *count);  // as for_each_entry does
#endif
    return {rays, count};
}
RayRecords records_of(const ShadowQueue& queue, const std::uint32_t* count) {
    RayRecords rays(Records<const Ray>(queue.rays));
    rays.count = count;
#if !defined(__CUDACC__)
    rays.size = std::min(rays.size, *count);
#endif
    return rays;
}

}  // namespace

RayLaunch launch_of_scattered_rays(const SceneView& scene) {
    bool is_small = !scene.tree.instances && scene.n_simple() < kSmallTree;
    return is_small ? RayLaunch::each : RayLaunch::queue;
}

void trace_path_rays(Scratch& scratch, const char* name, const SceneView& scene,
                     Records<const PathRay> rays, const std::uint32_t* count, View<Hit> hits,
                     RayLaunch launch) {
    if (!scene.has_cutouts)
        return trace_closest(scratch, name, scene.tree, records_of(rays, count), {hits, {}, {}},
                             launch);
    const TracePathRay trace{scene, rays, count, RayPurpose::camera, hits};
    visit_any_tracer(scene.tree, TracePass<TracePathRay>{scratch.stream(), name, trace});
}

void trace_shadow_rays(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                       const std::uint32_t* count, RayLaunch launch) {
    if (any_hit_shadows(scene))
        return trace_any(scratch, "shadow rays", scene.tree, records_of(queue, count),
                         {{}, {}, queue.occluded}, launch);
    const TraceShadowRay trace{scene, queue.rays, count, queue.occluded};
    visit_any_tracer(scene.tree, TracePass<TraceShadowRay>{scratch.stream(), "shadow rays", trace});
}

void add_direct_light(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                      const std::uint32_t* count, View<vec4> sums, RayLaunch launch) {
    if (!scene.has_cutouts && !scene.gaussians)
        return trace_any(scratch, "shadow rays", scene.tree, records_of(queue, count),
                         {{}, {}, {}, {queue.light, sums}}, launch);
    trace_shadow_rays(scratch, scene, queue, count, launch);
    Stream& stream = scratch.stream();
    if (scene.gaussians) attenuate_by_gaussians(stream, *scene.gaussians, queue, count);
    for_each_entry(
        stream, "add light", count, queue.rays.size, TL_LAMBDA(std::uint32_t i) {
            if (queue.occluded[i]) return;
            ArrivingLight light = load_vectorized(queue.light[i]);
            add_to_sum(sums[light.pixel], vec4(light.radiance, 0));
        });
}

void trace_paths_and_light(Scratch& scratch, const SceneView& scene,
                           const Records<const PathRay>& rays, const std::uint32_t* n_rays,
                           View<Hit> hits, const ShadowQueue& shadows,
                           const std::uint32_t* n_shadows, View<vec4> sums, RayLaunch launch) {
    if (!scene.has_cutouts && !scene.gaussians)
        return trace_closest_and_any(
            scratch, "path and shadow rays", scene.tree, records_of(rays, n_rays), {hits, {}, {}},
            records_of(shadows, n_shadows), {{}, {}, {}, {shadows.light, sums}}, launch);
    trace_path_rays(scratch, "path rays", scene, rays, n_rays, hits, launch);
    add_direct_light(scratch, scene, shadows, n_shadows, sums, launch);
}

void record_path_rays(RayRecording& recording, const SceneView& scene,
                      const Records<const PathRay>& rays, const std::uint32_t* count,
                      RayPurpose purpose) {
    recording.add(scene, rays.size, TracePathRay{scene, rays, count, purpose, {}});
}

void record_shadow_rays(RayRecording& recording, const SceneView& scene, const ShadowQueue& queue,
                        const std::uint32_t* count) {
    recording.add(scene, queue.rays.size, TraceShadowRay{scene, queue.rays, count, {}});
}

RecordedRays record_paths(Scratch& scratch, const PathJob& job, std::uint64_t most_bytes) {
    RayRecording recording(scratch);
    trace_paths_in_waves(scratch, job, nullptr, &recording);
    recording.start_writing(most_bytes);
    trace_paths_in_waves(scratch, job, nullptr, &recording);
    return recording.take();
}

TL_DEVICE_END
