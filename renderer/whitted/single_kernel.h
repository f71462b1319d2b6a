// The pipeline of one kernel: a thread follows all rays of a pixel. The weights of rays are carried
// forward, so that shading at the way back is needless.
#pragma once

#include "renderer/whitted/costly_tiles.h"
#include "renderer/whitted/follow_rays.h"
#include "renderer/whitted/wavefront_render.h"

TL_DEVICE_BEGIN

/// 64 registers, where the compiler would take 88: rays wait for memory most of the time, and the
/// more of them are there, the less the others do. Patches need more than registers can hold.
template <class Tracer>
inline constexpr int kResidentBlocks = Tracer::kPatches ? 0 : 8;

/// One sample for every pixel, as a kernel for each kind of tracer. Where a scene has no textures
/// the compiler leaves out all that is for them, which else costs every ray registers.
template <bool kTextured>
struct SingleKernelPass {
    Stream& stream;
    const WavefrontJob& job;
    View<const std::uint32_t> tiles;  ///< in the order in which they start; empty: as they lie

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        WhittedFrame given = job.frame;
        FilmView film = job.film;
        CameraRays camera = job.camera;
        PixelOrder order = job.order;
        View<const std::uint32_t> tiles = this->tiles;
        parallel_for<kResidentBlocks<Tracer>>(
            stream, "whitted",
            tiles.empty() ? order.n_items : static_cast<std::uint32_t>(tiles.size) * kTileItems,
            TL_LAMBDA(std::uint32_t item) {
                if (!tiles.empty()) {
                    item = tiles[item / kTileItems] * kTileItems + item % kTileItems;
                    if (item >= order.n_items) return;
                }
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                WhittedFrame frame = given;
                frame.scene = seen_by<Tracer>(frame.scene);
                if (!kTextured) {
                    frame.scene.textures = nullptr;
                    frame.scene.has_cutouts = false;
                }
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                film.ray_count[pixel] = 0;
                if (film.is_done(pixel)) return;
                std::uint32_t n_rays = 0;
                vec3 radiance = follow_depth_first(
                    tracer, frame, whitted_camera_ray(camera, frame, x, y, pixel), vec3(1), n_rays);
                film.add(pixel, frame.sample, radiance);
                film.ray_count[pixel] = n_rays;
            },
            kTileItems);
    }
};

void render_single_kernel_plain(Stream& stream, const WavefrontJob& job,
                                View<const std::uint32_t> tiles);
void render_single_kernel_textured(Stream& stream, const WavefrontJob& job,
                                   View<const std::uint32_t> tiles);

TL_DEVICE_END
