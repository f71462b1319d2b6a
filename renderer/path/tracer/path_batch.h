// Traces a batch of paths in one CPU thread. Each stage of a bounce runs for the whole batch before
// the next stage begins. Memory latency and the dependent sums of a path's light tree descent then
// overlap with work on the other paths.
#pragma once

#include <immintrin.h>

#include <array>

#include "renderer/path/follow_path.h"

TL_DEVICE_BEGIN

/// Paths that one thread traces together, with fixed capacity. Refers to the tracer and to the
/// frame's scene, which must outlive it.
template <class Tracer>
class PathBatch {
  public:
    /// Capacity in paths: enough to hide the memory latency of light tree descents. A larger batch
    /// would exceed the caches, and the 64 bits of the mask of occluded shadow rays.
    static constexpr int kMost = 64;

    PathBatch(const Tracer& tracer, const PathTracerFrame& frame)
        : tracer_(tracer), scene_(frame.scene), follower_(frame) {}

    /// Number of paths added since the last clear().
    [[nodiscard]] int size() const { return n_; }
    void clear() { n_ = 0; }
    /// Adds the path of a camera ray. Needs size() < kMost.
    void add(const PathRay& first) {
        Path& path = at(n_++);
        path.next_state.ray = first;
        path.next_state.history = PathHistory::of_camera_ray();
        path.pixel = first.pixel;
        path.radiance = vec3(0);
        path.n_rays = 0;
    }
    /// Traces all paths until they terminate. They never split nor gather (follow_path.h).
    void follow() {
        for (int i = 0; i < n_; ++i) open_[i] = &at(i);
        n_open_ = n_;
        while (n_open_ > 0) {
            trace_all();
            close_unless([&](Path& path) { return path.hit.found(); });
            for_open([&](Path& path) { begin_shading(path); });
            choose_lights();
            for_open([&](Path& path) { scatter(path); });
            sample_lights();
            close_unless([&](Path& path) { return path.continues; });
        }
    }
    /// PathRay::pixel of path `i`.
    [[nodiscard]] std::uint32_t pixel(int i) const { return at(i).pixel; }
    /// Radiance that path `i` contributes to its pixel.
    [[nodiscard]] vec3 radiance(int i) const { return at(i).radiance; }
    /// Number of rays traced for path `i`, shadow rays included.
    [[nodiscard]] std::uint32_t n_rays(int i) const { return at(i).n_rays; }

  private:
    /// State of a path: its newest ray, the ray's hit and the results of shading.
    struct Path {
        PathState state, next_state;  // the ray being shaded, and the next one if `continues`
        Hit hit;
        vec3 radiance;
        std::uint32_t n_rays, pixel;
        bool has_direct, continues, scatters;
        DirectSample sample;  // valid if `has_direct`
        // The path vertex, valid if `scatters`:
        PathHit h;
        SurfaceInteraction place;
        PathNumbers numbers;
        ChosenLight chosen;

        // Callbacks of PathFollower.
        void direct(const DirectSample& found) {
            has_direct = true;
            // Member by member, as `found` has just been written. A load of wider words would miss
            // store forwarding and stall.
            sample.radiance = found.radiance;
            sample.shadow_ray.origin = found.shadow_ray.origin;
            sample.shadow_ray.t_min = found.shadow_ray.t_min;
            sample.shadow_ray.direction = found.shadow_ray.direction;
            sample.shadow_ray.t_max = found.shadow_ray.t_max;
            sample.shadow_ray.on_patch = found.shadow_ray.on_patch;
        }
        void next(const PathState& next) {
            continues = true;
            if (&next != &next_state) next_state = next;
        }
    };

    [[nodiscard]] const Path& at(int i) const { return paths_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] Path& at(int i) { return paths_[static_cast<std::size_t>(i)]; }
    template <class Use>
    TL_ALWAYS_INLINE void for_open(Use&& use) {
        for (int k = 0; k < n_open_; ++k) use(*open_[k]);
    }
    template <class Continues>
    TL_ALWAYS_INLINE void close_unless(Continues&& continues) {
        int n = 0;
        for (int k = 0; k < n_open_; ++k)
            if (continues(*open_[k])) open_[n++] = open_[k];
        n_open_ = n;
    }

    void trace_all() {
        for_open([&](Path& path) {
            trace(path);
            prefetch_triangle(path.hit);
        });
        for_open([&](Path& path) { prefetch_corners(path.hit); });
    }
    TL_NO_INLINE void trace(Path& path) const {
        path.state = path.next_state;
        ++path.n_rays;
        Ray ray = as_ray(path.state.ray);
        announce(tracer_, path.state.ray.depth() ? RayPurpose::secondary : RayPurpose::camera);
        path.hit = closest_solid(tracer_, scene_, ray);
        if (!path.hit.found()) path.radiance += follower_.miss(path.state);
    }

    template <class T>
    static void prefetch(const T* from) {
        auto at = reinterpret_cast<const char*>(from);
        _mm_prefetch(at, _MM_HINT_T0);
        if constexpr (sizeof(T) >= 64) _mm_prefetch(at + sizeof(T) - 1, _MM_HINT_T0);
    }
    [[nodiscard]] bool is_triangle(const Hit& hit) const {
        return hit.found() && (hit.instance != Hit::kNone || hit.primitive < scene_.n_triangles);
    }
    /// Prefetches the triangle that surface_of_triangle reads. prefetch_corners() follows, since
    /// the vertex indices are in the triangle.
    void prefetch_triangle(const Hit& hit) const {
        if (!is_triangle(hit)) return;
        std::uint32_t triangle = triangle_of(scene_, hit);
        prefetch(scene_.triangles + triangle);
        prefetch(scene_.triangle_materials + triangle);
    }
    void prefetch_corners(const Hit& hit) const {
        if (!is_triangle(hit)) return;
        glm::uvec3 corners = scene_.triangles[triangle_of(scene_, hit)];
        for (int k = 0; k < 3; ++k) {
            prefetch(scene_.positions + corners[k]);
            prefetch(scene_.normals + corners[k]);
            prefetch(scene_.uvs + corners[k]);
        }
    }

    TL_NO_INLINE void begin_shading(Path& path) const {
        path.has_direct = path.continues = path.scatters = false;
        auto scatters = [&](const PathState&, const PathHit& h, const SurfaceInteraction& place,
                            const PathNumbers& numbers) {
            path.scatters = true;
            path.h = h;
            path.place = place;
            path.numbers = numbers;
        };
        path.radiance += follower_.shade_before_scattering(path.state, path.hit, path, scatters);
    }
    void choose_lights() {
        ChosenLight chosen[kMost];
        Path* lit[kMost];
        int n = 0;
        for_open([&](Path& path) {
            if (!path.scatters) return;
            lit[n] = &path;
            places_[n++] = {path.place.lit.position, path.place.lit.normal,
                            follower_.is_two_sided(path.place), path.numbers.light()};
        });
        choose_any_lights<kMost>(scene_.search, places_, n, chosen);
        for (int i = 0; i < n; ++i) {
            lit[i]->chosen = chosen[i];
            prefetch(scene_.lights + chosen[i].index);
        }
    }
    TL_NO_INLINE void scatter(Path& path) const {
        if (path.scatters)
            follower_.scatter(path.state, path.h, path.place, path.numbers, path.chosen, path);
    }
    void sample_lights() {
        if constexpr (requires { &Tracer::template occluded_together<kMost>; })
            if (any_hit_shadows(scene_)) return light_together();
        for_open([&](Path& path) {
            if (path.has_direct) light(path);
        });
    }
    TL_NO_INLINE void light_together() {
        Ray rays[kMost];
        Path* lit[kMost];
        int n = 0;
        for_open([&](Path& path) {
            if (!path.has_direct) return;
            lit[n] = &path;
            rays[n++] = path.sample.shadow_ray;
        });
        std::uint64_t occluded = tracer_.template occluded_together<kMost>(rays, n);
        for (int i = 0; i < n; ++i) {
            ++lit[i]->n_rays;
            if (!(occluded >> i & 1)) lit[i]->radiance += lit[i]->sample.radiance;
        }
    }
    TL_NO_INLINE void light(Path& path) const {
        path.radiance +=
            path.sample.radiance *
            light_that_passes(tracer_, scene_, path.sample.shadow_ray, Media{}, path.n_rays);
    }

    const Tracer& tracer_;
    const SceneView& scene_;
    PathFollower follower_;
    std::array<Path, kMost> paths_;
    LightChoicePoint places_[kMost];  // shading points, scratch memory of choose_lights
    int n_ = 0;
    Path* open_[kMost];  // active paths
    int n_open_ = 0;
};

TL_DEVICE_END
