// Photons are sent where earlier ones have arrived. Of a lamp over a table with a glass on it, a
// hundredth of the light meets the glass; a first part of a pass, which goes everywhere, finds
// which, and the rest of the pass follows it.
//
// What is guided are the numbers in [0, 1) that a source's ray is drawn by (Guo et al. 2018,
// "Primary sample space path guiding"), so that one table serves every kind of source: for groups
// of sources, the densities of the pair that draws the direction and of the pair that draws the
// place. A share of the rays stays unguided, so that none weighs much more than it would otherwise.
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/block.h"
#include "renderer/photon/photon.h"

namespace tl {

/// A density over [0, 1)^2 that is even within each of kSize x kSize cells.
template <int kSize>
struct CellDensity {
    static constexpr int kCells = kSize * kSize;
    float rows[kSize];          ///< probability of the rows up to each
    float cells[kSize][kSize];  ///< in each row, of the cells up to each, given the row

    [[nodiscard]] TL_HD static std::uint32_t cell_of(vec2 p) {
        return index_of(p.y) * kSize + index_of(p.x);
    }
    [[nodiscard]] TL_HD float at(vec2 p) const {
        std::uint32_t row = index_of(p.y), cell = index_of(p.x);
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
    [[nodiscard]] TL_HD static std::uint32_t index_of(float x) {
        auto i = static_cast<std::uint32_t>(x * kSize);
        return i < kSize ? i : kSize - 1;
    }
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

/// Of a group of sources: how many photons have come of each cell, then the densities.
struct GuideCounts {
    std::uint32_t direction[32 * 32], place[16 * 16];
    std::uint32_t n;
};
struct GuideDensities {
    CellDensity<32> direction;
    CellDensity<16> place;
    float share;  ///< of rays that are guided
};

/// Sources are grouped by their number.
inline constexpr std::uint32_t kGuideGroups = 16;

/// Counts the photons that arrive; null where they are not counted.
struct GuideRecord {
    GuideCounts* groups = nullptr;
};

/// Draws rays; null where they are not guided.
struct PhotonGuide {
    const GuideDensities* groups = nullptr;

    /// Moves the numbers that a ray of the source is drawn by; `choice`, in [0, 1), decides
    /// whether. Returns one over the density of what results.
    [[nodiscard]] TL_HD float move(std::uint32_t source, float choice, vec2& place,
                                   vec2& direction) const {
        if (!groups) return 1;
        const GuideDensities& group = groups[source % kGuideGroups];
        if (choice < group.share) {
            place = group.place.warp(place);
            direction = group.direction.warp(direction);
        }
        float guided = group.place.at(place) * group.direction.at(direction);
        return 1 / (1 - group.share + group.share * guided);
    }
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Makes densities of the counts of `n_emitted` rays. Where many of the rays have arrived, or too
/// few to tell anything, none will be guided.
void make_guide(Stream& stream, View<const GuideCounts> counts, std::uint32_t n_emitted,
                View<GuideDensities> densities);

TL_DEVICE_END
