// The wavefront's passes that need a tracer. Rays of a level are traced from their queue; shadow
// rays and rays that found no room are traced by the thread that makes them.
#include "accel/bvh/traversal/any_tracer.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/whole_copy.h"
#include "renderer/whitted/wavefront_shade.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

static_assert(kNoPixel == RayRecords::kNoRay && offsetof(PathRay, pixel) == 12,
              "the place of a ray that is none");

/// Traces rays that pass through holes, one thread per ray.
struct SolidPass {
    Stream& stream;
    const SceneView& scene;
    const WaveLevel& level;
    const std::uint32_t* count;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        SceneView scene = this->scene;
        WaveLevel level = this->level;
        const std::uint32_t* count = this->count;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "trace rays", level.capacity,
            TL_LAMBDA(std::uint32_t i) {
                if (i >= *count) return;
                const PathRay from = load_whole(level.rays[i]);
                if (from.pixel == kNoPixel) return;
                Ray ray = as_ray(from);
                level.hits[i] = closest_solid(tracer, seen_by<Tracer>(scene), ray);
            },
            kGrain);
    }
};

}  // namespace

void trace_level(Scratch& scratch, const WhittedFrame& frame, const WaveLevel& level,
                 const WavefrontCounts* counts) {
    const std::uint32_t* count = &counts->n_rays[level.index];
    const SceneView& scene = frame.scene;
    if (scene.has_cutouts) {
        const SolidPass pass{scratch.stream(), scene, level, count};
        if (!visit_default_tracer(scene.tree, pass)) visit_any_tracer(scene.tree, pass);
    } else {
        trace_closest(scratch, "trace rays", scene.tree,
                      RayRecords(View<const PathRay>(level.rays.data, level.capacity), count),
                      {level.hits, {}, {}});
    }
}

void shade_leaves(Stream& stream, const WhittedFrame& frame, const LeafPass& pass,
                  std::uint32_t capacity) {
    const ShadePass shade{stream, frame, pass, capacity};
    if (!shade_by_default_tracer(shade)) visit_any_tracer(frame.scene.tree, shade);
}

TL_DEVICE_END
