#include "renderer/path/path_trace.h"
#include "renderer/record_rays.h"

TL_DEVICE_BEGIN

namespace {

struct FollowPath {
    template <class Tracer>
    static constexpr int kBlocks = 0;  // fewer registers than the compiler asks for would spill
    PathTracerFrame frame;
    CameraRays camera;

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t x, std::uint32_t y,
                         std::uint32_t pixel) const {
        PathTracerFrame seen = frame;
        seen.scene = seen_by<Tracer>(frame.scene);
        std::uint32_t n_rays = 0;
        (void)follow_path(tracer, seen, camera_ray(camera, seen, x, y, pixel), n_rays);
    }
};

}  // namespace

RecordedRays record_paths(Scratch& scratch, const PathJob& job, std::uint64_t most_bytes) {
    return record_rays(scratch, job.frame.scene, PixelOrder(job.film.extent), job.film,
                       FollowPath{job.frame, job.camera}, most_bytes);
}

TL_DEVICE_END
