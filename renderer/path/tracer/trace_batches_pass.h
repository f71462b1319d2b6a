// The path tracer's single kernel on the CPU, for any tracer. Each task renders one tile of the
// picture.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/path/path_job.h"
#include "renderer/path/tracer/path_batch.h"
#include "renderer/shading/camera_rays8.h"

TL_DEVICE_BEGIN

/// Up to eight pixels, whose camera rays are generated together by SIMD.
class CameraPixels8 {
  public:
    static constexpr int kMost = 8;

    [[nodiscard]] int size() const { return n_; }
    void add(std::uint32_t x, std::uint32_t y, std::uint32_t pixel) {
        x_[n_] = x, y_[n_] = y, pixel_[n_] = pixel;
        ++n_;
    }
    /// Calls use(PathRay) with the camera ray of the frame's sample of each pixel. The rays equal
    /// those of camera_ray.
    template <class Use>
    TL_ALWAYS_INLINE void for_rays(const CameraRays& camera, const PathFrame& frame,
                                   Use&& use) const {
        if (n_ == 0) return;
        Ray8 rays = camera_rays(camera, frame.pattern, frame.seed, frame.sample, Int8::load(x_),
                                Int8::load(y_), Int8::load(pixel_));
        for (int i = 0; i < n_; ++i) use(camera_path_ray(frame, rays.lane(i), pixel_[i]));
    }

  private:
    alignas(32) std::uint32_t x_[kMost] = {}, y_[kMost] = {}, pixel_[kMost] = {};
    int n_ = 0;
};

struct PathPass {
    Stream& stream;
    const PathJob& job;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        PathTracerFrame given = job.frame;
        CameraRays camera = job.camera;
        FilmView film = job.film;
        PixelOrder order(film.extent, film.tiles, film.n_tiles);
        auto finish = [=](PathBatch<Tracer>& paths, std::uint32_t sample) {
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
                PathBatch<Tracer> paths(tracer, frame);
                for (std::uint32_t k = 0; k < kTile; k += CameraPixels8::kMost) {
                    CameraPixels8 pixels;
                    for (std::uint32_t i = 0; i < CameraPixels8::kMost; ++i) {
                        std::uint32_t x, y;
                        if (!order.pixel(tile * kTile + k + i, x, y)) continue;
                        std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                        film.ray_count[pixel] = 0;
                        if (!film.is_done(pixel)) pixels.add(x, y, pixel);
                    }
                    if (paths.size() + pixels.size() > PathBatch<Tracer>::kMost)
                        finish(paths, frame.sample);
                    pixels.for_rays(camera, frame, [&](const PathRay& ray) { paths.add(ray); });
                }
                finish(paths, frame.sample);
            },
            1);
    }
};

TL_DEVICE_END
