#include "accel/query/listed_hits.h"
#include "accel/query/patch_hits.h"
#include "accel/query/trace_shapes.h"

TL_DEVICE_BEGIN

void find_occluded(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                   std::uint8_t* occluded) {
    if (tree.shapes.kind == ShapeKind::patches)
        return find_occluded_by_patches(scratch, tree.shapes, rays, occluded);
    if (rays.masks) return find_occluded_masked(scratch.stream(), tree.shapes, rays, occluded);
    trace_shapes<true>(scratch, "occluded rays", tree, rays, OccludedWriter{occluded});
}

TL_DEVICE_END
