// Traces rays as the single kernel does.
#include "renderer/whitted/record_rays.h"

#include "renderer/record_rays.h"
#include "renderer/whitted/follow_rays.h"

TL_DEVICE_BEGIN

namespace {

struct FollowWhitted {
    template <class Tracer>
    static constexpr int kBlocks = 0;  // functions of glossy surfaces need many registers
    WhittedFrame frame;
    CameraRays camera;
    PixelOrder order;
    FilmView film;

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t item) const {
        std::uint32_t x, y;
        if (!order.pixel(item, x, y)) return;
        std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
        if (film.is_done(pixel)) return;
        WhittedFrame seen = frame;
        seen.scene = seen_by<Tracer>(frame.scene);
        std::uint32_t n_rays = 0;
        follow_depth_first<true>(tracer, seen, camera_ray(camera, seen, x, y, pixel), vec3(1),
                                 n_rays);
    }
};

}  // namespace

RecordedRays record_rays(Scratch& scratch, const WhittedJob& job, std::uint64_t most_bytes) {
    const FollowWhitted follow{job.frame, job.camera, job.order, job.film};
    RayRecording recording(scratch);
    recording.add(job.frame.scene, job.order.n_items, follow);
    recording.start_writing(most_bytes);
    recording.add(job.frame.scene, job.order.n_items, follow);
    return recording.take();
}

TL_DEVICE_END
