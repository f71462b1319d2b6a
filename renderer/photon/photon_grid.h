// Hashed grid over photons, for fixed-radius searches. Cells are twice as wide as the search
// radius, so that eight of them cover the search sphere. Photons are sorted by slot of the hash
// table and then by id. So sums over them do not depend on the order in which they were stored.
// Caustics may have a table of their own, for another radius, or several tables where each caustic
// photon has its own kernel.
#pragma once

#include <algorithm>
#include <bit>

#include "core/device/team.h"
#include "renderer/photon/photon.h"
#include "renderer/shading/sampler.h"

#if !defined(__CUDACC__)
#include "core/base/simd8.h"
#endif

namespace tl {

/// Photons [first, end) of a slot.
struct PhotonRange {
    std::uint32_t first, end;
};

/// Half of a photon that a search tests.
struct alignas(16) PhotonPosition {
    vec3 position;
    std::uint32_t surface;
};
/// Other half of a photon, loaded once it counts.
struct alignas(16) PhotonLight {
    vec3 power;
    std::uint32_t direction;
};
static_assert(sizeof(PhotonPosition) == 16 && sizeof(PhotonLight) == 16);

#if !defined(__CUDACC__)
/// Positions of eight photons, one per lane.
inline Vec3x8 positions_of(const PhotonPosition* photons) {
    const float* words = &photons->position.x;
    auto pair = [&](int k) {
        __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(words + 4 * k));
        return _mm256_insertf128_ps(low, _mm_loadu_ps(words + 4 * (k + 4)), 1);
    };
    __m256 a = pair(0), b = pair(1), c = pair(2), d = pair(3);
    __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    return {_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee),
            _mm256_shuffle_ps(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d), 0x44)};
}

/// Bit mask over the photons [first, end), 64 at most: set where the squared distance from `p` is
/// less than `most`.
inline std::uint64_t photons_within(const PhotonPosition* photons, std::uint32_t first,
                                    std::uint32_t end, vec3 p, float most) {
    std::uint64_t near = 0;
    if (end < 8) {
        for (std::uint32_t i = first; i < end; ++i) {
            vec3 offset = photons[i].position - p;
            near |= std::uint64_t{glm::dot(offset, offset) < most} << (i - first);
        }
        return near;
    }
    const Vec3x8 place(p);
    for (std::uint32_t i = first; i < end; i += 8) {
        // The last eight overlap the ones before.
        std::uint32_t at = std::min(i, end - 8);
        Vec3x8 offset = positions_of(photons + at) - place;
        Float8 square = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
        near |= std::uint64_t{(square < Float8(most)).lanes() >> (i - at)} << (i - first);
    }
    return near;
}
#endif

}  // namespace tl

TL_DEVICE_BEGIN

/// One table, as kernels see it.
struct PhotonGridView {
    const PhotonPosition* places = nullptr;
    const PhotonLight* lights = nullptr;
    const std::uint32_t* order = nullptr;  ///< indices into the list that the grid was built from
    const PhotonRange* slots = nullptr;
    std::uint32_t slot_mask = 0;  ///< number of slots, a power of two, minus one
    float radius = 0;
    float inverse_cell = 0;
    /// On the device: ratio of the search radius to `radius`, see with_search_radius(); null: 1.
    const float* radius_ratio = nullptr;
    const std::uint32_t* is_used = nullptr;  ///< on the device: 0 where the table is empty
    /// Kernels of caustic photons that have kernels of their own, or null. There are then kLevels
    /// tables, one for each kernel size; the radius of each is half that of the one before.
    const PhotonShape* shapes = nullptr;

    /// Per slot of the first-size table, a bit mask over kernel sizes. A bit is set where a kernel
    /// of that size reaches into the cell. Null where `shapes` is.
    const std::uint32_t* sizes = nullptr;

    static constexpr int kLevels = 7;
    [[nodiscard]] TL_HD int n_levels() const { return shapes ? kLevels : 1; }
    /// The table of kernel size `k`.
    [[nodiscard]] TL_D PhotonGridView level(int k) const {
        PhotonGridView grid = *this;
        for (int i = 0; i < k; ++i) grid.radius /= 2;
        grid.inverse_cell = 1 / (2 * grid.radius);
        grid.slots += static_cast<std::uint32_t>(k) * (slot_mask + 1);
        return grid;
    }
    /// Index of the table for a kernel of radius `reach`.
    [[nodiscard]] TL_D int level_of(float reach) const {
        int k = 0;
        for (float half = radius / 2; k + 1 < kLevels && reach <= half; half /= 2) ++k;
        return k;
    }

    /// The grid whose `radius` is the search radius, which only the device knows. To be called
    /// before any search.
    [[nodiscard]] TL_D PhotonGridView with_search_radius() const {
        PhotonGridView grid = *this;
        if (!radius_ratio) return grid;
        grid.radius *= *radius_ratio;
        grid.inverse_cell = 1 / (2 * grid.radius);
        return grid;
    }
    /// Offset of the cells, divided by their width: a floor at height 0 lies in one layer of cells.
    static constexpr float kShift = 0.3f;

    /// Slot of a cell. Blocks of 4 x 4 x 4 cells have neighbouring slots.
    [[nodiscard]] TL_D std::uint32_t slot_of(int x, int y, int z) const {
        std::uint32_t block = hash_bits(static_cast<std::uint32_t>(x >> 2) * 73856093u ^
                                        static_cast<std::uint32_t>(y >> 2) * 19349663u ^
                                        static_cast<std::uint32_t>(z >> 2) * 83492791u);
        std::uint32_t cell = static_cast<std::uint32_t>((x & 3) | (y & 3) << 2 | (z & 3) << 4);
        return (block << 6 | cell) & slot_mask;
    }
    [[nodiscard]] TL_D int cell_of(float coordinate) const {
        constexpr float kFarthest = 1e9f;
        return static_cast<int>(
            floorf(minimum(maximum(coordinate * inverse_cell + kShift, -kFarthest), kFarthest)));
    }
    [[nodiscard]] TL_D std::uint32_t slot_at(vec3 p) const {
        return slot_of(cell_of(p.x), cell_of(p.y), cell_of(p.z));
    }

    /// Calls use(slot) for the cells that the sphere around `p` of radius `reach` intersects, the
    /// grid's radius at most. Cells too far from the plane are skipped, as for_each_near does.
    template <class Use>
    TL_D void for_each_reached(vec3 p, float reach, Use&& use, vec3 side = vec3(0),
                               float thickness = 1) const {
        const CellsAround around(*this, p, reach, side, thickness);
        for (int cell = 0; cell < 8; ++cell)
            if (around.in_reach(cell)) use(around.slot(*this, cell));
    }
    /// Bit mask of the tables that may have photons whose kernels reach `p`.
    [[nodiscard]] TL_D std::uint32_t sizes_near(vec3 p) const {
        return shapes ? sizes[slot_at(p)] : *is_used;
    }

    /// Calls use(index, PhotonPosition, offset from `p`, its square) for all photons closer to `p`
    /// than `reach`, the grid's radius at most. Each is used by one thread of the team, in an order
    /// that depends on the photons alone. Photons further than `thickness` from the plane through
    /// `p` of normal `side` may be skipped. Returns false, and calls nothing, where the cells in
    /// reach hold more than `most_candidates` photons; only on a GPU.
    template <class AnyTeam, class Use>
    TL_D bool for_each_near([[maybe_unused]] const AnyTeam& team, [[maybe_unused]] vec3 p,
                            float reach, [[maybe_unused]] Use&& use,
                            [[maybe_unused]] vec3 side = vec3(0),
                            [[maybe_unused]] float thickness = 1,
                            [[maybe_unused]] std::uint32_t most_candidates = ~0u) const {
        [[maybe_unused]] float most = reach * reach;
#if defined(__CUDA_ARCH__)
        // About a fifth of the candidates is within the radius. Threads first collect these, so
        // that most threads of a warp are active when they use them.
        constexpr int kBatch = 16;
        std::uint32_t found[kBatch];
        int n_found = 0;
        auto use_found = [&] {
            for (int k = 0; k < n_found; ++k) {
                PhotonPosition place = load_vectorized(places[found[k]]);
                vec3 offset = place.position - p;
                use(found[k], place, offset, glm::dot(offset, offset));
            }
            n_found = 0;
        };
        CellsAround around(*this, p, reach, side, thickness);
        int own_cell = static_cast<int>(team.rank() % 8);
        bool in_reach = around.in_reach(own_cell);
        std::uint32_t own_slot = in_reach ? around.slot(*this, own_cell) : ~team.rank();
        // Only the first of several cells with the same slot searches it.
        bool is_first = team.is_first_of(own_slot);
        PhotonRange own = in_reach && is_first ? slots[own_slot] : PhotonRange{0, 0};
        if (most_candidates != ~0u && team.sum(own.end - own.first) > most_candidates) return false;
        for (int k = 0; k < 8; ++k) {
            std::uint32_t end = team.from(own.end, k);
            for (std::uint32_t i = team.from(own.first, k) + team.rank(); i < end;
                 i += AnyTeam::kThreads) {
                vec3 offset = load_vectorized(places[i]).position - p;
                if (!(glm::dot(offset, offset) < most)) continue;
                found[n_found++] = i;
                if (n_found == kBatch) use_found();
            }
        }
        use_found();
#elif !defined(__CUDACC__)
        CellsAround around(*this, p, reach, side, thickness);
        std::uint32_t seen[8];
        for (int k = 0, n_seen = 0; k < 8; ++k) {
            if (!around.in_reach(k)) continue;
            std::uint32_t slot = around.slot(*this, k);
            if (std::find(seen, seen + n_seen, slot) != seen + n_seen) continue;
            seen[n_seen++] = slot;
            // Finds the photons in range first, without branches, which would be unpredictable.
            constexpr std::uint32_t kBatch = 64;
            PhotonRange range = slots[slot];
            for (std::uint32_t first = range.first; first < range.end; first += kBatch) {
                std::uint32_t end = std::min(range.end, first + kBatch);
                for (std::uint64_t near = photons_within(places, first, end, p, most); near;
                     near &= near - 1) {
                    std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(near));
                    PhotonPosition place = load_vectorized(places[i]);
                    vec3 offset = place.position - p;
                    use(i, place, offset, glm::dot(offset, offset));
                }
            }
        }
#endif
        return true;
    }

    /// for_each_near for a `reach` of any length; slower. Skips no photons by a plane.
    template <class AnyTeam, class Use>
    TL_D void for_each_far([[maybe_unused]] const AnyTeam& team, vec3 p, float reach,
                           Use&& use) const {
        int rank = 0, n_threads = 1;
#if defined(__CUDA_ARCH__)
        rank = static_cast<int>(team.rank());
        n_threads = AnyTeam::kThreads;
#endif
        auto use_cell = [&](int x, int y, int z) {
            PhotonRange slot = slots[slot_of(x, y, z)];
            for (std::uint32_t i = slot.first; i < slot.end; ++i) {
                PhotonPosition place = load_vectorized(places[i]);
                vec3 offset = place.position - p;
                float distance2 = glm::dot(offset, offset);
                // Other cells may have the same slot.
                if (distance2 < reach * reach && cell_of(place.position.x) == x &&
                    cell_of(place.position.y) == y && cell_of(place.position.z) == z)
                    use(i, place, offset, distance2);
            }
        };
        for_each_cell(p, reach, use_cell, rank, n_threads);
    }
    /// Calls use(x, y, z) for every `step`-th cell, from the `first` on, that intersects the
    /// bounding box of the sphere around `p`.
    template <class Use>
    TL_D void for_each_cell(vec3 p, float reach, Use&& use, int first = 0, int step = 1) const {
        int from[3], n[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = cell_of(p[axis] - reach);
            n[axis] = cell_of(p[axis] + reach) - from[axis] + 1;
        }
        for (int k = first; k < n[0] * n[1] * n[2]; k += step)
            use(from[0] + k % n[0], from[1] + k / n[0] % n[1], from[2] + k / (n[0] * n[1]));
    }

  private:
    /// The 2 x 2 x 2 cells that a search sphere may intersect.
    struct CellsAround {
        int x, y, z;  ///< the cell of least coordinates
        float most, most_height;
        // For both cells along each axis: contribution to the squared distance from the sphere's
        // centre, and to the height of the cell's centre above the plane.
        float distance2[3][2], height[3][2];

        TL_D CellsAround(const PhotonGridView& grid, vec3 p, float reach, vec3 side = vec3(0),
                         float thickness = 1)
            : x(grid.cell_of(p.x - reach)),
              y(grid.cell_of(p.y - reach)),
              z(grid.cell_of(p.z - reach)),
              most(1.01f * reach * reach) {
            const float half = grid.radius, first[3] = {static_cast<float>(x) + 1 - kShift,
                                                        static_cast<float>(y) + 1 - kShift,
                                                        static_cast<float>(z) + 1 - kShift};
            most_height = thickness;
            for (int axis = 0; axis < 3; ++axis) {
                // Distance from the query point to the plane between the two cells.
                float gap = first[axis] * (2 * half) - p[axis], square = gap * gap;
                distance2[axis][0] = gap < 0 ? square : 0.0f;
                distance2[axis][1] = gap > 0 ? square : 0.0f;
                height[axis][0] = side[axis] * (gap - half);
                height[axis][1] = side[axis] * (gap + half);
                most_height += fabsf(side[axis]) * half;
            }
            most_height *= 1.01f;
        }
        [[nodiscard]] TL_D std::uint32_t slot(const PhotonGridView& grid, int k) const {
            return grid.slot_of(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
        }
        /// Sum over the axes of the entries for cell `k`.
        [[nodiscard]] TL_D static float of_halves(const float (&values)[3][2], int k) {
            // Selected, not indexed, so that a GPU keeps them in registers.
            return (k & 1 ? values[0][1] : values[0][0]) + (k & 2 ? values[1][1] : values[1][0]) +
                   (k & 4 ? values[2][1] : values[2][0]);
        }
        /// Whether part of the cell is within the radius and close enough to the plane, with a
        /// margin for rounding.
        [[nodiscard]] TL_D bool in_reach(int k) const {
            return of_halves(distance2, k) < most && fabsf(of_halves(height, k)) <= most_height;
        }
    };
};

/// Bounds and estimates for a photon list, known before it is filled.
struct PhotonNumbers {
    std::uint32_t n_most;   ///< upper bound of the number of photons in the list
    std::uint32_t last_id;  ///< largest id
    /// Estimated number; it sets how sums over photons are grouped, so it must be equal wherever
    /// their bits must be.
    std::uint32_t n_about;
};

/// Ratios of search radii to the grid's radius, on the device. `caustic` is for photons that
/// specular surfaces alone have scattered, which then have a table of their own. Both null: ratio
/// 1, one table for all.
struct PhotonRadiusRatios {
    const float* indirect = nullptr;
    const float* caustic = nullptr;
};

class PhotonCulling;

/// A photon grid and its memory, which is reused.
class PhotonGrid {
  public:
    /// Sorts the photons into cells for the radius. Where the list has shapes, caustic photons
    /// without one get a disc of radius `radius` times the caustic ratio. With `culling`, which has
    /// to have marked the grid as planned, photons that no gather point may search are left out.
    /// Never waits.
    void build(Scratch& scratch, const PhotonList& list, const PhotonNumbers& numbers, float radius,
               const PhotonRadiusRatios& ratios = {}, PhotonCulling* culling = nullptr);
    /// The part of `build` that needs no photons. Views know their cells afterwards. Never waits.
    void plan(Stream& stream, const PhotonNumbers& numbers, float radius,
              const PhotonRadiusRatios& ratios, bool with_shapes);
    [[nodiscard]] PhotonGridView view() const;
    /// The first of the caustics' tables.
    [[nodiscard]] PhotonGridView caustic_view() const;
    /// Capacity in photons. At most this many photons of the list are in the grid, as its first
    /// entries.
    [[nodiscard]] std::size_t capacity() const { return places_.size(); }

  private:
    DeviceArray<PhotonPosition> places_;
    DeviceArray<PhotonLight> lights_;
    DeviceArray<PhotonShape> shapes_;  // may be empty
    DeviceArray<std::uint32_t> order_;
    DeviceArray<PhotonRange> slots_;      // slots of all tables
    DeviceArray<std::uint32_t> is_used_;  // 1 where one of the first two tables holds photons
    DeviceArray<std::uint32_t> sizes_;    // PhotonGridView::sizes
    std::uint32_t n_slots_ = 0;           // slots of the first table
    std::uint32_t n_caustic_slots_ = 0;   // slots of each other table
    std::uint32_t n_caustic_tables_ = 0;
    float radius_ = 0;
    bool has_shapes_ = false;
    PhotonRadiusRatios ratios_;
};

TL_DEVICE_END
