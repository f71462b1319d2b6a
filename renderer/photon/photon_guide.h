// Photons are sent where earlier ones have arrived. Of a lamp over a table with a glass on it, a
// hundredth of the light meets the glass; photons that go everywhere find which, and others follow
// them.
//
// What is guided are the numbers in [0, 1) that a source and its ray are drawn by (Guo et al. 2018,
// "Primary sample space path guiding"), so that one kind of table serves every kind of source: one
// density of the pair that draws the source, and for groups of sources the densities of the pairs
// that draw the direction and the place. Some rays stay unguided, so that none weighs much more
// than it would otherwise.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/photon/photon.h"

namespace tl {

/// Which of kSize even parts of [0, 1).
template <int kSize>
[[nodiscard]] TL_HD std::uint32_t cell_along(float x) {
    auto i = static_cast<std::uint32_t>(x * kSize);
    return i < kSize ? i : kSize - 1;
}

/// A density over [0, 1)^2 that is even within each of kSize x kSize cells.
template <int kSize>
struct CellDensity {
    static constexpr int kCells = kSize * kSize;
    float rows[kSize];          ///< probability of the rows up to each
    float cells[kSize][kSize];  ///< in each row, of the cells up to each, given the row

    [[nodiscard]] TL_HD float at(vec2 p) const {
        std::uint32_t row = cell_along<kSize>(p.y), cell = cell_along<kSize>(p.x);
        return static_cast<float>(kCells) * part(rows, row) * part(cells[row], cell);
    }
    /// Moves an even pair of numbers to one of this density.
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

/// Sources are grouped by their number.
inline constexpr std::uint32_t kGuideGroups = 16;

/// Something for each cell of the numbers.
template <class Source, class Direction, class Place>
struct GuideTables {
    Source source;
    Direction direction[kGuideGroups];
    Place place[kGuideGroups];
};
inline constexpr int kSourceCells = 32, kDirectionCells = 32, kPlaceCells = 64;
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
    float share;  ///< of rays that are guided
};

/// The numbers that a photon's ray is drawn by.
struct EmissionNumbers {
    vec2 source, place, direction;
    float choice;  ///< whether they are guided
};

/// Which numbers the ray of a source depends on: others are not guided, since all that would tell
/// their parts apart is chance.
struct GuidedNumbers {
    bool source = true, place = true, direction = true;
};

/// Moves the numbers; null where they stay.
struct PhotonGuide {
    const GuideDensities* densities = nullptr;

    [[nodiscard]] TL_HD bool is_used() const { return densities && densities->share > 0; }
    /// To be called first; then the numbers of the source tell which it is.
    TL_HD void move_source(EmissionNumbers& numbers) const {
        if (is_used() && numbers.choice < densities->share)
            numbers.source = densities->source.warp(numbers.source);
    }
    /// Returns one over the density of what results, that of the source's numbers included.
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

/// Counts the photons that arrive; null where they are not counted.
struct GuideRecord {
    GuideSums<std::uint32_t>* counts = nullptr;  ///< in parts of kOne, by weight
    std::uint32_t every = 1;                     ///< whose numbers are multiples of it

    static constexpr float kOne = 256;  // of the most photons of a pass, sums are below 2^31
};

}  // namespace tl

TL_DEVICE_BEGIN

/// What is known so far of where photons arrive.
class LearnedGuide {
  public:
    [[nodiscard]] bool has_learned() const { return has_learned_; }
    void forget() { has_learned_ = false; }
    [[nodiscard]] PhotonGuide guide() const;
    /// To count each `every`th photon for the next learn(). Never waits.
    [[nodiscard]] GuideRecord record(Stream& stream, std::uint32_t every);
    /// Takes what record() has counted of `n_counted` photons of `n_sources` sources. Where many
    /// photons arrive, or too few to tell anything, none will be guided. Never waits.
    void learn(Stream& stream, std::uint32_t n_counted, std::uint32_t n_sources);

  private:
    bool has_learned_ = false;
    DeviceArray<GuideSums<std::uint32_t>> counts_;  // one: of the newest pass
    DeviceArray<GuideSums<float>> learned_;         // one: of all passes
    DeviceArray<float> n_emitted_;                  // one: of all passes
    DeviceArray<GuideDensities> densities_;         // one
};

TL_DEVICE_END
