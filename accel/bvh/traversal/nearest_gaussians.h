// Enumerates the Gaussians along a ray in order of distance, a batch per traversal.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "accel/gaussians/gaussians.h"

TL_DEVICE_BEGIN

/// Batch of the nearest peaks along a ray after a given peak, in order. Peaks at the same distance
/// are ordered by number, so that the order is the same on all devices and for all trees.
struct NearestGaussians {
    static constexpr int kMost = 16;
    float t[kMost];
    std::uint32_t id[kMost];
    float opacity[kMost];
    int n = 0;
    float after_t;           ///< distance of the peak that the batch follows
    std::uint32_t after_id;  ///< number of the peak that the batch follows

    [[nodiscard]] TL_D static bool precedes(float t, std::uint32_t id, float other_t,
                                            std::uint32_t other_id) {
        return t < other_t || (t == other_t && id < other_id);
    }
    [[nodiscard]] TL_D bool is_full() const { return n == kMost; }
    /// Inserts a peak if it is one of the nearest and not in the batch yet: a tree may have a
    /// Gaussian in several leaves.
    TL_D void insert(const GaussianPeak& peak, std::uint32_t number) {
        if (!precedes(after_t, after_id, peak.t, number)) return;
        int at = n;
        while (at > 0 && precedes(peak.t, number, t[at - 1], id[at - 1])) --at;
        if (at == kMost || (at > 0 && id[at - 1] == number)) return;
        if (n < kMost) ++n;
        for (int k = n - 1; k > at; --k) {
            t[k] = t[k - 1];
            id[k] = id[k - 1];
            opacity[k] = opacity[k - 1];
        }
        t[at] = peak.t;
        id[at] = number;
        opacity[at] = peak.opacity;
    }
};

/// Primitive tester that collects peaks in a batch. Once the batch is full it reports a hit at the
/// farthest peak, which ends the search there.
struct GaussianTester {
    NearestGaussians* nearest;

    TL_D bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        GaussianPeak peak = gaussian_peak(p, ray);
        if (!(peak.opacity >= kFaintest && peak.t > ray.t_min && peak.t <= t_max)) return false;
        nearest->insert(peak, p.id);
        if (!nearest->is_full()) return false;
        hit.t = nearest->t[NearestGaussians::kMost - 1];
        return true;
    }
};

/// Calls visit(number, opacity) for the Gaussians along a ray between t_min and t_max, nearest
/// first, until it returns false.
template <class Visit>
TL_D void for_each_gaussian(const GaussiansView& gaussians, const Ray& ray, Visit&& visit) {
    constexpr float kRounding = 1e-5f;  // relative distance of a peak from its box by rounding
    NearestGaussians nearest;
    nearest.after_t = ray.t_min;
    nearest.after_id = 0;
    Ray rest = ray;
    do {
        nearest.n = 0;
        NoStats stats;
        (void)traverse<false>(Bvh2Nodes<false>{gaussians.tree}, gaussians.primitives, rest,
                              GaussianTester{&nearest}, stats);
        for (int k = 0; k < nearest.n; ++k)
            if (!visit(nearest.id[k], nearest.opacity[k])) return;
        if (!nearest.is_full()) return;
        nearest.after_t = nearest.t[NearestGaussians::kMost - 1];
        nearest.after_id = nearest.id[NearestGaussians::kMost - 1];
        rest.t_min = nearest.after_t * (1 - kRounding);
    } while (true);
}

TL_DEVICE_END
