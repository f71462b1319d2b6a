#include "renderer/bezier/bezier_trace.h"

#include "accel/trace_queue.h"
#include "accel/tracer.h"

TL_DEVICE_BEGIN

namespace {

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

    template <class Tracer>
    void operator()(Tracer tracer) const {
        auto n = static_cast<std::uint32_t>(rays.size);
        if (any)
            trace_queue<true>(scratch, "trace shadow rays", tracer, n, RaySource{rays},
                              HitSink{hits});
        else
            trace_queue<false>(scratch, "trace rays", tracer, n, RaySource{rays}, HitSink{hits});
    }
};

}  // namespace

void trace_certified(Scratch& scratch, const TreeView& tree, View<const Ray> rays, View<Hit> hits,
                     bool any) {
    visit_tracer(tree, TracePass{scratch, rays, hits, any});
}

void trace_by_method(Scratch& scratch, const TreeView& tree, PieceMethod method,
                     View<const Ray> rays, View<Hit> hits, bool any) {
    visit_tracer_of_layout<true>(tree, MethodTests{tree.patches, method},
                                 TracePass{scratch, rays, hits, any});
}

TL_DEVICE_END
