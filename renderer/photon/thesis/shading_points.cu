#include "renderer/photon/thesis/shading_points.h"

#include "core/device/parallel_for.h"
#include "renderer/photon/thesis/narrow_rays.h"

TL_DEVICE_BEGIN

ShadingGrid::ShadingGrid(Extent extent) : extent(extent), stride(1), log_side(0) {
    auto longer = static_cast<std::uint32_t>(std::max(extent.width, extent.height));
    stride = (longer + kMostSide - 1) / kMostSide;
    while ((longer + stride - 1) / stride > 1u << log_side) ++log_side;
}

namespace {

struct MeetShadingPoint {
    PathTracerFrame frame;
    ShadingGrid grid;
    View<ShadingPoint> points;

    /// Step of a camera path at a hit; returns whether it continues, with `next`.
    TL_D bool operator()(const PathRay& ray, const Hit& hit, const PathHit& h,
                         PathRay& next) const {
        SurfaceInteraction at;
        PathNumbers numbers(frame.pattern, frame.seed, ray.pixel, frame.sample, ray.path_id);
        NarrowStep step = narrow_step(frame, ray, hit, h, numbers, at, next);
        if (step != NarrowStep::arrived) return step == NarrowStep::continues;
        ShadingPoint point;
        point.position = h.surface.position;
        point.normal = pack_direction<16>(at.lit.normal);
        point.origin = at.lit.origin;
        point.horizon_normal = pack_direction<16>(at.lit.horizon_normal);
        point.on_patch = at.lit.on_patch;
        point.media = ray.media().bits;
        point.exists = 1;
        store_vectorized(points[grid.slot_of(ray.pixel)], point);
        return false;
    }
};

}  // namespace

void find_shading_points(Scratch& scratch, const PathJob& job, const ShadingGrid& grid,
                         View<ShadingPoint> points) {
    auto& stream = scratch.stream();
    stream.device().fill_zero(stream, points.data, points.size * sizeof(ShadingPoint));
    Scratch::Scope scope(scratch);
    SharpWaves waves(scratch, job.frame.scene, grid.n_slots());
    PathFrame frame = job.frame;
    CameraRays camera = job.camera;
    FilmView film = job.film;
    ShadingGrid given = grid;
    SharpQueue queue = waves.first();
    parallel_for(
        stream, "rays to shading points", grid.n_slots(), TL_LAMBDA(std::uint32_t slot) {
            std::uint32_t x, y;
            if (!given.pixel(slot, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            queue.append(camera_ray(camera, frame, x, y, pixel));
        });
    waves.run("shading points", job.frame.limits.max_depth,
              MeetShadingPoint{job.frame, grid, points});
}

TL_DEVICE_END
