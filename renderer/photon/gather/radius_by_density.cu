#include "renderer/photon/gather/radius_by_density.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

/// kChosen: expected number of sampled photons. kRoom: capacity for them.
constexpr std::uint32_t kChosen = 2048, kRoom = 3072;
/// Rank of the neighbour whose distance measures the density around a photon.
constexpr int kNth = 8;

struct PhotonCounts {
    std::uint32_t n, n_chosen;
    /// Sum of fixed-point logarithms of the sampled photons' squared distances, see FixedLog.
    std::uint32_t log_square;
};

/// Logarithms as integers, so that their sum does not depend on the order. Up to kRoom of them fit.
struct FixedLog {
    static constexpr float kLeast = -100, kMost = 100, kOne = 4096;
    static_assert(double(kMost - kLeast) * double(kOne) * kRoom < 4294967296.0);

    [[nodiscard]] TL_D static std::uint32_t of(float x) {
        float log = minimum(maximum(log2f(x), kLeast), kMost);
        return static_cast<std::uint32_t>((log - kLeast) * kOne);
    }
    [[nodiscard]] TL_D static float mean(std::uint32_t sum, std::uint32_t n) {
        return exp2f(static_cast<float>(sum) / (static_cast<float>(n) * kOne) + kLeast);
    }
};

/// Photons of a list that take part: caustics without a kernel, or all others.
struct Counted {
    PhotonList list;
    bool caustics;

    [[nodiscard]] TL_D bool has(std::uint32_t i) const {
        if (i >= *list.count || Photon::is_caustic(list.photons[i].surface) != caustics)
            return false;
        return !caustics || list.shapes.empty() || !(list.shapes[i].reach > 0);
    }
};

void count_photons(Stream& stream, const Counted& counted, std::uint32_t n_most,
                   PhotonCounts* counts) {
    Counted given = counted;
    parallel_for(
        stream, "count photons", n_most, TL_LAMBDA(std::uint32_t i) {
            if (given.has(i)) atomic_append(&counts->n);
        });
}

/// Samples photons by a hash of their ids, so that the choice is reproducible.
void choose_photons(Stream& stream, const Counted& counted, std::uint32_t n_most, View<vec3> chosen,
                    PhotonCounts* counts) {
    Counted given = counted;
    parallel_for(
        stream, "choose photons", n_most, TL_LAMBDA(std::uint32_t i) {
            if (!given.has(i)) return;
            float number = to_unit_float(hash_bits(given.list.ids[i]));
            if (number * static_cast<float>(counts->n) >= kChosen) return;
            std::uint32_t k = atomic_append(&counts->n_chosen);
            if (k < kRoom) chosen[k] = given.list.photons[i].position;
        });
}

void measure_distances(Stream& stream, View<const vec3> chosen, PhotonCounts* counts) {
    parallel_for(
        stream, "distances of photons", kRoom, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t n = counts->n_chosen < kRoom ? counts->n_chosen : kRoom;
            if (i >= n) return;
            float nearest[kNth];
            for (float& square : nearest) square = kInfinity;
            for (std::uint32_t k = 0; k < n; ++k) {
                vec3 offset = chosen[k] - chosen[i];
                float square = glm::dot(offset, offset);
                if (k == i || !(square < nearest[kNth - 1])) continue;
                int at = kNth - 1;
                for (; at > 0 && nearest[at - 1] > square; --at) nearest[at] = nearest[at - 1];
                nearest[at] = square;
            }
            atomic_add(&counts->log_square, FixedLog::of(nearest[kNth - 1]));
        });
}

}  // namespace

void RadiusByDensity::find(Scratch& scratch, const PhotonList& list, std::uint32_t n_most,
                           bool caustics, float radius, float most) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto counts = scratch.take<PhotonCounts>(1);
    auto chosen = scratch.take<vec3>(kRoom);
    stream.device().fill_zero(stream, counts.data, sizeof(PhotonCounts));
    const Counted counted{list, caustics};
    count_photons(stream, counted, n_most, counts.data);
    choose_photons(stream, counted, n_most, chosen, counts.data);
    measure_distances(stream, chosen, counts.data);
    ratio_.resize_discard(stream, 1);
    float* ratio = ratio_.data();
    parallel_for(
        stream, "radius of photons", 1, TL_LAMBDA(std::uint32_t) {
            constexpr float kExpected = 150, kLeast = 0.02f;
            constexpr std::uint32_t kEnough = 64;
            *ratio = most;
            std::uint32_t n = counts[0].n_chosen < kRoom ? counts[0].n_chosen : kRoom;
            if (n < kEnough) return;
            // Expected number of photons, of all, within that distance of a sampled one.
            float within = kNth * static_cast<float>(counts[0].n) / static_cast<float>(n);
            float square = FixedLog::mean(counts[0].log_square, n) * kExpected / within;
            *ratio = minimum(maximum(sqrtf(square) / radius, kLeast), most);
        });
}

void RadiusByDensity::set(Stream& stream, float ratio) {
    ratio_.resize_discard(stream, 1);
    float* to = ratio_.data();
    parallel_for(
        stream, "radius of photons", 1, TL_LAMBDA(std::uint32_t) { *to = ratio; });
}

TL_DEVICE_END
