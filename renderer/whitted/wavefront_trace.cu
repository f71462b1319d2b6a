// The passes of the wavefront that trace rays, one kernel for each kind of tracer.
#include "accel/parallel/whole_copy.h"
#include "renderer/whitted/wavefront_kernels.h"

TL_DEVICE_BEGIN

namespace {

/// The rays of a level. Places without a ray give one that no tracer follows.
struct LevelRays {
    View<const PathRay> rays;
    const std::uint32_t* count;

    TL_D Ray operator()(std::uint32_t i) const {
        Ray none;
        none.direction = vec3(kInfinity);
        if (i >= *count) return none;
        const PathRay ray = load_whole(rays[i]);
        return ray.pixel == kNoPixel ? none : as_ray(ray);
    }
};

struct KeepHits {
    View<Hit> hits;
    TL_D void operator()(std::uint32_t i, const Hit& hit) const { hits[i] = hit; }
};

struct TracePass {
    Scratch& scratch;
    const SceneView& scene;
    const WaveLevel& level;
    const std::uint32_t* count;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        LevelRays rays{level.rays, count};
        KeepHits hits{level.hits};
        if (scene.has_cutouts)
            trace_queue<false>(scratch, "trace rays", SolidTracer<Tracer>{tracer, scene},
                               level.capacity, rays, hits);
        else
            trace_queue<false>(scratch, "trace rays", tracer, level.capacity, rays, hits);
    }
};

template <class Tracer>
TL_D void shade_leaf(const Tracer& tracer, const WhittedFrame& frame, const LeafPass& pass,
                     std::uint32_t j) {
    if (j >= *pass.count) return;
    std::uint32_t i = pass.list.empty() ? j : pass.list[j];
    PathRay ray = load_whole(pass.rays[i]);
    vec3 in_pixel = ray.weight;
    ray.weight = vec3(1);
    Hit hit;
    if (!pass.follow) hit = pass.hits[i];
    std::uint32_t n_rays = 0;
    vec3 radiance =
        follow_depth_first(tracer, frame, ray, in_pixel, n_rays, pass.follow ? nullptr : &hit);
    if (pass.weighted) radiance *= in_pixel;
    pass.values[i] = vec4(radiance, static_cast<float>(n_rays));
}

struct ShadePass {
    Stream& stream;
    const WhittedFrame& frame;
    const LeafPass& pass;
    std::uint32_t capacity;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        constexpr std::uint32_t kGrain = 256;
        // Copies, since a lambda for the device captures no members.
        WhittedFrame frame = this->frame;
        LeafPass pass = this->pass;
        parallel_for(
            stream, pass.follow ? "follow what found no room" : "shade leaves", capacity,
            TL_LAMBDA(std::uint32_t j) {
                WhittedFrame seen = frame;
                seen.scene = seen_by<Tracer>(frame.scene);
                shade_leaf(tracer, seen, pass, j);
            },
            kGrain);
    }
};

}  // namespace

void trace_level(Scratch& scratch, const WhittedFrame& frame, const WaveLevel& level,
                 const WavefrontCounts* counts) {
    visit_tracer(frame.scene.tree,
                 TracePass{scratch, frame.scene, level, &counts->n_rays[level.index]});
}

void shade_leaves(Stream& stream, const WhittedFrame& frame, const LeafPass& pass,
                  std::uint32_t capacity) {
    visit_tracer(frame.scene.tree, ShadePass{stream, frame, pass, capacity});
}

TL_DEVICE_END
