#include "renderer/paths/path_wavefront.h"

#include <algorithm>

#include "renderer/paths/gaussian_pass.h"
#include "renderer/paths/path_rays.h"
#include "renderer/paths/shade_order.h"
#include "renderer/paths/shade_paths.h"

TL_DEVICE_BEGIN

namespace {

/// Paths that advance together: on a CPU no more than its caches hold.
#if defined(__CUDACC__)
constexpr std::uint32_t kChunkPaths = 1u << 21;
#else
constexpr std::uint32_t kChunkPaths = 1u << 15;
#endif

/// Whether hits are sorted before they are shaded: in simple scenes it costs more than it saves.
bool are_sorted([[maybe_unused]] const SceneView& scene) {
#if defined(__CUDACC__)
    return class_of(scene) != SceneClass::simple;
#else
    return false;
#endif
}

void shade(Stream& stream, const ShadeJob& job) {
    SceneClass scene_class = class_of(job.frame.scene);
    if (!job.gathers.rays.empty()) {
#if defined(__CUDACC__)
        if (scene_class == SceneClass::simple)
            return shade_paths<SceneClass::simple, true>(stream, job);
#endif
        return shade_paths<SceneClass::any, true>(stream, job);
    }
    switch (scene_class) {
#if defined(__CUDACC__)
        case SceneClass::simple:
            return shade_paths<SceneClass::simple>(stream, job);
        case SceneClass::textured:
            return shade_paths<SceneClass::textured>(stream, job);
#endif
        default:
            return shade_paths<SceneClass::any>(stream, job);
    }
}

/// Starts the path of a place in the picture's order, with its sums at 0.
struct StartPath {
    PathFrame frame;
    CameraRays camera;
    FilmView film;
    PixelOrder order;
    std::uint32_t first, n_lanes;
    View<vec4> sums;

    /// False where there is none.
    TL_D bool operator()(std::uint32_t i, PathRay& ray) const {
        std::uint32_t x, y;
        if (!order.pixel(first + i, x, y)) return false;
        std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
        std::uint32_t lane = pixel * n_lanes;
        if (film.is_done(pixel)) return false;
        for (std::uint32_t k = 0; k < n_lanes; ++k) sums[lane + k] = vec4(0);
        ray = camera_ray(camera, frame, x, y, pixel);
        ray.pixel = lane;
        return true;
    }
};

#if defined(__CUDACC__)
/// Starts `n` of them.
struct StartPaths {
    static constexpr int kThreads = 256;
    StartPath start;
    std::uint32_t n;
    View<PathRay> rays;
    std::uint32_t* count;

    TL_D void operator()(const Block<kThreads>& block, BlockAppend& shared) const {
        std::uint32_t i = block.index * block.size + block.rank;
        PathRay ray;
        bool starts = i < n && start(i, ray);
        std::uint32_t place = append_in_block(block, shared, count, starts);
        if (starts) store_whole(rays[place], ray);
    }
};
#endif

/// One chunk's buffers, and the launches. (Lambdas for the device cannot be in private functions.)
struct Wavefront {
    Scratch& scratch;
    PathJob job;
    const PathGather* gather;  ///< or null
    RayRecording* recording;   ///< or null
    bool is_shown;             ///< in the film
    std::uint32_t capacity;
    PathQueue queues[2];
    ShadowQueue shadows;
    GatherQueue gathers;
    View<Hit> hits;
    ShadeOrder order;
    View<WaveCounts> counts;  ///< of each bounce
    View<vec4> sums;          ///< of each lane: the sample's radiance, and the number of rays
    RayLaunch launch;

    /// `n`: most paths at a time.
    Wavefront(Scratch& scratch, const PathJob& job, std::uint32_t n, const PathGather* gather,
              RayRecording* recording, bool is_shown)
        : scratch(scratch),
          job(job),
          gather(gather),
          recording(recording),
          is_shown(is_shown),
          capacity(n),
          queues{{scratch, n}, {scratch, n}},
          shadows(scratch, n),
          gathers(gather ? GatherQueue(scratch, n) : GatherQueue()),
          hits(scratch.take<Hit>(n)),
          order(are_sorted(job.frame.scene) ? ShadeOrder(scratch, n) : ShadeOrder()),
          counts(scratch.take<WaveCounts>(n_levels() + 1)),
          sums(scratch.take<vec4>(job.n_sums())),
          launch(launch_of_scattered_rays(job.frame.scene)) {}

    /// Paths of the items [first, first + n) of the picture's order.
    void render(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        stream().device().fill_zero(stream(), counts.data, counts.size * sizeof(WaveCounts));
        start(order, first, n);
        for (std::uint32_t level = 0; level < n_levels(); ++level) bounce(level);
        if (is_shown) write_film(order, first, n);
    }

    [[nodiscard]] std::uint32_t n_levels() const {
        return static_cast<std::uint32_t>(job.frame.limits.max_depth) + 1;
    }
    [[nodiscard]] std::uint32_t n_lanes() const {
        return static_cast<std::uint32_t>(job.frame.limits.n_lanes);
    }
    [[nodiscard]] Stream& stream() const { return scratch.stream(); }

    void start(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        const StartPath start{job.frame, job.camera, job.film, order, first, n_lanes(), sums};
        View<PathRay> rays = queues[0].rays;
        std::uint32_t* count = &counts[0].n_paths;
#if defined(__CUDACC__)
        std::uint32_t n_blocks = (n + StartPaths::kThreads - 1) / StartPaths::kThreads;
        launch_blocks<StartPaths::kThreads, BlockAppend>(stream(), "camera rays", n_blocks,
                                                         StartPaths{start, n, rays, count});
#else
        parallel_for(
            stream(), "camera rays", n, TL_LAMBDA(std::uint32_t i) {
                PathRay ray;
                if (start(i, ray)) store_whole(rays[atomic_append(count)], ray);
            });
#endif
    }
    void bounce(std::uint32_t level) {
        PathQueue queue = queues[level % 2], next = queues[(level + 1) % 2];
        WaveCounts* counts = &this->counts[level];
        trace(queue, &counts->n_paths, level == 0);
        if (auto* gaussians = job.frame.scene.gaussians)
            add_gaussians(stream(), *gaussians, queue.rays, &counts->n_paths, hits, sums);
        auto order = this->order.sorted(stream(), job.frame.scene, hits, &counts->n_paths);
        shade(stream(), {job.frame, queue, next, shadows, gathers, hits, order, sums, counts,
                         level == 0, capacity});
        if (is_shown || recording) add_light(&counts->n_shadows);
        if (!gather) return;
        gather->add(stream(), gathers, counts, sums);
        gather->end_bounce(stream(), level, sums);
    }
    void trace(const PathQueue& queue, const std::uint32_t* count, bool is_first) {
        auto& scene = job.frame.scene;
        if (recording)
            record_path_rays(*recording, scene, queue.rays, count,
                             is_first ? RayPurpose::camera : RayPurpose::secondary);
        // Camera rays of a warp stay together, too.
        trace_path_rays(scratch, "path rays", scene, queue.rays, count, hits,
                        is_first ? RayLaunch::each : launch);
    }
    /// Traces the shadow rays, and adds the light that passes them.
    void add_light(const std::uint32_t* count) {
        auto& scene = job.frame.scene;
        if (recording) record_shadow_rays(*recording, scene, shadows, count);
        add_direct_light(scratch, scene, shadows, count, sums, launch);
    }
    void write_film(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        FilmView film = job.film;
        std::uint32_t sample = job.frame.sample;
        auto sums = this->sums;
        std::uint32_t n_lanes = this->n_lanes();
        parallel_for(
            stream(), "write film", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                vec4 sum(0);
                if (!film.is_done(pixel)) {
                    for (std::uint32_t k = 0; k < n_lanes; ++k) sum += sums[pixel * n_lanes + k];
                    film.add(pixel, sample, vec3(sum));
                }
                film.ray_count[pixel] = static_cast<std::uint32_t>(sum.w);
            });
    }
};

void trace_in_chunks(Scratch& scratch, const PathJob& job, const PathGather* gather,
                     RayRecording* recording, bool is_shown) {
    Scratch::Scope scope(scratch);
    PixelOrder order(job.film.extent);
    auto n_lanes = static_cast<std::uint32_t>(job.frame.limits.n_lanes);
    std::uint32_t chunk = std::min(order.n_items, kChunkPaths / n_lanes);
    Wavefront wavefront(scratch, job, chunk * n_lanes, gather, recording, is_shown);
    for (std::uint32_t first = 0; first < order.n_items; first += chunk)
        wavefront.render(order, first, std::min(chunk, order.n_items - first));
}

}  // namespace

void trace_paths_in_waves(Scratch& scratch, const PathJob& job, const PathGather* gather,
                          RayRecording* recording) {
    trace_in_chunks(scratch, job, gather, recording, !recording);
}

void follow_to_places(Scratch& scratch, PathJob job, const PathGather& gather) {
    job.frame.scene.has_visible_light = false;
    trace_in_chunks(scratch, job, &gather, nullptr, false);
}

TL_DEVICE_END
