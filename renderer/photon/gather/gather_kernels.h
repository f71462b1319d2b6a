// Density estimation kernels: they sum the photons' light at the gather points of the camera paths.
// All threads of a team handle one gather point, each a part of its photons.
//
// The template argument `Near` chooses the photons that count and takes their sum. Every thread of
// a team calls its functions:
// - sum_at(point) returns an empty accumulator for the thread's photons, such as PhotonSum.
// - for_each(team, point, use, most_candidates) calls use(index, power, direction, weight, s) for
//   each photon of the thread, with the arguments that NearPhotons::for_each() passes. The kernel
//   then calls the accumulator's add(index, light, weight, s). Returns false where there are too
//   many candidates.
// - add(team, point, throughput, sum) adds up the accumulators of the team. One thread adds the
//   result, times the throughput, to the pixel's light, or stores it for later.
#pragma once

#include "core/device/atomics.h"
#include "renderer/path/follow_path.h"
#include "renderer/path/path_wavefront.h"
#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/gather/pixel_figures.h"
#include "renderer/photon/trace/scattered_photon.h"

TL_DEVICE_BEGIN

/// Gather point of a camera path.
struct GatherPoint {
    /// pixel: PathRay::pixel, the index of a path slot where paths split; depth: bounces before the
    /// point.
    std::uint32_t pixel, depth;
    vec3 position, normal;  ///< normal: unit, geometric, on the viewer's side
};

/// Sum over the photons around a gather point: those of one thread, and after add_up() those of the
/// whole team. kMeasured: whether it has figures of the gather point, too.
template <bool kMeasured>
struct PhotonSum {
    vec3 light{0};
    std::uint32_t n = 0;  ///< number of photons, always of the thread alone

    /// Adds a photon. Takes its index, its light, the kernel's value and the squared distance as a
    /// fraction of the squared radius.
    TL_D void add(std::uint32_t, vec3 light_of_photon, float, float) {
        light += light_of_photon;
        ++n;
    }
    /// Adds up the sums of the team's threads, each of which must call this.
    template <class AnyTeam>
    TL_D void add_up(const AnyTeam& team) {
        light = team.sum(light);
    }
    /// Does nothing, since this sum has no figures.
    TL_D void add_to(GatherFigures*, std::uint32_t, vec3, float) const {}
};

/// Sum over photons with figures of the gather point. The bias is estimated by the difference from
/// a fourth-order kernel within the same radius, 2 / pi (1 - s) (3 - 6 s). The difference is
/// r^2 / 12 times the light's Laplacian, which is estimated by that of the kernel
/// 4 / pi (1 - s)^3.
template <>
struct PhotonSum<true> : PhotonSum<false> {
    vec3 bias{0};
    float density = 0;  ///< photons per m^2, weighted by the kernel

    TL_D void add(std::uint32_t k, vec3 light_of_photon, float weight, float s) {
        PhotonSum<false>::add(k, light_of_photon, weight, s);
        bias += light_of_photon * (2 * (3 * s - 1));
        density += weight;
    }
    template <class AnyTeam>
    TL_D void add_up(const AnyTeam& team) {
        light = team.sum(light);
        bias = team.sum(bias);
        density = team.sum(density);
    }
    /// Adds the figures of the gather point to pixels[pixel], unless `pixels` is null. Call after
    /// add_up(), from one thread of the team. `radius`: search radius, m.
    TL_D void add_to(GatherFigures* pixels, std::uint32_t pixel, vec3 throughput,
                     float radius) const {
        if (!pixels) return;
        GatherFigures& figures = pixels[pixel];
        figures.bias += throughput * bias;
        figures.density += density;
        figures.radius += radius;
        figures.n_points += 1;
    }
};

/// Most candidates in the cells around a gather point that a team takes. The few points with more,
/// as in caustics, would hold up a whole launch: a second launch gives a warp to each.
template <class AnyTeam>
inline constexpr std::uint32_t kMostCandidates =
    AnyTeam::kThreads < WideTeam::kThreads ? 1u << 14 : ~0u;

/// Gathers at the Lambertian points of a queue. The throughput there contains the BSDF. Calls
/// return false, and add nothing, where the point is left to a wide team.
template <class Near>
struct GatherAtLambertian {
    Near near;
    View<const LambertianPoint> places;

    template <class AnyTeam>
    TL_D bool operator()(const AnyTeam& team, std::uint32_t i) const {
        LambertianPoint stored = load_vectorized(places[i]);
        const GatherPoint point{stored.pixel, stored.depth(), stored.position, stored.normal()};
        auto sum = near.sum_at(point);
        auto use = [&](std::uint32_t k, vec3 power, std::uint32_t, float weight, float s) {
            sum.add(k, power, weight, s);
        };
        if (!near.for_each(team, point, use, kMostCandidates<AnyTeam>)) return false;
        near.add(team, point, stored.throughput, sum);
        return true;
    }
};

/// Gathers at the other points of a queue. Evaluates the surface again, and the wide lobes of its
/// BSDF for each photon. Calls return as those of GatherAtLambertian.
template <class Near>
struct GatherAtOthers {
    Near near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;

    template <class AnyTeam>
    TL_D bool operator()(const AnyTeam& team, std::uint32_t i) const {
        PathRay ray = load_vectorized(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        SurfaceInteraction at = surface_interaction(scene, ray, hits[i], h, false);
        const GatherPoint point{ray.pixel, ray.depth(), h.surface.position, h.geometric_normal};
        auto sum = near.sum_at(point);
        auto use = [&](std::uint32_t k, vec3 power, std::uint32_t direction, float weight,
                       float s) {
            sum.add(k, power * scattered_by_wide_lobes(h, at, direction), weight, s);
        };
        if (!near.for_each(team, point, use, kMostCandidates<AnyTeam>)) return false;
        near.add(team, point, ray.throughput * h.transmittance, sum);
        return true;
    }
};

/// Calls gather(team, i) for every entry of a queue, from every thread of a team. `count`: the
/// queue's length, on the device. `leave(i)` is called, by one thread of the team, where gather()
/// returns false.
template <class Gather, class Leave>
void for_each_gather_point(Stream& stream, const std::uint32_t* count, std::uint32_t capacity,
                           const Gather& gather, [[maybe_unused]] const Leave& leave) {
#if defined(__CUDACC__)
    constexpr std::uint32_t kThreads = Team::kThreads;
    std::uint32_t n_threads = std::min(capacity, kQueueThreads) * kThreads;
    parallel_for(
        stream, "gather photons", n_threads, TL_LAMBDA(std::uint32_t thread) {
            for (std::uint32_t i = thread / kThreads; i < *count; i += n_threads / kThreads)
                if (!gather(Team(), i) && Team::rank() == 0) leave(i);
        });
#else
    // Bounds the loop on the CPU by the count, as for_each_entry does.
    Gather op = gather;
    parallel_for(
        stream, "gather photons", std::min(capacity, *count),
        TL_LAMBDA(std::uint32_t i) { op(Team(), i); }, 64);
#endif
}

/// Gather points that are left to wide teams: the Lambertian ones from the beginning of `entries`
/// on, the others backwards from its end. A path has one gather point at most, so that both fit.
struct DensePoints {
    View<std::uint32_t> entries;  ///< indices in their queues
    WaveCounts::Dense* n;         ///< how many of each there are

    struct LeaveLambertian {
        View<std::uint32_t> entries;
        WaveCounts::Dense* n;
        TL_D void operator()(std::uint32_t i) const { entries[atomic_append(&n->lambertian)] = i; }
    };
    struct LeaveOthers {
        View<std::uint32_t> entries;
        WaveCounts::Dense* n;
        TL_D void operator()(std::uint32_t i) const {
            entries[entries.size - 1 - atomic_append(&n->others)] = i;
        }
    };
    [[nodiscard]] LeaveLambertian leave_lambertian() const { return {entries, n}; }
    [[nodiscard]] LeaveOthers leave_others() const { return {entries, n}; }
};

/// Calls lambertian(team, i) and others(team, i) for the points that were left, from every thread
/// of a wide team. Does nothing on the CPU, where none are.
template <class Lambertian, class Others>
void for_each_dense_point([[maybe_unused]] Stream& stream, [[maybe_unused]] std::uint32_t capacity,
                          [[maybe_unused]] const DensePoints& dense,
                          [[maybe_unused]] const Lambertian& lambertian,
                          [[maybe_unused]] const Others& others) {
#if defined(__CUDACC__)
    // A fraction of the warps that a GPU runs at a time: mostly there are no such points.
    constexpr std::uint32_t kWide = WideTeam::kThreads, kMostTeams = 1u << 12;
    std::uint32_t n_teams = std::min(capacity, kMostTeams);
    parallel_for(
        stream, "gather dense photons", n_teams * kWide, TL_LAMBDA(std::uint32_t thread) {
            std::uint32_t n_lambertian = dense.n->lambertian, n = n_lambertian + dense.n->others;
            auto last = static_cast<std::uint32_t>(dense.entries.size) - 1;
            for (std::uint32_t k = thread / kWide; k < n; k += n_teams) {
                if (k < n_lambertian)
                    lambertian(WideTeam(), dense.entries[k]);
                else
                    others(WideTeam(), dense.entries[last - (k - n_lambertian)]);
            }
        });
#endif
}

/// Gathers at all points of a bounce's queue: by `lambertian` at Lambertian points, by `others` at
/// the others. `counts`: the queue's lengths, on the device; n_dense is zero, and is not any more
/// afterwards.
template <class Near, class NearOthers>
void gather_photons(Stream& stream, const SceneView& scene, const GatherQueue& queue,
                    WaveCounts* counts, const Near& lambertian, const NearOthers& others) {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    const DensePoints dense{queue.dense, &counts->n_dense};
    const GatherAtLambertian<Near> at_lambertian{lambertian, queue.lambertian};
    const GatherAtOthers<NearOthers> at_others{others, scene, queue.rays, queue.hits};
    for_each_gather_point(stream, &counts->n_lambertian, most, at_lambertian,
                          dense.leave_lambertian());
    for_each_gather_point(stream, &counts->n_others, most, at_others, dense.leave_others());
    for_each_dense_point(stream, most, dense, at_lambertian, at_others);
}

TL_DEVICE_END
