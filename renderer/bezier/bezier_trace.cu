// Ray tracing with patches. On CUDA there are two passes, since flat pieces decide most rays, and
// kernels that handle every piece have low occupancy because of their register count.
#include "renderer/bezier/bezier_trace.h"

#include "accel/bvh/traversal/trace_rays.h"
#if defined(__CUDACC__)
#include "accel/bvh/traversal/tracer.h"
#include "accel/patch/flat_tests.h"
#include "core/device/array.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

namespace {

constexpr int kFlatBlocks = 5;

/// Rays, their hits, and the indices of the rays left for the second pass.
struct RayLists {
    View<const Ray> rays;
    View<Hit> hits;
    View<std::uint32_t> waiting, n_waiting;
};

/// First pass: traces rays that flat pieces decide and lists the others.
template <bool kAnyHit>
struct FlatPass {
    Stream& stream;
    RayLists lists;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        RayLists at = lists;
        parallel_for<kFlatBlocks>(
            stream, "trace flat pieces", static_cast<std::uint32_t>(at.rays.size),
            TL_LAMBDA(std::uint32_t i) {
                Tracer own = tracer;
                bool undecided = false;
                own.tests.undecided = &undecided;
                Hit hit = trace_one<kAnyHit>(own, at.rays[i]);
                if (undecided && !(kAnyHit && hit.found()))
                    at.waiting[atomic_add(&at.n_waiting[0], 1u)] = i;
                else
                    at.hits[i] = hit;
            });
    }
};

/// Second pass: traces the listed rays. They diverge at once, so each gets a warp of its own,
/// unless there are too many. Usually a thread takes at most one ray, and blocks without rays end
/// at once.
template <bool kAnyHit>
struct WaitingPass {
    Stream& stream;
    RayLists lists;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        constexpr std::uint32_t kThreads = 1u << 20, kFew = 8192;
        constexpr int kBlocks = 2;
        RayLists at = lists;
        parallel_for<kBlocks>(
            stream, "trace waiting rays", kThreads, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t spread = at.n_waiting[0] < kFew ? 32 : 8;
                if (i % spread != 0) return;
                for (std::uint32_t k = i / spread; k < at.n_waiting[0]; k += kThreads / spread)
                    at.hits[at.waiting[k]] = trace_one<kAnyHit>(tracer, at.rays[at.waiting[k]]);
            });
    }
};

template <bool kAnyHit>
void trace_in_two_passes(Scratch& scratch, const TreeView& tree, View<const Ray> rays,
                         View<Hit> hits) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    RayLists lists{rays, hits, scratch.take<std::uint32_t>(rays.size),
                   scratch.take<std::uint32_t>(1)};
    stream.device().fill_zero(stream, lists.n_waiting.data, sizeof(std::uint32_t));
    visit_tracer_of_layout<true>(tree, FlatPatchTests{tree.patches},
                                 FlatPass<kAnyHit>{stream, lists});
    visit_tracer_with<true>(tree, WaitingPass<kAnyHit>{stream, lists});
}

}  // namespace

#endif

void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays, View<Hit> hits,
                     bool any) {
#if defined(__CUDACC__)
    if (tree.patches.frames)
        return any ? trace_in_two_passes<true>(scratch, tree, rays, hits)
                   : trace_in_two_passes<false>(scratch, tree, rays, hits);
#endif
    const HitRecords out{hits, {}, {}};
    if (any)
        trace_any(scratch, "trace rays", tree, rays, out);
    else
        trace_closest(scratch, "trace rays", tree, rays, out);
}

TL_DEVICE_END
