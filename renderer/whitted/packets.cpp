#define TL_DEVICE_CPU 1
#include "renderer/whitted/packets.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "renderer/whitted/packets/packet_path.h"

TL_DEVICE_BEGIN

namespace {

/// Pixels of eight launch items, from `first` on.
struct Pixels8 {
    Int8 x, y, number;
    Mask8 active;

    Pixels8(const WhittedJob& job, std::uint32_t first) {
        alignas(32) std::uint32_t xs[8] = {}, ys[8] = {}, is_active[8] = {};
        auto width = static_cast<std::uint32_t>(job.film.extent.width);
        for (std::uint32_t i = 0; i < 8 && first + i < job.order.n_items; ++i)
            is_active[i] = job.order.pixel(first + i, xs[i], ys[i]) &&
                           !job.film.is_done(ys[i] * width + xs[i]);
        x = Int8::load(xs);
        y = Int8::load(ys);
        number = y * Int8(width) + x;
        active = Int8::load(is_active) == Int8(1);
    }
};

}  // namespace

bool can_render_packets(const WhittedFrame& frame) {
    const SceneView& scene = frame.scene;
    return !frame.gloss.any() && scene.tree.layout == TreeLayout::simd8 && !scene.tree.robust &&
           !scene.tree.instances && scene.tree.patches.empty() && !scene.textures &&
           !scene.has_colors();
}

void render_packets(Stream& stream, const WhittedJob& job) {
    const WhittedFrame& frame = job.frame;
    const FilmView& film = job.film;
    // One per thread: bins keep their memory from frame to frame.
    static tbb::enumerable_thread_specific<PacketPath> paths;
    const Int8 kLanes(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    std::uint32_t n_tasks = (job.order.n_items + PacketPath::kItems - 1) / PacketPath::kItems;
    tbb::parallel_for(0u, n_tasks, [&](std::uint32_t task) {
        if (stream.is_cancelled()) return;
        PacketPath& path = paths.local();
        path.begin(frame);
        std::uint32_t begin = task * PacketPath::kItems;
        std::uint32_t end = std::min(begin + PacketPath::kItems, job.order.n_items);
        for (std::uint32_t first = begin; first < end; first += 8) {
            Pixels8 pixels(job, first);
            if (!pixels.active.any()) continue;
            Ray8 rays = camera_rays(job.camera, frame.pattern, frame.seed, frame.sample, pixels.x,
                                    pixels.y, pixels.number);
            path.start(rays, Int8(first - begin) + kLanes, pixels.number, pixels.active);
        }
        path.finish();
        for (std::uint32_t item = begin; item < end; ++item) {
            std::uint32_t x, y;
            if (!job.order.pixel(item, x, y)) continue;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            film.ray_count[pixel] = 0;
            if (film.is_done(pixel)) continue;
            vec4 sum = path.sum(item - begin);
            film.add(pixel, frame.sample, vec3(sum));
            film.ray_count[pixel] = static_cast<std::uint32_t>(sum.w);
        }
    });
    stream.check_cancelled();
}

TL_DEVICE_END
