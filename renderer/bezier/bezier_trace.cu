// On CUDA, rays are traced in two passes: kernels that handle every piece need so many registers
// that occupancy is low, and flat pieces decide most rays.
#include "renderer/bezier/bezier_trace.h"

#include "accel/bvh/traversal/trace_rays.h"
#if defined(__CUDACC__)
#include "accel/bvh/traversal/tracer.h"
#include "accel/parallel/array.h"
#include "accel/parallel/atomics.h"
#include "accel/parallel/parallel_for.h"
#include "accel/patch/flat_tests.h"
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

namespace {

constexpr int kFlatBlocks = 5;

/// The first pass: traces rays that flat pieces decide; lists the indices of others in `waiting`.
struct FlatPass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;
    View<std::uint32_t> waiting, n_waiting;
    bool any;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (any)
            launch<true>(tracer);
        else
            launch<false>(tracer);
    }

    template <bool kAnyHit, class Tracer>
    void launch(Tracer tracer) const {
        View<const Ray> in = rays;
        View<Hit> out = hits;
        View<std::uint32_t> list = waiting, count = n_waiting;
        parallel_for<kFlatBlocks>(
            stream, "trace flat pieces", static_cast<std::uint32_t>(rays.size),
            TL_LAMBDA(std::uint32_t i) {
                Tracer own = tracer;
                bool undecided = false;
                own.tests.undecided = &undecided;
                Hit hit = trace_one<kAnyHit>(own, in[i]);
                if (undecided && !(kAnyHit && hit.found()))
                    list[atomic_add(&count[0], 1u)] = i;
                else
                    out[i] = hit;
            });
    }
};

/// The second pass: traces the waiting rays. They diverge at once, so each gets a warp of its own,
/// unless there are too many. Usually a thread takes at most one ray, and blocks without rays end
/// at once.
struct WaitingPass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;
    View<const std::uint32_t> waiting, n_waiting;
    bool any;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (any)
            launch<true>(tracer);
        else
            launch<false>(tracer);
    }

    template <bool kAnyHit, class Tracer>
    void launch(Tracer tracer) const {
        constexpr std::uint32_t kThreads = 1u << 20, kFew = 8192;
        constexpr int kBlocks = 2;
        View<const Ray> in = rays;
        View<Hit> out = hits;
        View<const std::uint32_t> list = waiting, count = n_waiting;
        parallel_for<kBlocks>(
            stream, "trace waiting rays", kThreads, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t spread = count[0] < kFew ? 32 : 8;
                if (i % spread != 0) return;
                for (std::uint32_t k = i / spread; k < count[0]; k += kThreads / spread)
                    out[list[k]] = trace_one<kAnyHit>(tracer, in[list[k]]);
            });
    }
};

void trace_in_two_passes(Scratch& scratch, const TreeView& tree, View<const Ray> rays,
                         View<Hit> hits, bool any) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto waiting = scratch.take<std::uint32_t>(rays.size);
    auto n_waiting = scratch.take<std::uint32_t>(1);
    stream.device().fill_zero(stream, n_waiting.data, sizeof(std::uint32_t));
    visit_tracer_of_layout<true>(tree, FlatPatchTests{tree.patches},
                                 FlatPass{stream, rays, hits, waiting, n_waiting, any});
    visit_tracer_with<true>(tree, WaitingPass{stream, rays, hits, waiting, n_waiting, any});
}

}  // namespace

#endif

void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays, View<Hit> hits,
                     bool any) {
#if defined(__CUDACC__)
    if (tree.patches.frames) return trace_in_two_passes(scratch, tree, rays, hits, any);
#endif
    const HitRecords out{hits, {}, {}};
    if (any)
        trace_any(scratch, "trace rays", tree, rays, out);
    else
        trace_closest(scratch, "trace rays", tree, rays, out);
}

TL_DEVICE_END
