#include "renderer/photon/trace/photon_culling.h"

#include "core/device/parallel_for.h"
#include "renderer/path/path_wavefront.h"
#include "renderer/path/surface_interaction.h"

TL_DEVICE_BEGIN

namespace {

/// Marks the slots that one gather point searches.
struct MarkSlots {
    NearPhotons near;
    View<const float> radii;
    std::uint32_t n_path_slots;
    View<std::uint32_t> marks;

    TL_D void operator()(std::uint32_t lane, vec3 position, vec3 side) const {
        float radius = radii.empty() ? 0.0f : radii[lane / n_path_slots];
        near.for_each_slot(radius, position, side,
                           [&](std::uint32_t slot) { PhotonCulling::add(marks, slot); });
    }
};

/// Marks the slots of all gather points of the camera paths.
class MarkGatherPoints final : public PathGather {
  public:
    MarkGatherPoints(const SceneView& scene, const MarkSlots& mark) : scene_(scene), mark_(mark) {}

    void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
             View<vec4> /*sums*/) const override {
        auto most = static_cast<std::uint32_t>(queue.rays.size);
        GatherQueue given = queue;
        SceneView scene = scene_;
        MarkSlots mark = mark_;
        for_each_entry(
            stream, "cells of gather points", &counts->n_lambertian, most,
            TL_LAMBDA(std::uint32_t i) {
                LambertianPoint point = load_vectorized(given.lambertian[i]);
                mark(point.pixel, point.position, point.normal());
            });
        for_each_entry(
            stream, "cells of gather points", &counts->n_others, most, TL_LAMBDA(std::uint32_t i) {
                PathRay ray = load_vectorized(given.rays[i]);
                PathHit h = path_hit(scene, ray, given.hits[i]);
                mark(ray.pixel, h.surface.position, h.geometric_normal);
            });
    }

  private:
    SceneView scene_;
    MarkSlots mark_;
};

}  // namespace

std::optional<PictureGatherPoints> PictureGatherPoints::of(const FrameContext& context, bool cull,
                                                           const PathJob& job,
                                                           View<const float> radii) {
    if (!cull || context.frame.sample == 0) return std::nullopt;
    // Versions only grow, so their sum changes with any of them.
    const Versions& v = context.versions;
    return PictureGatherPoints{job, radii, v.scene + v.lights + v.settings + v.view};
}

void PhotonCulling::mark(Scratch& scratch, const PictureGatherPoints& places,
                         const NearPhotons& near) {
    auto& stream = scratch.stream();
    version_ = places.version;
    n_kept_.resize_discard(stream, 1);
    marks_.resize_discard(stream, (near.indirect.slot_mask + near.caustic.slot_mask + 2) / 32);
    marks_.fill_zero(stream);
    auto n_path_slots = static_cast<std::uint32_t>(places.job.frame.splitting.n_path_slots);
    const MarkSlots mark{near, places.radii, n_path_slots, marks_.view()};
    find_gather_points(scratch, places.job, MarkGatherPoints(places.job.frame.scene, mark));
}

TL_DEVICE_END
