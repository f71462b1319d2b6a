// Photon guiding: emission is importance sampled by where earlier photons were stored. For example,
// a glass on a table receives a hundredth of the light of the lamp above. Unguided photons find
// that hundredth, and guided ones follow them.
//
// The random numbers in [0, 1) that draw a source and its ray are guided (Guo et al. 2018, "Primary
// sample space path guiding"), so that one kind of table serves every kind of source. One density
// guides the pair that draws the source. For each group of sources, two densities guide the pairs
// that draw the direction and the position. A fraction of the rays stays unguided, which bounds the
// weight of any photon.
#pragma once

#include "core/device/array.h"
#include "renderer/photon/photon.h"

namespace tl {

/// Index of the cell that contains `x`, of kSize equal parts of [0, 1).
template <int kSize>
[[nodiscard]] TL_HD std::uint32_t cell_along(float x) {
    auto i = static_cast<std::uint32_t>(x * kSize);
    return i < kSize ? i : kSize - 1;
}

/// Piecewise constant density over [0, 1)^2, with kSize x kSize cells.
template <int kSize>
struct CellDensity {
    static constexpr int kCells = kSize * kSize;
    float rows[kSize];          ///< cumulative probability of the rows
    float cells[kSize][kSize];  ///< per row, cumulative conditional probability of its cells

    [[nodiscard]] TL_HD float at(vec2 p) const {
        std::uint32_t row = cell_along<kSize>(p.y), cell = cell_along<kSize>(p.x);
        return static_cast<float>(kCells) * part(rows, row) * part(cells[row], cell);
    }
    /// Maps a uniform pair of numbers to one of this density.
    [[nodiscard]] TL_HD vec2 warp(vec2 p) const {
        std::uint32_t row;
        float y = warp(rows, p.y, row);
        std::uint32_t cell;
        return {warp(cells[row], p.x, cell), y};
    }

  private:
    [[nodiscard]] TL_HD static float part(const float* up_to, std::uint32_t i) {
        return i == 0 ? up_to[0] : up_to[i] - up_to[i - 1];
    }
    [[nodiscard]] TL_HD static float warp(const float* up_to, float x, std::uint32_t& i) {
        std::uint32_t first = 0, last = kSize - 1;
        while (first < last) {
            std::uint32_t middle = (first + last) / 2;
            if (x < up_to[middle])
                last = middle;
            else
                first = middle + 1;
        }
        i = first;
        float within = (x - (i == 0 ? 0.0f : up_to[i - 1])) / part(up_to, i);
        constexpr float kBelowOne = 1 - 0x1p-24f;
        float moved = (static_cast<float>(i) + minimum(maximum(within, 0.0f), kBelowOne)) / kSize;
        return minimum(moved, kBelowOne);
    }
};

/// Number of groups of sources. A source's group is its index modulo this.
inline constexpr std::uint32_t kGuideGroups = 16;

/// Tables over the cells of the random numbers.
template <class Source, class Direction, class Place>
struct GuideTables {
    Source source;
    Direction direction[kGuideGroups];
    Place place[kGuideGroups];
};
inline constexpr int kSourceCells = 32, kDirectionCells = 32, kPlaceCells = 64;
/// A value for each of kSize x kSize cells.
template <class T, int kSize>
struct GuideCells {
    T cells[kSize * kSize];

    [[nodiscard]] TL_HD T& at(vec2 p) {
        return cells[cell_along<kSize>(p.y) * kSize + cell_along<kSize>(p.x)];
    }
};
template <class T>
using GuideSums = GuideTables<GuideCells<T, kSourceCells>, GuideCells<T, kDirectionCells>,
                              GuideCells<T, kPlaceCells>>;

struct GuideDensities : GuideTables<CellDensity<kSourceCells>, CellDensity<kDirectionCells>,
                                    CellDensity<kPlaceCells>> {
    float share;  ///< fraction of guided rays
};

/// Random numbers that a photon's ray is drawn by.
struct EmissionNumbers {
    vec2 source, place, direction;
    float choice;  ///< selects guided or unguided
};

/// Random numbers that the ray of a source depends on. The others are not guided, since their cells
/// would differ by noise alone.
struct GuidedNumbers {
    bool source = true, place = true, direction = true;
};

/// Warps the random numbers of a ray; leaves them unchanged where `densities` is null.
struct PhotonGuide {
    const GuideDensities* densities = nullptr;

    [[nodiscard]] TL_HD bool is_used() const { return densities && densities->share > 0; }
    /// Warps the numbers that draw the source. To be called before move_ray, which needs the source
    /// that they draw.
    TL_HD void move_source(EmissionNumbers& numbers) const {
        if (is_used() && numbers.choice < densities->share)
            numbers.source = densities->source.warp(numbers.source);
    }
    /// Warps the numbers that draw the ray. Returns one over the density of all warped numbers,
    /// those of the source included.
    [[nodiscard]] TL_HD float move_ray(std::uint32_t source, GuidedNumbers which,
                                       EmissionNumbers& numbers) const {
        if (!is_used()) return 1;
        const auto& place = densities->place[source % kGuideGroups];
        const auto& direction = densities->direction[source % kGuideGroups];
        if (numbers.choice < densities->share) {
            if (which.place) numbers.place = place.warp(numbers.place);
            if (which.direction) numbers.direction = direction.warp(numbers.direction);
        }
        float guided = 1;
        if (which.source) guided *= densities->source.at(numbers.source);
        if (which.place) guided *= place.at(numbers.place);
        if (which.direction) guided *= direction.at(numbers.direction);
        return 1 / (1 - densities->share + densities->share * guided);
    }
};

/// Counts of stored photons per cell; null where they are not counted.
struct GuideRecord {
    GuideSums<std::uint32_t>* counts = nullptr;  ///< fixed point, in units of 1 / kOne, weighted
    std::uint32_t every = 1;  ///< counts only photons whose index is a multiple of it

    static constexpr float kOne = 256;  // a pass of the most photons has sums below 2^31
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Guide learned from the photons of all passes so far.
class LearnedGuide {
  public:
    [[nodiscard]] bool has_learned() const { return has_learned_; }
    void forget() { has_learned_ = false; }
    [[nodiscard]] PhotonGuide guide() const;
    /// Counters for each `every`-th photon, to be read by the next learn(). Never waits.
    [[nodiscard]] GuideRecord record(Stream& stream, std::uint32_t every);
    /// Learns from the counts that record() has collected: `n_counted` photons of `n_sources`
    /// sources. Guiding stays off where a large fraction of photons is stored anyway, or where too
    /// few are to learn from. Never waits.
    void learn(Stream& stream, std::uint32_t n_counted, std::uint32_t n_sources);

  private:
    bool has_learned_ = false;
    DeviceArray<GuideSums<std::uint32_t>> counts_;  // one entry, of the newest pass
    DeviceArray<GuideSums<float>> learned_;         // one entry, over all passes
    DeviceArray<float> n_emitted_;                  // one entry, over all passes
    DeviceArray<GuideDensities> densities_;         // one entry
};

TL_DEVICE_END
