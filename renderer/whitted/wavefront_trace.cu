// The wavefront's passes that need a tracer. Rays of a level are traced from their queue. Shadow
// rays, and rays beyond the capacity, are traced by the thread that makes them.
#include "accel/bvh/traversal/any_tracer.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/whitted/wavefront_shade.h"
#include "renderer/whitted/wavefront_solid.h"

TL_DEVICE_BEGIN

static_assert(kNoPixel == RayRecords::kNoRay && offsetof(PathRay, pixel) == 12,
              "the place of a ray that is none");

void trace_level(Scratch& scratch, const WhittedFrame& frame, const WaveLevel& level,
                 const WavefrontCounts* counts) {
    const std::uint32_t* count = &counts->n_rays[level.index];
    const SceneView& scene = frame.scene;
    if (scene.has_cutouts) {
        const SolidPass pass{scratch.stream(), scene, level, count};
        if (!trace_solid_by_default_tracer(pass)) visit_any_tracer(scene.tree, pass);
    } else {
        trace_closest(scratch, "trace rays", scene.tree,
                      RayRecords(View<const PathRay>(level.rays.data, level.capacity), count),
                      {level.hits, {}, {}});
    }
}

void shade_leaves(Stream& stream, const WhittedFrame& frame, const LeafPass& pass,
                  std::uint32_t capacity) {
    if (frame.gloss.any())
        return shade_glossy_leaves(ShadePass<true>{stream, frame, pass, capacity});
    const ShadePass<false> shade{stream, frame, pass, capacity};
    if (!shade_by_default_tracer(shade)) visit_any_tracer(frame.scene.tree, shade);
}

TL_DEVICE_END
