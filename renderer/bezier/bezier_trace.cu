#include "renderer/bezier/bezier_trace.h"

#include "accel/bvh/traversal/trace_queue.h"
#include "accel/bvh/traversal/tracer.h"
#include "accel/parallel/atomics.h"
#include "accel/patch/counting_tests.h"
#include "accel/patch/flat_tests.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

struct RaySource {
    View<const Ray> rays;
    TL_D Ray operator()(std::uint32_t i) const { return rays[i]; }
};

struct HitSink {
    View<Hit> hits;
    TL_D void operator()(std::uint32_t i, const Hit& hit) const { hits[i] = hit; }
};

struct TracePass {
    Scratch& scratch;
    View<const Ray> rays;
    View<Hit> hits;
    bool any;
    /// Numbers of the rays that are traced, and how many of these there are; empty for all rays.
    View<const std::uint32_t> waiting, n_waiting;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (any)
            launch<true>(tracer);
        else
            launch<false>(tracer);
    }

    template <bool kAnyHit, class Tracer>
    void launch(Tracer tracer) const {
        auto n = static_cast<std::uint32_t>(rays.size);
        if constexpr (Tracer::kPatches) {
            View<const Ray> in = rays;
            View<Hit> out = hits;
            View<const std::uint32_t> list = waiting, count = n_waiting;
            if (list.empty()) {
                parallel_for(
                    scratch.stream(), "trace patches", n,
                    TL_LAMBDA(std::uint32_t i) { out[i] = trace_one<kAnyHit>(tracer, in[i]); },
                    kGrain);
                return;
            }
            // These rays' ways part at once: each has a warp of its own, unless there are too many.
            // Most often a thread takes one ray at most, and blocks that have none end at once.
            constexpr std::uint32_t kThreads = 1u << 20, kFew = 8192;
            constexpr int kBlocks = 2;
            parallel_for<kBlocks>(
                scratch.stream(), "trace waiting rays", kThreads, TL_LAMBDA(std::uint32_t i) {
                    std::uint32_t spread = count[0] < kFew ? 32 : 8;
                    if (i % spread != 0) return;
                    for (std::uint32_t k = i / spread; k < count[0]; k += kThreads / spread)
                        out[list[k]] = trace_one<kAnyHit>(tracer, in[list[k]]);
                });
        } else {
            trace_queue<kAnyHit>(scratch, "trace rays", tracer, n, RaySource{rays}, HitSink{hits});
        }
    }
};

struct CountPass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;
    View<SearchCounts> work;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        View<const Ray> in = rays;
        View<Hit> out = hits;
        View<SearchCounts> took = work;
        parallel_for(
            stream, "trace and count", static_cast<std::uint32_t>(in.size),
            TL_LAMBDA(std::uint32_t i) {
                Tracer own = tracer;
                SearchCounts counts;
                own.tests.counts = &counts;
                out[i] = trace_one<false>(own, in[i]);
                took[i] = counts;
            },
            kGrain);
    }
};

#if defined(__CUDACC__)

constexpr int kFlatBlocks = 5;

/// The first of two passes: rays that flat pieces decide. The others' numbers go to `waiting`.
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

#endif

}  // namespace

void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays, View<Hit> hits,
                     bool any) {
    Scratch::Scope scope(scratch);
    TracePass pass{scratch, rays, hits, any, {}, {}};
#if defined(__CUDACC__)
    // Kernels that can do all need so many registers that few threads run at once.
    if (tree.patches.frames) {
        auto waiting = scratch.take<std::uint32_t>(rays.size);
        auto n_waiting = scratch.take<std::uint32_t>(1);
        auto stream = static_cast<cudaStream_t>(scratch.stream().native());
        TL_CUDA_CHECK(cudaMemsetAsync(n_waiting.data, 0, sizeof(std::uint32_t), stream));
        visit_tracer_of_layout<true>(
            tree, FlatPatchTests{tree.patches},
            FlatPass{scratch.stream(), rays, hits, waiting, n_waiting, any});
        pass.waiting = waiting;
        pass.n_waiting = n_waiting;
    }
#endif
    visit_tracer(tree, pass);
}

void trace_by_method(Scratch& scratch, const TreeView& tree, PieceMethod method,
                     View<const Ray> rays, View<Hit> hits, bool any) {
    visit_tracer_of_layout<true>(tree, MethodTests{tree.patches, method},
                                 TracePass{scratch, rays, hits, any, {}, {}});
}

void trace_counted(Scratch& scratch, const TreeView& tree, PieceMethod method, View<const Ray> rays,
                   View<Hit> hits, View<SearchCounts> work) {
    visit_tracer_of_layout<true>(tree, CountingTests{tree.patches, method},
                                 CountPass{scratch.stream(), rays, hits, work});
}

TL_DEVICE_END
