#define TL_DEVICE_CPU 1
#include "renderer/path/path_trace.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

struct PathPass {
    Stream& stream;
    const PathJob& job;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        PathTracerFrame given = job.frame;
        CameraRays camera = job.camera;
        FilmView film = job.film;
        PixelOrder order(film.extent);
        parallel_for(
            stream, "paths", order.n_items,
            [=](std::uint32_t item) {
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                PathTracerFrame frame = given;
                frame.scene = seen_by<Tracer>(frame.scene);
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                film.ray_count[pixel] = 0;
                if (film.is_done(pixel)) return;
                std::uint32_t n_rays = 0;
                PathRay first = camera_ray(camera, frame, x, y, pixel);
                film.add(pixel, frame.sample, follow_path(tracer, frame, first, n_rays));
                film.ray_count[pixel] = n_rays;
            },
            PixelOrder::kTileItems);
    }
};

}  // namespace

void trace_paths(Stream& stream, const PathJob& job) {
    visit_any_tracer(job.frame.scene.tree, PathPass{stream, job});
}

TL_DEVICE_END
