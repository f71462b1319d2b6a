#include "accel/query/listed_hits.h"
#include "accel/query/trace_shapes.h"

TL_DEVICE_BEGIN

void find_closest_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                       const HitsOut& out) {
    if (rays.masks) return find_closest_masked(scratch.stream(), tree.shapes, rays, out);
    trace_shapes<false>(scratch, "closest hits", tree, rays, HitWriter{tree, rays, out});
}

TL_DEVICE_END
