// Follows rays as the single kernel does.
#include "renderer/whitted/record_rays.h"

#include "renderer/record_rays.h"
#include "renderer/whitted/follow_rays.h"

TL_DEVICE_BEGIN

namespace {

struct FollowWhitted {
    template <class Tracer>
    static constexpr int kBlocks = kBlocksFor<Tracer>;
    WhittedFrame frame;
    CameraRays camera;

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t x, std::uint32_t y,
                         std::uint32_t pixel) const {
        WhittedFrame seen = frame;
        seen.scene = seen_by<Tracer>(frame.scene);
        std::uint32_t n_rays = 0;
        follow_depth_first(tracer, seen, camera_ray(camera, seen, x, y, pixel), vec3(1), n_rays);
    }
};

}  // namespace

RecordedRays record_rays(Scratch& scratch, const WhittedJob& job, std::uint64_t most_bytes) {
    return record_rays(scratch, job.frame.scene, job.order, job.film,
                       FollowWhitted{job.frame, job.camera}, most_bytes);
}

TL_DEVICE_END
