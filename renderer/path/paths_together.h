// Several paths of one thread on the CPU: each stage of a bounce is done for all of them before the
// next stage begins. What one path waits for, such as memory or the sums of its walk down the light
// tree, then comes while others are worked on.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>

#include "renderer/paths/follow_path.h"

TL_DEVICE_BEGIN

template <class Tracer>
class PathsTogether {
  public:
    static constexpr int kMost = 8;

    PathsTogether(const Tracer& tracer, const PathTracerFrame& frame)
        : tracer_(tracer), scene_(frame.scene), follower_(frame) {}

    [[nodiscard]] int size() const { return n_; }
    void clear() { n_ = 0; }
    /// Adds a path; there are kMost at most.
    void add(const PathRay& first) {
        Path& path = at(n_++);
        path.next_tip.ray = first;
        path.next_tip.trail = PathTrail::of_camera_ray();
        path.pixel = first.pixel;
        path.radiance = vec3(0);
        path.n_rays = 0;
    }
    /// Follows all paths to their ends.
    void follow() {
        open_ = (1u << n_) - 1;
        while (open_) {
            for_open([](Path& path) { path.tip = path.next_tip; });
            trace_all();
            close_unless([&](Path& path) { return path.hit.found(); });
            for_open([&](Path& path) { arrive(path); });
            choose_lights();
            for_open([&](Path& path) { scatter(path); });
            for_open([&](Path& path) { light(path); });
            close_unless([&](Path& path) { return path.goes_on; });
        }
    }
    /// Of path `i`: PathRay::pixel, what it brings there, and the number of its rays.
    [[nodiscard]] std::uint32_t pixel(int i) const { return at(i).pixel; }
    [[nodiscard]] vec3 radiance(int i) const { return at(i).radiance; }
    [[nodiscard]] std::uint32_t n_rays(int i) const { return at(i).n_rays; }

  private:
    /// A path's newest ray, and what becomes of it.
    struct Path {
        PathTip tip, next_tip;
        Hit hit;
        vec3 radiance;
        std::uint32_t n_rays, pixel;
        bool has_direct, goes_on, scatters;
        DirectSample sample;
        // Where the path is scattered:
        PathHit h;
        PathPlace place;
        PathNumbers numbers;
        ChosenLight chosen;

        // Called by a PathFollower.
        void direct(const DirectSample& found) {
            has_direct = true;
            // One by one: found has only just been written so, and whole words would wait for it.
            sample.radiance = found.radiance;
            sample.shadow_ray.origin = found.shadow_ray.origin;
            sample.shadow_ray.t_min = found.shadow_ray.t_min;
            sample.shadow_ray.direction = found.shadow_ray.direction;
            sample.shadow_ray.t_max = found.shadow_ray.t_max;
            sample.shadow_ray.from = found.shadow_ray.from;
        }
        void next(const PathTip& next) {
            goes_on = true;
            if (&next != &next_tip) next_tip = next;
        }
    };

    [[nodiscard]] const Path& at(int i) const { return paths_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] Path& at(int i) { return paths_[static_cast<std::size_t>(i)]; }
    template <class Use>
    TL_ALWAYS_INLINE void for_open(Use&& use) {
        for (unsigned rest = open_; rest; rest &= rest - 1) use(at(std::countr_zero(rest)));
    }
    template <class GoesOn>
    TL_ALWAYS_INLINE void close_unless(GoesOn&& goes_on) {
        for (unsigned rest = open_; rest; rest &= rest - 1)
            if (!goes_on(at(std::countr_zero(rest)))) open_ &= ~(rest & -rest);
    }

    void trace_all() {
        for_open([&](Path& path) {
            trace(path);
            prefetch_triangle(path.hit);
        });
        for_open([&](Path& path) { prefetch_corners(path.hit); });
    }
    TL_NO_INLINE void trace(Path& path) const {
        ++path.n_rays;
        Ray ray = as_ray(path.tip.ray);
        announce(tracer_, path.tip.ray.depth() ? RayPurpose::secondary : RayPurpose::camera);
        path.hit = closest_solid(tracer_, scene_, ray);
        if (!path.hit.found()) path.radiance += follower_.miss(path.tip);
    }

    template <class T>
    static void prefetch(const T* from) {
        _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T0);
    }
    [[nodiscard]] bool is_triangle(const Hit& hit) const {
        return hit.found() && (hit.instance != Hit::kNone || hit.primitive < scene_.n_triangles);
    }
    /// Asks for what surface_of_triangle reads, in two steps: corners are found by the triangle.
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

    TL_NO_INLINE void arrive(Path& path) const {
        path.has_direct = path.goes_on = path.scatters = false;
        auto scatters = [&](const PathTip&, const PathHit& h, const PathPlace& place,
                            const PathNumbers& numbers) {
            path.scatters = true;
            path.h = h;
            path.place = place;
            path.numbers = numbers;
        };
        path.radiance += follower_.arrive(path.tip, path.hit, path, scatters);
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
            follower_.scatter(path.tip, path.h, path.place, path.numbers, path.chosen, path);
    }
    TL_NO_INLINE void light(Path& path) const {
        if (!path.has_direct) return;
        path.radiance += path.sample.radiance *
                         light_that_passes(tracer_, scene_, path.sample.shadow_ray, path.n_rays);
    }

    const Tracer& tracer_;
    const SceneView& scene_;
    PathFollower follower_;
    std::array<Path, kMost> paths_;
    PlaceToLight places_[kMost];  // of choose_lights
    int n_ = 0;
    unsigned open_ = 0;  // bit i: path i goes on
};

TL_DEVICE_END
