#include "accel/bvh/traversal/trace_rays_pass.h"

TL_DEVICE_BEGIN

void trace_any(Scratch& scratch, const char* name, const TreeView& tree, const RayRecords& rays,
               const HitRecords& hits, RayLaunch launch) {
    trace_rays<true>(scratch, name, tree, rays, hits, launch);
}

TL_DEVICE_END
