// A grid over photons, for finding all within a radius of a place: cells twice as wide as the
// radius, so that eight of them hold all, kept in a table by a hash of their coordinates. Photons
// are sorted by their place in the table and then by number, so that sums over them do not depend
// on the order in which they were stored.
#pragma once

#include "accel/parallel/bits.h"
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

/// All that a kernel needs.
struct PhotonGridView {
    const PhotonPlace* places = nullptr;
    const PhotonLight* lights = nullptr;
    const PhotonRange* slots = nullptr;
    std::uint32_t slot_mask = 0;  ///< their number less one, a power of two
    float radius = 0;
    float inverse_cell = 0;

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
    /// than the radius, in an order that depends on the photons alone.
    template <class Use>
    TL_D void for_each_near(vec3 p, Use&& use) const {
        Candidates candidates(*this, p);
        float most = radius * radius;
#if defined(__CUDA_ARCH__)
        // A fifth of the candidates is within the radius: threads of a warp first collect theirs
        // from as many candidates each, so that most are at work when they use them.
        constexpr int kBatch = 32;
        std::uint32_t found[kBatch];
        for (bool more = true; more;) {
            int n_found = 0;
            for (int step = 0; step < kBatch; ++step) {
                more = candidates.next(*this);
                if (!more) break;
                vec3 offset = load_whole(places[candidates.index]).position - p;
                if (glm::dot(offset, offset) < most) found[n_found++] = candidates.index;
            }
            for (int k = 0; k < n_found; ++k) {
                PhotonPlace place = load_whole(places[found[k]]);
                vec3 offset = place.position - p;
                use(found[k], place, offset, glm::dot(offset, offset));
            }
        }
#else
        while (candidates.next(*this)) {
            PhotonPlace place = load_whole(places[candidates.index]);
            vec3 offset = place.position - p;
            float distance2 = glm::dot(offset, offset);
            if (distance2 < most) use(candidates.index, place, offset, distance2);
        }
#endif
    }

  private:
    /// All photons of the cells around a place, one after the other: threads of a warp that have
    /// few in one cell and many in another stay together.
    struct Candidates {
        int x, y, z;     ///< the first of the eight cells
        unsigned cells;  ///< bits of those still to come
        std::uint32_t index = ~0u, end = 0;

        TL_D Candidates(const PhotonGridView& grid, vec3 p)
            : x(grid.cell_of(p.x - grid.radius)),
              y(grid.cell_of(p.y - grid.radius)),
              z(grid.cell_of(p.z - grid.radius)),
              cells(grid.cells_in_reach(p, x, y, z)) {}
        TL_D bool next(const PhotonGridView& grid) {
            ++index;
            while (index == end) {
                if (!cells) return false;
                int k = lowest_bit(cells);
                cells &= cells - 1;
                PhotonRange range = grid.slots[grid.slot_of(x, y, z, k)];
                index = range.first;
                end = range.end;
            }
            return true;
        }
    };
    /// The slot of the k-th of the eight cells from (x, y, z) on.
    [[nodiscard]] TL_D std::uint32_t slot_of(int x, int y, int z, int k) const {
        return slot_of(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
    }
    /// Which of the eight cells from (x, y, z) on have parts within the radius; of cells that share
    /// a slot, one.
    [[nodiscard]] TL_D unsigned cells_in_reach(vec3 p, int x, int y, int z) const {
        // To the planes between the cells; rounding must not leave a cell out.
        float size = 2 * radius;
        vec3 gap(static_cast<float>(x + 1) * size - p.x, static_cast<float>(y + 1) * size - p.y,
                 static_cast<float>(z + 1) * size - p.z);
        float most = 1.01f * radius * radius;
        unsigned cells = 0;
        std::uint32_t slots_of[8];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (int k = 0; k < 8; ++k) {
            float distance2 = 0;
            for (int axis = 0; axis < 3; ++axis) {
                float away = k >> axis & 1 ? gap[axis] : -gap[axis];
                distance2 += away > 0 ? away * away : 0.0f;
            }
            slots_of[k] = slot_of(x, y, z, k);
            bool counts = distance2 < most;
            for (int before = 0; before < k; ++before)
                counts = counts && !(cells >> before & 1 && slots_of[before] == slots_of[k]);
            if (counts) cells |= 1u << k;
        }
        return cells;
    }
};

/// A grid's memory, which is used again.
class PhotonGrid {
  public:
    /// Sorts the photons into cells for the radius; never waits. `n_most`: no more than these are
    /// in the list. `n_ids`: above all ids.
    void build(Scratch& scratch, const PhotonList& list, std::uint32_t n_most, std::uint32_t n_ids,
               float radius);
    [[nodiscard]] PhotonGridView view() const;

  private:
    DeviceArray<PhotonPlace> places_;
    DeviceArray<PhotonLight> lights_;
    DeviceArray<PhotonRange> slots_;
    float radius_ = 0;
};

TL_DEVICE_END
