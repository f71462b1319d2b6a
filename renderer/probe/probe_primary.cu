// Threads make the primary rays that they trace, as in the renderers' kernels, with the tracer of
// the tree's layout.
#include "accel/bvh/traversal/tracer.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/probe/made_rays.h"

TL_DEVICE_BEGIN

namespace {

/// Traces the primary rays.
struct PrimaryPass {
    Stream& stream;
    MadeRays rays;
    View<ProbeHit> hits;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        MadeRays rays = this->rays;
        View<ProbeHit> hits = this->hits;
        parallel_for(
            stream, "primary rays", rays.count(),
            TL_LAMBDA(std::uint32_t i) {
                Ray ray;
                if (!rays.get(i, ray)) return;
                Hit hit = tracer.closest(ray);
                hits[i] = {hit.t, hit.primitive};
            },
            PixelOrder::kTileItems);
    }
};

}  // namespace

void probe_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& rays,
                   View<ProbeHit> hits) {
    visit_tracer(tree, PrimaryPass{stream, MadeRays(rays), hits});
}

TL_DEVICE_END
