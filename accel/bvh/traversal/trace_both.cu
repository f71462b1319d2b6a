#include "accel/bvh/traversal/trace_both.h"

#include "accel/bvh/traversal/trace_rays_pass.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

namespace {

struct TraceBothPass {
    Scratch& scratch;
    const char* name;
    const TreeView& tree;
    const RayRecords& closest;
    const HitRecords& closest_hits;
    const RayRecords& any;
    const HitRecords& any_hits;
    RayLaunch launch;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        auto first = rays_to_trace(tree, closest, closest_hits);
        auto second = rays_to_trace(tree, any, any_hits);
        if (launch == RayLaunch::queue)
            trace_both_queues(scratch, name, tracer, first, second);
        else
            trace_both_each(scratch.stream(), name, tracer, first, second);
    }
    /// Takes two launches: skip trees have no queue that rays of both kinds could share.
    template <bool kRobust, class Tests>
    void operator()(SkipTracer<kRobust, Tests>) const {
        trace_closest(scratch, name, tree, closest, closest_hits, launch);
        trace_any(scratch, name, tree, any, any_hits, launch);
    }
};

}  // namespace

void trace_closest_and_any(Scratch& scratch, const char* name, const TreeView& tree,
                           const RayRecords& closest, const HitRecords& closest_hits,
                           const RayRecords& any, const HitRecords& any_hits, RayLaunch launch) {
    visit_tracer(tree,
                 TraceBothPass{scratch, name, tree, closest, closest_hits, any, any_hits, launch});
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
