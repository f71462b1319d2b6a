// A grid over photons, for finding all within a radius of a place: cells twice as wide as the
// radius, so that eight of them hold all, kept in a table by a hash of their coordinates. Photons
// are sorted by their place in the table and then by number, so that sums over them do not depend
// on the order in which they were stored. Caustics may have a table of their own, for another
// radius, or several, where each of them has a kernel of its own.
#pragma once

#include <algorithm>
#include <bit>

#include "accel/parallel/team.h"
#include "renderer/photon/photon.h"
#include "renderer/shading/sampler.h"

#if !defined(__CUDACC__)
#include "accel/parallel/simd8.h"
#endif

namespace tl {

struct PhotonRange {
    std::uint32_t first, end;
};

/// The half of a photon that tells whether it counts, and the other half.
struct alignas(16) PhotonPlace {
    vec3 position;
    std::uint32_t surface;
};
struct alignas(16) PhotonLight {
    vec3 power;
    std::uint32_t direction;
};
static_assert(sizeof(PhotonPlace) == 16 && sizeof(PhotonLight) == 16);

#if !defined(__CUDACC__)
/// The positions of eight photons, one in each lane.
inline Vec3x8 positions_of(const PhotonPlace* photons) {
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

/// A bit for each of the photons [first, end), 64 at most: whether its square distance from `p` is
/// less than `most`.
inline std::uint64_t photons_within(const PhotonPlace* photons, std::uint32_t first,
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
        // The last eight overlap those before.
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

/// One table, and all that a kernel needs.
struct PhotonGridView {
    const PhotonPlace* places = nullptr;
    const PhotonLight* lights = nullptr;
    const std::uint32_t* order = nullptr;  ///< their indices in the list of which it was built
    const PhotonRange* slots = nullptr;
    std::uint32_t slot_mask = 0;  ///< their number less one, a power of two
    float radius = 0;
    float inverse_cell = 0;
    const float* share = nullptr;  ///< on the device: of `radius`, see scaled(); null: all of it
    const std::uint32_t* is_used = nullptr;  ///< on the device: 0 where the table is empty
    /// Of photons that have kernels of their own, or null. There is then a table for each size of
    /// kernels, kLevels of them, the radius of each half that of the one before.
    const PhotonShape* shapes = nullptr;

    /// Of these, in the slots of cells for the first size, which hold photons whose kernels reach
    /// into the cell: a bit each.
    const std::uint32_t* sizes = nullptr;

    static constexpr int kLevels = 7;
    [[nodiscard]] TL_HD int n_levels() const { return shapes ? kLevels : 1; }
    /// The table of a size.
    [[nodiscard]] TL_D PhotonGridView level(int k) const {
        PhotonGridView grid = *this;
        for (int i = 0; i < k; ++i) grid.radius /= 2;
        grid.inverse_cell = 1 / (2 * grid.radius);
        grid.slots += static_cast<std::uint32_t>(k) * (slot_mask + 1);
        return grid;
    }
    /// The number of the table for a kernel that reaches so far.
    [[nodiscard]] TL_D int level_of(float reach) const {
        int k = 0;
        for (float half = radius / 2; k + 1 < kLevels && reach <= half; half /= 2) ++k;
        return k;
    }

    /// The same with a radius that only the device knows, to be taken before all else.
    [[nodiscard]] TL_D PhotonGridView scaled() const {
        PhotonGridView grid = *this;
        if (!share) return grid;
        grid.radius *= *share;
        grid.inverse_cell = 1 / (2 * grid.radius);
        return grid;
    }
    /// Of the cells, as a part of their width: a floor at height 0 lies in one layer of them.
    static constexpr float kShift = 0.3f;

    /// Blocks of 4 x 4 x 4 cells lie together.
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

    /// Calls use(slot) for the cells that a ball around `p` meets, whose radius is no larger than
    /// the grid's, and that are as close to a plane as for_each_near has it.
    template <class Use>
    TL_D void for_each_reached(vec3 p, float reach, Use&& use, vec3 side = vec3(0),
                               float thickness = 1) const {
        const CellsAround around(*this, p, reach, side, thickness);
        for (int cell = 0; cell < 8; ++cell)
            if (around.in_reach(cell)) use(around.slot(*this, cell));
    }
    /// A bit for each table that may have photons which reach `p`.
    [[nodiscard]] TL_D std::uint32_t sizes_near(vec3 p) const {
        return shapes ? sizes[slot_at(p)] : *is_used;
    }

    /// Calls use(index, PhotonPlace, offset from `p`, its square) for all photons closer to `p`
    /// than `reach`, the grid's radius at most, each from one thread of the team, in an order that
    /// depends on the photons alone. Those that lie further than `thickness` from the plane through
    /// `p` of normal `side` may be left out.
    template <class Use>
    TL_D void for_each_near([[maybe_unused]] const Team& team, [[maybe_unused]] vec3 p, float reach,
                            [[maybe_unused]] Use&& use, [[maybe_unused]] vec3 side = vec3(0),
                            [[maybe_unused]] float thickness = 1) const {
        [[maybe_unused]] float most = reach * reach;
#if defined(__CUDA_ARCH__)
        // A fifth of the candidates is within the radius: threads first collect these, so that most
        // threads of a warp are at work when they use them.
        constexpr int kBatch = 16;
        std::uint32_t found[kBatch];
        int n_found = 0;
        auto use_found = [&] {
            for (int k = 0; k < n_found; ++k) {
                PhotonPlace place = load_whole(places[found[k]]);
                vec3 offset = place.position - p;
                use(found[k], place, offset, glm::dot(offset, offset));
            }
            n_found = 0;
        };
        CellsAround around(*this, p, reach, side, thickness);
        int own_cell = static_cast<int>(team.rank());
        bool in_reach = around.in_reach(own_cell);
        std::uint32_t own_slot = in_reach ? around.slot(*this, own_cell) : ~team.rank();
        // Of cells that share a slot, the first.
        bool is_first = team.is_first_of(own_slot);
        PhotonRange own = in_reach && is_first ? slots[own_slot] : PhotonRange{0, 0};
        for (int k = 0; k < 8; ++k) {
            std::uint32_t end = team.from(own.end, k);
            for (std::uint32_t i = team.from(own.first, k) + team.rank(); i < end; i += 8) {
                vec3 offset = load_whole(places[i]).position - p;
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
            // Without branches that nothing could predict, the near ones are found first.
            constexpr std::uint32_t kBatch = 64;
            PhotonRange range = slots[slot];
            for (std::uint32_t first = range.first; first < range.end; first += kBatch) {
                std::uint32_t end = std::min(range.end, first + kBatch);
                for (std::uint64_t near = photons_within(places, first, end, p, most); near;
                     near &= near - 1) {
                    std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(near));
                    PhotonPlace place = load_whole(places[i]);
                    vec3 offset = place.position - p;
                    use(i, place, offset, glm::dot(offset, offset));
                }
            }
        }
#endif
    }

    /// The same for a `reach` of any length; slower.
    template <class Use>
    TL_D void for_each_far([[maybe_unused]] const Team& team, vec3 p, float reach,
                           Use&& use) const {
        int rank = 0, n_threads = 1;
#if defined(__CUDA_ARCH__)
        rank = static_cast<int>(team.rank());
        n_threads = Team::kThreads;
#endif
        auto use_cell = [&](int x, int y, int z) {
            PhotonRange slot = slots[slot_of(x, y, z)];
            for (std::uint32_t i = slot.first; i < slot.end; ++i) {
                PhotonPlace place = load_whole(places[i]);
                vec3 offset = place.position - p;
                float distance2 = glm::dot(offset, offset);
                // Other cells may share the slot.
                if (distance2 < reach * reach && cell_of(place.position.x) == x &&
                    cell_of(place.position.y) == y && cell_of(place.position.z) == z)
                    use(i, place, offset, distance2);
            }
        };
        for_each_cell(p, reach, use_cell, rank, n_threads);
    }
    /// Calls use(x, y, z) for every `step`th cell, from the `first` on, of those around `p` whose
    /// box a ball's box meets.
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
    /// The eight cells that a ball around a place may meet.
    struct CellsAround {
        int x, y, z;  ///< the first
        float most, most_height;
        // Of both halves of the cells, along each axis: the square of the distance to the ball's
        // middle, and the height of their middle above the plane.
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
                // From the place to the plane between the cells.
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
        /// The sum of what belongs to a cell's halves.
        [[nodiscard]] TL_D static float of_halves(const float (&values)[3][2], int k) {
            // Chosen, not addressed, so that a GPU keeps them in registers.
            return (k & 1 ? values[0][1] : values[0][0]) + (k & 2 ? values[1][1] : values[1][0]) +
                   (k & 4 ? values[2][1] : values[2][0]);
        }
        /// Whether parts of the cell are within the radius and as close to the plane, but for
        /// rounding.
        [[nodiscard]] TL_D bool in_reach(int k) const {
            return of_halves(distance2, k) < most && fabsf(of_halves(height, k)) <= most_height;
        }
    };
};

/// What is known of a list's length before it has been filled.
struct PhotonNumbers {
    std::uint32_t n_most;   ///< no more than these are in the list
    std::uint32_t last_id;  ///< no id is larger
    std::uint32_t n_about;  ///< how many there may be; sums over photons are grouped by that, so
                            ///< that it has to be the same whenever their bits are to be
};

/// Of the radius, on the device, for photons that only mirrors and glass have turned, which are
/// then in a table of their own, and for all others. Null: all of it, in one table.
struct PhotonShares {
    const float* indirect = nullptr;
    const float* caustic = nullptr;
};

class PhotonCulling;

/// A grid's memory, which is used again.
class PhotonGrid {
  public:
    /// Sorts the photons into cells for the radius; never waits. Where the list has shapes,
    /// caustics without one get a disc of the share's radius. With `culling`, which has to know the
    /// grid as planned, photons that none of its places may look at are left out.
    void build(Scratch& scratch, const PhotonList& list, const PhotonNumbers& numbers, float radius,
               const PhotonShares& shares = {}, PhotonCulling* culling = nullptr);
    /// The part of `build` that needs no photons, after which views know their cells. Never waits.
    void plan(Stream& stream, const PhotonNumbers& numbers, float radius,
              const PhotonShares& shares, bool with_shapes);
    [[nodiscard]] PhotonGridView view() const;
    /// That of caustics.
    [[nodiscard]] PhotonGridView caustic_view() const;
    /// Photons that there was room for: no more of those in the list are in the grid, which are its
    /// first.
    [[nodiscard]] std::size_t capacity() const { return places_.size(); }

  private:
    DeviceArray<PhotonPlace> places_;
    DeviceArray<PhotonLight> lights_;
    DeviceArray<PhotonShape> shapes_;  // or empty
    DeviceArray<std::uint32_t> order_;
    DeviceArray<PhotonRange> slots_;      // of all tables
    DeviceArray<std::uint32_t> is_used_;  // of each of the first two
    DeviceArray<std::uint32_t> sizes_;    // PhotonGridView::sizes
    std::uint32_t n_slots_ = 0;           // of the first table
    std::uint32_t n_caustic_slots_ = 0;   // of each of the others
    std::uint32_t n_caustic_tables_ = 0;
    float radius_ = 0;
    bool has_shapes_ = false;
    PhotonShares shares_;
};

TL_DEVICE_END
