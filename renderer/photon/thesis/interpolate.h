// Interpolation of irradiance between seeds: a mean of the seeds around, weighted by Ward's
// estimate of the difference to theirs (Ward, Rubinstein & Clear 1988, "A ray tracing solution for
// diffuse interreflection"). Ward uses all records that are good enough. Here the nearest seeds
// count, however far away, so that every query point has some. Their weights fall to 0 at the
// distance of the farthest one, which avoids visible seams.
#pragma once

#include "renderer/photon/thesis/final_gather.h"
#include "renderer/photon/thesis/photon_search.h"

TL_DEVICE_BEGIN

/// Search for the nearest seeds, and interpolation.
struct SeedSearch {
    /// Seeds per interpolation.
    static constexpr int kNearest = 12;
    using List = NearestList<16>;
    using Storage = List::Storage;

    IrradianceSeedsView seeds;

    /// Whether a seed may count. `strict`: requires about the same orientation, and that the seed
    /// is not in front of or behind the query point.
    [[nodiscard]] TL_D static bool accepts(const IrradianceSeed& seed, vec3 p, vec3 normal,
                                           float square, bool strict) {
        constexpr float kMostSlope = 0.3f;
        vec3 own = unpack_direction<16>(seed.normal);
        float cosine = glm::dot(own, normal);
        if (!strict) return cosine > 0;
        float height = glm::dot(p - seed.position, normal + own) / 2;
        return cosine > kLeastCosine && height * height <= kMostSlope * kMostSlope * square;
    }
    /// Interpolated irradiance, W/m^2, the same in all threads of the team. Falls back to seeds
    /// that are not strict where no others are found.
    TL_D vec3 irradiance(const Team& team, Storage& storage, vec3 p, vec3 normal) const {
        for (int round = 0; round < 2; ++round) {
            bool strict = round == 0;
            List list(storage, kNearest, kInfinity);
            search(team, list, p, normal, strict);
            float worst = list.worst(), weights = 0;
            vec3 sum(0);
            list.for_each([&](int, float square, std::uint32_t k) {
                if (k == ~0u) return;
                IrradianceSeed seed = load_vectorized(seeds.seeds[k]);
                float weight = weight_of(seed, normal, square, worst);
                weights += weight;
                sum += weight * seed.irradiance;
            });
            sum = team.sum(sum);
            weights = team.sum(vec3(weights)).x;
            if (weights > 0) return sum / weights;
            sync_team(team);
        }
        return vec3(0);
    }

  private:
    static constexpr float kLeastCosine = 0.7f;

    TL_D void search(const Team& team, List& list, vec3 p, vec3 normal, bool strict) const {
        const PointTreeView& tree = seeds.tree;
        for_each_leaf_near(
            tree, p, [&] { return list.worst(); },
            [&](std::uint32_t first, std::uint32_t count) {
                for (std::uint32_t i = 0; i < count; i += Team::kThreads) {
                    std::uint32_t own = i + Team::rank();
                    float square = kInfinity;
                    TreePoint point{};
                    if (own < count) {
                        point = load_vectorized(tree.points[first + own]);
                        float found = square_distance(p, point.position);
                        if (found < list.worst() &&
                            accepts(load_vectorized(seeds.seeds[point.index]), p, normal, found,
                                    strict))
                            square = found;
                    }
                    list.offer(team, square, point.index);
                }
            });
        list.finish(team);
    }
    [[nodiscard]] TL_D static float weight_of(const IrradianceSeed& seed, vec3 normal, float square,
                                              float worst) {
        constexpr float kLeastError = 0.01f, kLeastWindow = 1e-4f;
        float cosine = minimum(glm::dot(unpack_direction<16>(seed.normal), normal), 1.0f);
        float error = sqrtf(square) / seed.distance + sqrtf(1 - cosine) + kLeastError;
        float within = maximum(1 - square / worst, kLeastWindow);
        float alike = maximum((cosine - kLeastCosine) / (1 - kLeastCosine), kLeastWindow);
        return within * within * alike / (error * error);
    }
};

TL_DEVICE_END
