// The path tracer's single kernel on the CPU, for any tracer. A task is a tile of the picture.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/path/paths_together.h"
#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

struct PathPass {
    Stream& stream;
    const PathJob& job;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        PathTracerFrame given = job.frame;
        CameraRays camera = job.camera;
        FilmView film = job.film;
        PixelOrder order(film.extent);
        auto finish = [=](PathsTogether<Tracer>& paths, std::uint32_t sample) {
            paths.follow();
            for (int i = 0; i < paths.size(); ++i) {
                film.add(paths.pixel(i), sample, paths.radiance(i));
                film.ray_count[paths.pixel(i)] = paths.n_rays(i);
            }
            paths.clear();
        };
        constexpr std::uint32_t kTile = PixelOrder::kTileItems;
        parallel_for(
            stream, "paths", order.n_items / kTile,
            [=](std::uint32_t tile) {
                PathTracerFrame frame = given;
                frame.scene = seen_by<Tracer>(frame.scene);
                PathsTogether<Tracer> paths(tracer, frame);
                for (std::uint32_t k = 0; k < kTile; ++k) {
                    std::uint32_t x, y;
                    if (!order.pixel(tile * kTile + k, x, y)) continue;
                    std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                    film.ray_count[pixel] = 0;
                    if (film.is_done(pixel)) continue;
                    paths.add(camera_ray(camera, frame, x, y, pixel));
                    if (paths.size() == PathsTogether<Tracer>::kMost) finish(paths, frame.sample);
                }
                finish(paths, frame.sample);
            },
            1);
    }
};

TL_DEVICE_END
