#include "renderer/probe/solid_hits.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/shading/cutouts.h"

TL_DEVICE_BEGIN

namespace {

struct SolidHitPass {
    Stream& stream;
    SceneView scene;
    View<const Ray> rays;
    View<ProbeHit> hits;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        SceneView scene = seen_by<Tracer>(this->scene);
        View<const Ray> rays = this->rays;
        View<ProbeHit> hits = this->hits;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "find solid hits", static_cast<std::uint32_t>(rays.size),
            TL_LAMBDA(std::uint32_t i) {
                Ray ray = rays[i];
                Hit hit = closest_solid(tracer, scene, ray);
                hits[i] = {hit.t, hit.primitive};
            });
    }
};

}  // namespace

void find_solid_hits(Stream& stream, const SceneView& scene, View<const Ray> rays,
                     View<ProbeHit> hits) {
    if (rays.size > 0) visit_any_tracer(scene.tree, SolidHitPass{stream, scene, rays, hits});
}

TL_DEVICE_END
