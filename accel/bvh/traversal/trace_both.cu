#include "accel/bvh/traversal/trace_both.h"

#include "accel/bvh/traversal/trace_rays_pass.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

namespace {

struct TraceBothPass {
    Scratch& scratch;
    const char* name;
    RaysToTrace<RaySource, HitSink> closest, any;
    RayLaunch launch;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (launch == RayLaunch::queue)
            trace_both_queues(scratch, name, tracer, closest, any);
        else
            trace_both_each(scratch.stream(), name, tracer, closest, any);
    }
};

}  // namespace

void trace_closest_and_any(Scratch& scratch, const char* name, const TreeView& tree,
                           const RayRecords& closest, const HitRecords& closest_hits,
                           const RayRecords& any, const HitRecords& any_hits, RayLaunch launch) {
    visit_tracer(tree, TraceBothPass{scratch, name, rays_to_trace(tree, closest, closest_hits),
                                     rays_to_trace(tree, any, any_hits), launch});
}

#else

void trace_closest_and_any(Scratch& scratch, const char* name, const TreeView& tree,
                           const RayRecords& closest, const HitRecords& closest_hits,
                           const RayRecords& any, const HitRecords& any_hits, RayLaunch launch) {
    trace_closest(scratch, name, tree, closest, closest_hits, launch);
    trace_any(scratch, name, tree, any, any_hits, launch);
}

#endif

TL_DEVICE_END
