// A grid over photons, for finding all within a radius of a place: cells twice as wide as the
// radius, so that eight of them hold all, kept in a table by a hash of their coordinates. Photons
// are sorted by their place in the table and then by number, so that sums over them do not depend
// on the order in which they were stored. Caustics may have a table of their own, for another
// radius.
#pragma once

#include <algorithm>

#include "accel/parallel/team.h"
#include "renderer/photon/photon.h"
#include "renderer/shading/sampler.h"

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

    /// The same with a radius that only the device knows, to be taken before all else.
    [[nodiscard]] TL_D PhotonGridView scaled() const {
        PhotonGridView grid = *this;
        if (!share) return grid;
        grid.radius *= *share;
        grid.inverse_cell = 1 / (2 * grid.radius);
        return grid;
    }
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
            floorf(minimum(maximum(coordinate * inverse_cell, -kFarthest), kFarthest)));
    }
    [[nodiscard]] TL_D std::uint32_t slot_at(vec3 p) const {
        return slot_of(cell_of(p.x), cell_of(p.y), cell_of(p.z));
    }

    /// Calls use(index, PhotonPlace, offset from `p`, its square) for all photons closer to `p`
    /// than `reach`, the grid's radius at most, each from one thread of the team, in an order that
    /// depends on the photons alone.
    template <class Use>
    TL_D void for_each_near([[maybe_unused]] const Team& team, vec3 p, float reach,
                            Use&& use) const {
        float most = reach * reach;
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
        CellsAround around(*this, p, reach);
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
#else
        CellsAround around(*this, p, reach);
        std::uint32_t seen[8];
        for (int k = 0, n_seen = 0; k < 8; ++k) {
            if (!around.in_reach(k)) continue;
            std::uint32_t slot = around.slot(*this, k);
            if (std::find(seen, seen + n_seen, slot) != seen + n_seen) continue;
            seen[n_seen++] = slot;
            for (std::uint32_t i = slots[slot].first; i < slots[slot].end; ++i) {
                PhotonPlace place = load_whole(places[i]);
                vec3 offset = place.position - p;
                float distance2 = glm::dot(offset, offset);
                if (distance2 < most) use(i, place, offset, distance2);
            }
        }
#endif
    }

    /// The same for a `reach` of any length; slower.
    template <class Use>
    TL_D void for_each_far([[maybe_unused]] const Team& team, vec3 p, float reach,
                           Use&& use) const {
        int first[3], n[3];
        for (int axis = 0; axis < 3; ++axis) {
            first[axis] = cell_of(p[axis] - reach);
            n[axis] = cell_of(p[axis] + reach) - first[axis] + 1;
        }
        int rank = 0, n_threads = 1;
#if defined(__CUDA_ARCH__)
        rank = static_cast<int>(team.rank());
        n_threads = Team::kThreads;
#endif
        for (int k = rank; k < n[0] * n[1] * n[2]; k += n_threads) {
            int x = first[0] + k % n[0], y = first[1] + k / n[0] % n[1],
                z = first[2] + k / (n[0] * n[1]);
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
        }
    }

  private:
    /// The eight cells that a ball around a place may meet.
    struct CellsAround {
        int x, y, z;  ///< the first
        vec3 gap;     ///< from the place to the planes between the cells
        float most;

        TL_D CellsAround(const PhotonGridView& grid, vec3 p, float reach)
            : x(grid.cell_of(p.x - reach)),
              y(grid.cell_of(p.y - reach)),
              z(grid.cell_of(p.z - reach)),
              gap(vec3(static_cast<float>(x + 1), static_cast<float>(y + 1),
                       static_cast<float>(z + 1)) *
                      (2 * grid.radius) -
                  p),
              most(1.01f * reach * reach) {}
        [[nodiscard]] TL_D std::uint32_t slot(const PhotonGridView& grid, int k) const {
            return grid.slot_of(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
        }
        /// Whether a part of the cell is within the radius, but for rounding.
        [[nodiscard]] TL_D bool in_reach(int k) const {
            float distance2 = 0;
            for (int axis = 0; axis < 3; ++axis) {
                float away = k >> axis & 1 ? gap[axis] : -gap[axis];
                distance2 += away > 0 ? away * away : 0.0f;
            }
            return distance2 < most;
        }
    };
};

/// What is known of a list's length before it has been filled.
struct PhotonNumbers {
    std::uint32_t n_most;   ///< no more than these are in the list
    std::uint32_t n_ids;    ///< above all ids
    std::uint32_t n_about;  ///< how many there may be; sums over photons are grouped by that, so
                            ///< that it has to be the same whenever their bits are to be
};

/// Of the radius, on the device, for photons that only mirrors and glass have turned, which are
/// then in a table of their own, and for all others. Null: all of it, in one table.
struct PhotonShares {
    const float* indirect = nullptr;
    const float* caustic = nullptr;
};

/// A grid's memory, which is used again.
class PhotonGrid {
  public:
    /// Sorts the photons into cells for the radius; never waits.
    void build(Scratch& scratch, const PhotonList& list, const PhotonNumbers& numbers, float radius,
               const PhotonShares& shares = {});
    [[nodiscard]] PhotonGridView view() const { return table(0, shares_.indirect); }
    /// That of caustics.
    [[nodiscard]] PhotonGridView caustic_view() const { return table(1, shares_.caustic); }
    /// Photons that there was room for: no more of those in the list are in the grid, which are its
    /// first.
    [[nodiscard]] std::size_t capacity() const { return places_.size(); }

  private:
    [[nodiscard]] PhotonGridView table(std::size_t k, const float* share) const;

    DeviceArray<PhotonPlace> places_;
    DeviceArray<PhotonLight> lights_;
    DeviceArray<std::uint32_t> order_;
    DeviceArray<PhotonRange> slots_;      // of one table, or of two
    DeviceArray<std::uint32_t> is_used_;  // of each
    std::uint32_t n_slots_ = 0;           // of a table
    float radius_ = 0;
    PhotonShares shares_;
};

TL_DEVICE_END
