// Search for the k nearest photons of a surface point, by one of two algorithms, and the kernel of
// the density estimate.
//
// Both return a radius: the distance of the k-th photon, or close to it. The photons inside are
// distributed as if the farthest one had not been chosen. So sums over them with a kernel that is 0
// at r_k are unbiased. Zeidan 2011, section 6.1.2.1, counts all k over pi r_k^2, which is too
// bright by k / (k - 1). A constant kernel over k - 1 photons would be unbiased for random photons
// as well. It would be up to 1 / (2 k) too dark for evenly spread photons, such as Sobol points.
#pragma once

#include "accel/points/search_blocks.h"
#include "renderer/photon/thesis/photon_tree.h"

TL_DEVICE_BEGIN

/// Test for the photons that count at a query point: those of about the same orientation, near the
/// plane through it. Keeps light from leaking through walls and around corners.
struct PhotonFilter {
    vec3 position, side;
    std::uint32_t most_met;  ///< most surfaces that light has hit, as counted by Photon

    static constexpr float kLeastCosine = 0.7f;

    [[nodiscard]] TL_D bool accepts(std::uint32_t surface, vec3 at, float square) const {
        constexpr float kMostSlope = 0.5f;
        float height = glm::dot(at - position, side);
        return height * height <= kMostSlope * kMostSlope * square &&
               Photon::n_met(surface) <= most_met &&
               glm::dot(Photon::normal(surface), side) > kLeastCosine;
    }
};

TL_D inline void sync_team([[maybe_unused]] const Team& team) {
#if defined(__CUDACC__)
    team.sync();
#endif
}
/// Maximum over the team of values that are not negative.
TL_D inline float team_maximum([[maybe_unused]] const Team& team, float value) {
#if defined(__CUDACC__)
    return float_of_bits(team.maximum_of(bits_of_float(value)));
#else
    return value;
#endif
}

TL_D inline float team_minimum([[maybe_unused]] const Team& team, float value) {
#if defined(__CUDACC__)
    return float_of_bits(team.minimum_of(bits_of_float(value)));
#else
    return value;
#endif
}
TL_D inline std::uint32_t team_least([[maybe_unused]] const Team& team, std::uint32_t value) {
#if defined(__CUDACC__)
    return team.minimum_of(value);
#else
    return value;
#endif
}

/// Calls use(index, squared distance) for the photons that the filter accepts within a squared
/// distance of `most`. Each is used by one thread of the team.
template <class Use>
TL_D void for_each_photon_within(const PhotonTreeView& photons, const PhotonFilter& filter,
                                 float most, Use&& use) {
    const PointTreeView& tree = photons.tree;
    for_each_leaf_near(
        tree, filter.position, [=] { return most; },
        [&](std::uint32_t first, std::uint32_t count) {
            for (std::uint32_t i = first + Team::rank(); i < first + count; i += Team::kThreads) {
                vec3 at = load_vectorized(tree.points[i]).position;
                float square = square_distance(filter.position, at);
                if (square < most && filter.accepts(photons.surfaces[i], at, square))
                    use(i, square);
            }
        });
}

/// Exact k nearest photons, in a list.
struct NearestSearch {
    static constexpr int kMost = 128;
    using List = NearestList<kMost>;
    using Storage = List::Storage;

    int k;       ///< at most kMost
    float most;  ///< square of the largest search radius

    /// Calls use(index, squared distance, squared radius) for the photons inside the radius, each
    /// from one thread of the team. Returns the squared radius. The last number, that of the query
    /// point, serves searches that have been made before (ListedSearch).
    template <class Use>
    TL_D float for_each(const Team& team, Storage& storage, const PhotonTreeView& photons,
                        const PhotonFilter& filter, std::uint32_t /*point*/, Use&& use) const {
        List list(storage, k, most);
        const PointTreeView& tree = photons.tree;
        for_each_leaf_near(
            tree, filter.position, [&] { return list.worst(); },
            [&](std::uint32_t first, std::uint32_t count) {
                for (std::uint32_t i = 0; i < count; i += Team::kThreads) {
                    std::uint32_t own = i + Team::rank();
                    float square = kInfinity;
                    if (own < count) {
                        vec3 at = load_vectorized(tree.points[first + own]).position;
                        float found = square_distance(filter.position, at);
                        if (found < list.worst() &&
                            filter.accepts(photons.surfaces[first + own], at, found))
                            square = found;
                    }
                    list.offer(team, square, first + own);
                }
            });
        list.finish(team);
        float reach = list.worst();
        list.for_each([&](int, float square, std::uint32_t index) {
            if (index != ~0u && square < reach) use(index, square, reach);
        });
        return reach;
    }
};

/// Radius with k photons, from histograms of squared distances. Each round refines the bin that
/// contains the k-th photon (Zhou et al. 2008, "Real-time KD-tree construction on graphics
/// hardware", section 5). Then all photons within the radius are used.
struct HistogramSearch {
    static constexpr int kBins = 32, kRounds = 4;
    struct Storage {
        std::uint32_t bins[kBins];
    };

    int k;
    float most;  ///< square of the largest search radius

    /// Square of a radius with k photons, or with more where four rounds do not separate them. `n`
    /// becomes their number. Where fewer than k are closer than `most`, that is returned and `n` is
    /// 0. (Accepting a radius with some more photons, to save rounds, would favour dense regions
    /// and overestimate.)
    TL_D float radius(const Team& team, Storage& storage, const PhotonTreeView& photons,
                      const PhotonFilter& filter, std::uint32_t& n) const {
        auto wanted = static_cast<std::uint32_t>(k);
        float low = 0, high = most;
        std::uint32_t n_below = 0;
        n = 0;
        for (int round = 0; round < kRounds; ++round) {
            for (int b = static_cast<int>(Team::rank()); b < kBins;
                 b += static_cast<int>(Team::kThreads))
                storage.bins[b] = 0;
            sync_team(team);
            float per_square = kBins / (high - low);
            for_each_photon_within(photons, filter, high, [&](std::uint32_t, float square) {
                if (square < low) return;
                int bin = static_cast<int>((square - low) * per_square);
                block_add(&storage.bins[bin < kBins ? bin : kBins - 1], 1);
            });
            sync_team(team);
            int bin = 0;
            std::uint32_t n_up_to = n_below + storage.bins[0];
            while (n_up_to < wanted && bin + 1 < kBins) n_up_to += storage.bins[++bin];
            std::uint32_t n_in = storage.bins[bin];
            sync_team(team);
            if (n_up_to < wanted) return high;
            n = n_up_to;
            n_below = n_up_to - n_in;
            float width = (high - low) / kBins;
            high = minimum(low + width * static_cast<float>(bin + 1), high);
            low = low + width * static_cast<float>(bin);
            if (n == wanted || !(high > low)) return high;
        }
        return high;
    }
    /// NearestSearch::for_each, with the radius of the histograms.
    template <class Use>
    TL_D float for_each(const Team& team, Storage& storage, const PhotonTreeView& photons,
                        const PhotonFilter& filter, std::uint32_t /*point*/, Use&& use) const {
        std::uint32_t n;
        float within = radius(team, storage, photons, filter, n);
        float reach = within;
        if (n > 0) {
            float farthest = 0;
            for_each_photon_within(photons, filter, within, [&](std::uint32_t, float square) {
                farthest = maximum(farthest, square);
            });
            reach = team_maximum(team, farthest);
        }
        for_each_photon_within(photons, filter, reach,
                               [&](std::uint32_t i, float square) { use(i, square, reach); });
        return reach;
    }
};

/// Kernel weight of a photon's power, 1/m^2: Epanechnikov's kernel, which falls to 0 with the
/// squared distance. `square`: squared distance; `reach`: squared radius.
TL_D inline float kernel_weight(float square, float reach) {
    return 2 / (kPi * reach) * (1 - square / reach);
}

TL_DEVICE_END
