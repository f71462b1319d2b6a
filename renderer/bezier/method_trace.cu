#include "accel/bvh/traversal/tracer.h"
#include "accel/patch/counting_tests.h"
#include "core/device/parallel_for.h"
#include "renderer/bezier/bezier_trace.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

template <bool kAnyHit>
struct TracePass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        View<const Ray> in = rays;
        View<Hit> out = hits;
        parallel_for(
            stream, "trace patches", static_cast<std::uint32_t>(in.size),
            TL_LAMBDA(std::uint32_t i) { out[i] = trace_one<kAnyHit>(tracer, in[i]); }, kGrain);
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

}  // namespace

void trace_by_method(Scratch& scratch, const TreeView& tree, PieceMethod method,
                     View<const Ray> rays, View<Hit> hits, bool any) {
    MethodTests tests{tree.patches, method};
    if (any)
        visit_tracer_of_layout<true>(tree, tests, TracePass<true>{scratch.stream(), rays, hits});
    else
        visit_tracer_of_layout<true>(tree, tests, TracePass<false>{scratch.stream(), rays, hits});
}

void trace_counted(Scratch& scratch, const TreeView& tree, PieceMethod method, View<const Ray> rays,
                   View<Hit> hits, View<SearchCounts> work) {
    visit_tracer_of_layout<true>(tree, CountingTests{tree.patches, method},
                                 CountPass{scratch.stream(), rays, hits, work});
}

TL_DEVICE_END
