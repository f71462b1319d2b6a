#include "renderer/path/path_wavefront.h"

#include <algorithm>
#include <optional>

#include "renderer/film/film_share.h"
#include "renderer/path/gaussians/gaussian_pass.h"
#include "renderer/path/path_rays.h"
#include "renderer/path/shade_paths.h"

TL_DEVICE_BEGIN

namespace {

/// Maximum number of paths that advance together; on a CPU they must fit into its caches.
#if defined(__CUDACC__)
constexpr std::uint32_t kChunkPaths = 1u << 21;
constexpr bool kGroupsHits = true;
#else
constexpr std::uint32_t kChunkPaths = 1u << 15;
constexpr bool kGroupsHits = false;
#endif
/// Pictures of fewer pixels are traced on one stream: half of them would hardly fill a GPU.
constexpr std::uint32_t kLeastToSplit = 1u << 20;

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

/// Starts the path of an item in the picture's pixel order. Sets its sums to no radiance and one
/// ray.
struct StartPath {
    PathFrame frame;
    CameraRays camera;
    FilmView film;
    PixelOrder order;
    std::uint32_t first, n_path_slots;
    View<vec4> sums;

    /// Returns false, without a ray, outside of the picture and for pixels that are done.
    TL_D bool operator()(std::uint32_t i, PathRay& ray) const {
        std::uint32_t x, y;
        if (!order.pixel(first + i, x, y)) return false;
        std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
        std::uint32_t slot = pixel * n_path_slots;
        if (film.is_done(pixel)) return false;
        for (std::uint32_t k = 0; k < n_path_slots; ++k)
            store_sum(sums[slot + k], vec4(0, 0, 0, k == 0 ? 1 : 0));
        ray = camera_ray(camera, frame, x, y, pixel);
        ray.pixel = slot;
        return true;
    }
};

#if defined(__CUDACC__)
/// Starts `n` paths and appends their rays to the queue.
struct StartPaths {
    static constexpr int kThreads = 256;
    using Append = BlockAppend<kThreads, 1>;
    StartPath start;
    std::uint32_t n;
    Records<PathRay> rays;
    std::uint32_t* count;
    bool is_plain;  ///< only the first kWordsOfPlainPath words of a ray are in use

    TL_D void operator()(const Block<kThreads>& block, Append::Shared& shared) const {
        std::uint32_t i = block.index * block.size + block.rank, places[1];
        PathRay ray;
        bool starts = i < n && start(i, ray);
        Append(block, shared)({count}, {starts}, places);
        if (starts && is_plain)
            rays.store<kWordsOfPlainPath>(places[0], ray);
        else if (starts)
            rays.store(places[0], ray);
    }
};
#endif

/// Buffers and launches of one chunk of paths. All is public, since CUDA forbids device lambdas in
/// private functions.
struct Wavefront {
    Scratch& scratch;
    PathJob job;
    const PathGather* gather;  ///< or null
    RayRecording* recording;   ///< or null
    bool is_shown;             ///< whether the film gets the result
    std::uint32_t capacity;
    PathQueue queues[2];
    ShadowQueue shadows;
    GatherQueue gathers;
    View<Hit> hits;
    HitGroups groups;
    View<WaveCounts> counts;  ///< of each bounce
    View<GroupSize> sizes;    ///< of each bounce and group
    View<vec4> sums;          ///< of each path slot: the sample's radiance, and the number of rays
    RayLaunch launch;

    /// `n`: capacity in paths. `buffers`: supplies the memory of the queues, which the stream of
    /// `scratch` must be allowed to use. `sums`: of all path slots of the picture.
    Wavefront(Scratch& buffers, Scratch& scratch, const PathJob& job, std::uint32_t n,
              View<vec4> sums, const PathGather* gather, RayRecording* recording, bool is_shown)
        : scratch(scratch),
          job(job),
          gather(gather),
          recording(recording),
          is_shown(is_shown),
          capacity(n),
          queues{{buffers, n}, {buffers, n}},
          shadows(buffers, n),
          gathers(gather ? GatherQueue(buffers, n) : GatherQueue()),
          hits(buffers.take<Hit>(n)),
          groups(kGroupsHits ? HitGroups(buffers, n) : HitGroups()),
          counts(buffers.take<WaveCounts>(n_levels() + 1)),
          sizes(buffers.take<GroupSize>(n_levels() * kHitGroups)),
          sums(sums),
          launch(launch_of_scattered_rays(job.frame.scene)) {}

    /// Starts the paths of items [first, first + n) of the picture's pixel order and traces their
    /// camera rays.
    void begin(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        stream().device().fill_zero(stream(), counts.data, counts.size * sizeof(WaveCounts));
        stream().device().fill_zero(stream(), sizes.data, sizes.size * sizeof(GroupSize));
        start(order, first, n);
        trace_camera_rays();
    }
    /// Adds the paths' radiance to the film.
    void end(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        if (is_shown) write_film(order, first, n);
    }

    [[nodiscard]] std::uint32_t n_levels() const {
        return static_cast<std::uint32_t>(job.frame.limits.max_depth) + 1;
    }
    [[nodiscard]] std::uint32_t n_path_slots() const {
        return static_cast<std::uint32_t>(job.frame.splitting.n_path_slots);
    }
    [[nodiscard]] Stream& stream() const { return scratch.stream(); }

    void start(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        const StartPath start{job.frame, job.camera, job.film, order, first, n_path_slots(), sums};
        Records<PathRay> rays = queues[0].rays;
        std::uint32_t* count = &counts[0].n_paths;
#if defined(__CUDACC__)
        std::uint32_t n_blocks = (n + StartPaths::kThreads - 1) / StartPaths::kThreads;
        bool is_plain = class_of(job.frame.scene) == SceneClass::simple;
        launch_blocks<StartPaths::kThreads, StartPaths::Append::Shared>(
            stream(), "camera rays", n_blocks, StartPaths{start, n, rays, count, is_plain});
#else
        parallel_for(
            stream(), "camera rays", n, TL_LAMBDA(std::uint32_t i) {
                PathRay ray;
                if (start(i, ray)) rays.store(atomic_append(count), ray);
            });
#endif
    }
    /// Shades the hits of a bounce, then traces its shadow rays and the next bounce's rays.
    void bounce(std::uint32_t level) {
        PathQueue queue = queues[level % 2], next = queues[(level + 1) % 2];
        WaveCounts* counts = &this->counts[level];
        bool is_last = level + 1 == n_levels();
        if (auto* gaussians = job.frame.scene.gaussians)
            add_gaussians(stream(), *gaussians, queue.rays, &counts->n_paths, hits, sums);
        group_hits(stream(), job.frame.scene, hits, &counts->n_paths, groups,
                   &sizes[level * kHitGroups], is_last);
        shade(stream(), {job.frame, queue, next, shadows, gathers, hits, groups,
                         &sizes[level * kHitGroups], sums, counts, level == 0, capacity});
        if (!is_last) trace(next, counts);
        if (!gather) return;
        gather->add(stream(), gathers, counts, sums);
        gather->end_bounce(stream(), level, sums);
    }
    void trace_camera_rays() {
        auto& scene = job.frame.scene;
        auto& rays = queues[0].rays;
        auto* count = &counts[0].n_paths;
        if (recording) record_path_rays(*recording, scene, rays, count, RayPurpose::camera);
        // Camera rays are coherent: those of a warp stay together, without a queue.
        trace_path_rays(scratch, "camera rays", scene, rays, count, hits, RayLaunch::each);
    }
    /// Traces the next bounce's rays and this one's shadow rays, and adds the direct lighting.
    void trace(const PathQueue& next, WaveCounts* counts) {
        auto& scene = job.frame.scene;
        auto *n_rays = &counts[1].n_paths, *n_shadows = &counts[0].n_shadows;
        if (recording) {
            record_shadow_rays(*recording, scene, shadows, n_shadows);
            record_path_rays(*recording, scene, next.rays, n_rays, RayPurpose::secondary);
        }
        if (is_shown || recording)
            trace_paths_and_light(scratch, scene, next.rays, n_rays, hits, shadows, n_shadows, sums,
                                  launch);
        else
            trace_path_rays(scratch, "path rays", scene, next.rays, n_rays, hits, launch);
    }
    void write_film(const PixelOrder& order, std::uint32_t first, std::uint32_t n) {
        FilmView film = job.film;
        std::uint32_t sample = job.frame.sample;
        auto sums = this->sums;
        std::uint32_t n_path_slots = this->n_path_slots();
        parallel_for(
            stream(), "write film", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                vec4 sum(0);
                if (!film.is_done(pixel)) {
                    for (std::uint32_t k = 0; k < n_path_slots; ++k)
                        sum += load_sum(sums[pixel * n_path_slots + k]);
                    film.add(pixel, sample, vec3(sum));
                }
                film.ray_count[pixel] = static_cast<std::uint32_t>(sum.w);
            });
    }
};

void trace_in_chunks(Scratch& scratch, const PathJob& job, const PathGather* gather,
                     RayRecording* recording, bool is_shown, SideStream* side) {
    Scratch::Scope scope(scratch);
    static_assert(PixelOrder::kTile == FilmShare::kTile);
    PixelOrder order(job.film.extent, job.film.tiles, job.film.n_tiles);
    auto n_path_slots = static_cast<std::uint32_t>(job.frame.splitting.n_path_slots);
    bool splits = side && !gather && !recording && !job.frame.scene.gaussians &&
                  order.n_items >= kLeastToSplit;
    std::uint32_t n_parts = splits ? 2 : 1;
    std::uint32_t chunk =
        std::min((order.n_items + n_parts - 1) / n_parts, kChunkPaths / n_path_slots / n_parts);
    auto sums = scratch.take<vec4>(job.n_sums());
    std::optional<Wavefront> parts[2];
    auto prepare = [&](std::optional<Wavefront>& part, Scratch& own) {
        part.emplace(scratch, own, job, chunk * n_path_slots, sums, gather, recording, is_shown);
    };
    prepare(parts[0], scratch);
    std::optional<SideStream::Turn> turn;
    if (splits) {
        prepare(parts[1], side->scratch());
        turn.emplace(*side, scratch.stream());
    }
    for (std::uint32_t first = 0; first < order.n_items; first += n_parts * chunk) {
        // Launches alternate between the streams bounce by bounce, so that neither waits for the
        // host.
        auto for_parts = [&](auto&& use) {
            for (std::uint32_t k = 0, at = first; k < n_parts && at < order.n_items;
                 ++k, at += chunk)
                use(*parts[k], at, std::min(chunk, order.n_items - at));
        };
        for_parts([&](Wavefront& part, auto at, auto n) { part.begin(order, at, n); });
        for (std::uint32_t level = 0; level < parts[0]->n_levels(); ++level)
            for_parts([&](Wavefront& part, auto, auto) { part.bounce(level); });
        for_parts([&](Wavefront& part, auto at, auto n) { part.end(order, at, n); });
    }
}

}  // namespace

void trace_paths_in_waves(Scratch& scratch, const PathJob& job, const PathGather* gather,
                          RayRecording* recording, SideStream* side) {
    trace_in_chunks(scratch, job, gather, recording, !recording, side);
}

void find_gather_points(Scratch& scratch, PathJob job, const PathGather& gather) {
    job.frame.scene.has_visible_light = false;
    trace_in_chunks(scratch, job, &gather, nullptr, false, nullptr);
}

TL_DEVICE_END
