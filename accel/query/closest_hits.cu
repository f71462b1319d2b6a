#include "accel/query/listed_hits.h"
#include "accel/query/patch_hits.h"
#include "accel/query/trace_shapes.h"

TL_DEVICE_BEGIN

void find_closest_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                       const HitsOut& out) {
    if (tree.shapes.kind == ShapeKind::patches)
        return find_closest_on_patches(scratch, tree.shapes, rays, out);
    if (rays.masks) return find_closest_masked(scratch.stream(), tree.shapes, rays, out);
    trace_shapes<false>(scratch, "closest hits", tree, rays,
                        HitWriter<ShapeNormals>{{tree}, rays, out});
}

TL_DEVICE_END
