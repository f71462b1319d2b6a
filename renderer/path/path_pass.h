// The path tracer's single kernel on the CPU, for any tracer. A task is a tile of the picture.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"
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
        auto trace = [=](const PathTracerFrame& frame, std::uint32_t item) {
            std::uint32_t x, y;
            if (!order.pixel(item, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            film.ray_count[pixel] = 0;
            if (film.is_done(pixel)) return;
            std::uint32_t n_rays = 0;
            PathRay first = camera_ray(camera, frame, x, y, pixel);
            film.add(pixel, frame.sample, follow_path(tracer, frame, first, n_rays));
            film.ray_count[pixel] = n_rays;
        };
        constexpr std::uint32_t kTile = PixelOrder::kTileItems;
        parallel_for(
            stream, "paths", order.n_items / kTile,
            [=](std::uint32_t tile) {
                PathTracerFrame frame = given;
                frame.scene = seen_by<Tracer>(frame.scene);
                for (std::uint32_t k = 0; k < kTile; ++k) trace(frame, tile * kTile + k);
            },
            1);
    }
};

TL_DEVICE_END
