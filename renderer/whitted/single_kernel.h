// The pipeline of one kernel: a thread traces all rays of a pixel. Rays carry their throughput
// forward, so that nothing is shaded on return.
#pragma once

#include <type_traits>

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/whitted/costly_tiles.h"
#include "renderer/whitted/follow_rays.h"
#include "renderer/whitted/whitted_job.h"

TL_DEVICE_BEGIN

/// Measures the clock cycles of its own lifetime, on CUDA.
class GroupClock {
  public:
    /// Raises the recorded time of the calling thread's group to the cycles so far.
    TL_D void record([[maybe_unused]] View<std::uint32_t> times,
                     [[maybe_unused]] std::uint32_t item) const {
#if defined(__CUDA_ARCH__)
        auto first = static_cast<unsigned>(__ffs(static_cast<int>(__activemask()))) - 1;
        if (threadIdx.x % kGroupItems == first)
            atomicMax(&times[item / kGroupItems], now() - start_);
#endif
    }

  private:
    [[nodiscard]] TL_D static std::uint32_t now() {
#if defined(__CUDA_ARCH__)
        return static_cast<std::uint32_t>(clock());
#else
        return 0;
#endif
    }
    std::uint32_t start_ = now();
};

/// Renders one sample for every pixel, with a kernel per tracer of the default layouts and one for
/// all others. Without kTextured the compiler drops all code for textures and vertices' colours,
/// which would otherwise cost every ray registers. Likewise without kGloss for glossy surfaces.
template <bool kTextured, bool kGloss = false>
struct SingleKernelPass {
    Stream& stream;
    const WhittedJob& job;
    TileLaunch launch;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        WhittedFrame given = job.frame;
        FilmView film = job.film;
        CameraRays camera = job.camera;
        PixelOrder order = job.order;
        TileLaunch launch = this->launch;
        run<Tracer>(TL_LAMBDA(std::uint32_t item) {
            GroupClock clock;
            if (!launch.tiles.empty()) {
                item = launch.tiles[item / kTileItems] * kTileItems + item % kTileItems;
                if (item >= order.n_items) return;
            }
            std::uint32_t x, y;
            if (!order.pixel(item, x, y)) return;
            WhittedFrame frame = given;
            frame.scene = seen_by<Tracer>(frame.scene);
            if (!kTextured) {
                frame.scene.textures = nullptr;
                frame.scene.leave_out_colors();
                frame.scene.has_cutouts = false;
            }
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            film.ray_count[pixel] = 0;
            if (film.is_done(pixel)) return;
            std::uint32_t n_rays = 0;
            vec3 radiance = follow_depth_first<kGloss>(
                tracer, frame, camera_ray(camera, frame, x, y, pixel), vec3(1), n_rays);
            film.add(pixel, frame.sample, radiance);
            film.ray_count[pixel] = n_rays;
            if (!launch.times.empty()) clock.record(launch.times, item);
        });
    }

  private:
    template <class Tracer, class Op>
    void run(Op op) const {
        std::uint32_t n = launch.tiles.empty()
                              ? job.order.n_items
                              : static_cast<std::uint32_t>(launch.tiles.size) * kTileItems;
        auto run = [&](auto blocks) {
            parallel_for<decltype(blocks)::value>(stream, "whitted", n, op, kTileItems);
        };
        // Resident blocks per multiprocessor. Unrestricted, kernels take 85 to 128 registers.
        // Limiting them raises occupancy and hides memory latency at the price of spills. This pays
        // except where all wait for one group. Patches need more than registers can hold anyway,
        // and glossy surfaces call functions that do.
        using std::integral_constant;
        if constexpr (Tracer::kPatches || kGloss)
            run(integral_constant<int, 0>());
        else if constexpr (kTextured)
            run(integral_constant<int, 5>());
        else if (launch.uneven)
            run(integral_constant<int, 6>());
        else
            run(integral_constant<int, 8>());
    }
};

/// Variants of the kernel. Each handles all trees, and is fastest for the kind in its name. The
/// first two are only for scenes without textures and vertex colours, the first four only for
/// frames without glossy surfaces.
void render_single_kernel_plain(Stream& stream, const WhittedJob& job, const TileLaunch& launch);
void render_single_kernel_compared(Stream& stream, const WhittedJob& job, const TileLaunch& launch);
void render_single_kernel_textured(Stream& stream, const WhittedJob& job, const TileLaunch& launch);
void render_single_kernel_any(Stream& stream, const WhittedJob& job, const TileLaunch& launch);
void render_single_kernel_glossy(Stream& stream, const WhittedJob& job, const TileLaunch& launch);

TL_DEVICE_END
