#include "renderer/path/path_wavefront.h"

#include <algorithm>

#include "accel/bvh/traversal/trace_rays.h"
#include "accel/parallel/atomics.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// Paths that advance together.
constexpr std::uint32_t kChunkPaths = 1u << 21;
/// Threads of a kernel over a queue whose length only the device knows: several times as many as a
/// GPU runs at once, each of which takes every kQueueThreads-th entry.
constexpr std::uint32_t kQueueThreads = 1u << 18;

/// Paths whose newest rays are traced.
struct PathQueue {
    View<PathRay> rays;
    View<PathTrail> trails;

    PathQueue(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<PathRay>(n)), trails(scratch.take<PathTrail>(n)) {}
    TL_D void store(std::uint32_t i, const PathTip& tip) const {
        store_whole(rays[i], tip.ray);
        store_whole(trails[i], tip.trail);
    }
    /// A camera ray has no trail.
    [[nodiscard]] TL_D PathTip load(std::uint32_t i, bool is_camera_ray) const {
        PathTip tip{load_whole(rays[i]), {}};
        if (!is_camera_ray) tip.trail = load_whole(trails[i]);
        return tip;
    }
};

/// Light that arrives at its pixel unless its shadow ray is occluded.
struct alignas(16) ArrivingLight {
    vec3 radiance;
    std::uint32_t pixel;
};

struct ShadowQueue {
    View<Ray> rays;
    View<ArrivingLight> light;
    View<std::uint8_t> occluded;

    ShadowQueue(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<Ray>(n)),
          light(scratch.take<ArrivingLight>(n)),
          occluded(scratch.take<std::uint8_t>(n)) {}
};

/// The lengths of a bounce's queues, on the device.
struct WaveCounts {
    std::uint32_t n_paths, n_shadows;
};

/// Trees of fewer primitives are traced with a thread for each ray, since rays of about the same
/// length leave no lanes idle that a queue could fill.
constexpr std::uint32_t kSmallTree = 4096;

[[nodiscard]] bool is_small(const SceneView& scene) {
    return !scene.tree.instances && scene.n_triangles + scene.n_spheres < kSmallTree;
}

/// Calls op(i) for every entry of a queue; `count`, on the device, is its length. kResidentBlocks:
/// as for parallel_for.
template <int kResidentBlocks = 0, class Op>
void for_each_entry(Stream& stream, const char* name, const std::uint32_t* count,
                    std::uint32_t capacity, Op op) {
    std::uint32_t n_threads = std::min(capacity, kQueueThreads);
    parallel_for<kResidentBlocks>(
        stream, name, n_threads,
        TL_LAMBDA(std::uint32_t first) {
            for (std::uint32_t i = first; i < *count; i += n_threads) op(i);
        },
        1024);
}

/// What a hit does to a path, appended to the queues.
struct QueuedStep {
    const ShadowQueue& shadows;
    const PathQueue& paths;
    WaveCounts* counts;  ///< of this bounce, and the next one's after them
    std::uint32_t pixel;
    std::uint32_t n_rays = 1;  ///< with the path's own

    TL_D void direct(const DirectSample& light) {
        std::uint32_t k = atomic_append(&counts[0].n_shadows);
        store_whole(shadows.rays[k], light.shadow_ray());
        store_whole(shadows.light[k], {light.radiance, pixel});
        ++n_rays;
    }
    TL_D void next(const PathTip& tip) const {
        paths.store(atomic_append(&counts[1].n_paths), tip);
    }
};

/// The scene without what a simple one lacks, known to the compiler: textures, and surfaces that
/// scatter by microfacets. Their code would take registers in every thread.
template <bool kSimple>
TL_D PathTracerFrame seen_as(PathTracerFrame frame) {
    frame.scene = seen_with<false>(frame.scene);
    frame.scene.has_cutouts = false;
    if (kSimple) {
        frame.scene.textures = nullptr;
        frame.scene.ggx = nullptr;
    }
    return frame;
}
[[nodiscard]] bool is_simple(const SceneView& scene) {
    return !scene.textures && !scene.ggx;
}

/// One chunk's buffers, and the launches. (Lambdas for the device cannot be in private functions.)
struct Wavefront {
    Scratch& scratch;
    PathJob job;
    std::uint32_t capacity;
    PathQueue queues[2];
    ShadowQueue shadows;
    View<Hit> hits;
    View<WaveCounts> counts;  ///< of each bounce
    View<vec4> sums;          ///< of each pixel: the sample's radiance, and the number of rays
    RayLaunch launch;

    /// Resident blocks of the kernel that shades.
    static constexpr int kSimpleBlocks = 6, kBlocks = 4;

    Wavefront(Scratch& scratch, const PathJob& job, std::uint32_t n)
        : scratch(scratch),
          job(job),
          capacity(n),
          queues{{scratch, n}, {scratch, n}},
          shadows(scratch, n),
          hits(scratch.take<Hit>(n)),
          counts(scratch.take<WaveCounts>(n_levels() + 1)),
          sums(scratch.take<vec4>(job.film.extent.pixels())),
          launch(is_small(job.frame.scene) ? RayLaunch::each : RayLaunch::queue) {
        this->job.frame.scene = seen_with<false>(job.frame.scene);
    }

    /// Paths of the items [first, first + n) of the picture's order.
    void render(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        stream().device().fill_zero(stream(), counts.data, counts.size * sizeof(WaveCounts));
        start(order, first, n);
        for (std::uint32_t level = 0; level < n_levels(); ++level) bounce(level);
        write_film(order, first, n);
    }

    [[nodiscard]] std::uint32_t n_levels() const {
        return static_cast<std::uint32_t>(job.frame.config.max_depth) + 1;
    }
    [[nodiscard]] Stream& stream() const { return scratch.stream(); }

    void start(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        PathFrame frame = job.frame;
        CameraRays camera = job.camera;
        FilmView film = job.film;
        PathQueue queue = queues[0];
        auto counts = this->counts;
        auto sums = this->sums;
        parallel_for(
            stream(), "camera rays", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                sums[pixel] = vec4(0);
                if (film.is_done(pixel)) return;
                PathRay ray = camera_ray(camera, frame, x, y, pixel);
                store_whole(queue.rays[atomic_append(&counts[0].n_paths)], ray);
            });
    }
    void bounce(std::uint32_t level) {
        PathQueue queue = queues[level % 2], next = queues[(level + 1) % 2];
        WaveCounts* counts = &this->counts[level];
        // Camera rays of a warp stay together, too.
        trace_closest(scratch, "path rays", job.frame.scene.tree,
                      RayRecords(View<const PathRay>(queue.rays), &counts->n_paths), {hits, {}, {}},
                      level == 0 ? RayLaunch::each : launch);
        if (is_simple(job.frame.scene))
            shade<true>(level, queue, next, counts);
        else
            shade<false>(level, queue, next, counts);
        add_light(&counts->n_shadows);
    }
    /// Shades the hits of a level's rays and draws what follows.
    template <bool kSimple>
    void shade(std::uint32_t level, const PathQueue& from, const PathQueue& to,
               WaveCounts* counts) {
        // Copies, since a lambda for the device captures no members.
        PathQueue queue = from, next = to;
        PathTracerFrame given = job.frame;
        ShadowQueue shadows = this->shadows;
        auto hits = this->hits;
        auto sums = this->sums;
        bool is_first = level == 0;
        for_each_entry<kSimple ? kSimpleBlocks : kBlocks>(
            stream(), "shade paths", &counts->n_paths, capacity, TL_LAMBDA(std::uint32_t i) {
                const PathTracerFrame frame = seen_as<kSimple>(given);
                PathFollower follower(frame);
                PathTip tip = queue.load(i, is_first);
                Hit hit = hits[i];
                vec4& sum = sums[tip.ray.pixel];
                if (!hit.found()) {
                    sum += vec4(follower.miss(tip), 1);
                    return;
                }
                QueuedStep step{shadows, next, counts, tip.ray.pixel};
                vec3 found = follower.meet(tip, hit, step);
                sum += vec4(found, step.n_rays);
            });
    }
    /// Traces the shadow rays, and adds the light that passes them.
    void add_light(const std::uint32_t* count) {
        RayRecords rays(shadows.rays);
        rays.count = count;
        trace_any(scratch, "shadow rays", job.frame.scene.tree, rays, {{}, {}, shadows.occluded},
                  launch);
        ShadowQueue shadows = this->shadows;
        auto sums = this->sums;
        for_each_entry(
            stream(), "add light", count, capacity, TL_LAMBDA(std::uint32_t i) {
                if (shadows.occluded[i]) return;
                ArrivingLight light = load_whole(shadows.light[i]);
                sums[light.pixel] += vec4(light.radiance, 0);
            });
    }
    void write_film(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        FilmView film = job.film;
        std::uint32_t sample = job.frame.sample;
        auto sums = this->sums;
        parallel_for(
            stream(), "write film", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                vec4 sum = sums[pixel];
                film.ray_count[pixel] = static_cast<std::uint32_t>(sum.w);
                if (!film.is_done(pixel)) film.add(pixel, sample, vec3(sum));
            });
    }
};

}  // namespace

void trace_paths_in_waves(Scratch& scratch, const PathJob& job) {
    Scratch::Scope scope(scratch);
    PixelOrder order(job.film.extent);
    std::uint32_t chunk = std::min(order.n_items, kChunkPaths);
    Wavefront wavefront(scratch, job, chunk);
    for (std::uint32_t first = 0; first < order.n_items; first += chunk)
        wavefront.render(order, first, std::min(chunk, order.n_items - first));
}

TL_DEVICE_END
