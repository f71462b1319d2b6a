// Rays and hits of the packet pipeline, and bins that queue them until there are eight of a kind.
#pragma once

#include <array>
#include <memory>

#include "accel/bvh/traversal/bvh8_packet.h"

TL_DEVICE_BEGIN

/// Eight rays like PathRay, without cones. `item`: the pixel's index within its task.
struct PathRay8 {
    Vec3x8 origin, direction;
    Vec3x8 throughput;
    Int8 item, path_id, depth_and_media;
};

/// Eight rays with their hits.
struct RayHit8 {
    PathRay8 ray;
    Float8 t, u, v;
    Int8 primitive, material;
};

/// The permutation that compacts a mask's lanes to the front, in order: lane i comes from table[i].
inline __m256i packed_lanes(unsigned lanes) {
    // Eight nibbles for each of the 256 masks.
    static const std::array<std::uint32_t, 256> kNibbles = [] {
        std::array<std::uint32_t, 256> table{};
        for (unsigned mask = 0; mask < 256; ++mask) {
            int n = 0;
            for (unsigned lane = 0; lane < 8; ++lane)
                if (mask >> lane & 1u) table[mask] |= lane << (4 * n++);
        }
        return table;
    }();
    return _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<std::int32_t>(kNibbles[lanes])),
                             _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
}

/// A stack of records (structs of eight-lane registers), popped eight lanes at a time.
template <class Record>
class Bin {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

    /// Pushes the record's lanes that are set in the mask.
    void push(const Record& record, Mask8 mask) {
        unsigned lanes = mask.lanes();
        if (!lanes) return;
        if (size_ + 8 > capacity_) grow();
        __m256i order = packed_lanes(lanes);
        auto from = reinterpret_cast<const __m256*>(&record);
        for (std::size_t k = 0; k < kRegisters; ++k)
            _mm256_storeu_ps(row(k) + size_, _mm256_permutevar8x32_ps(from[k], order));
        size_ += static_cast<std::size_t>(std::popcount(lanes));
    }
    /// Pops the last eight, or fewer if fewer are left; returns the mask of valid lanes.
    Mask8 pop(Record& record) {
        std::size_t n = size_ < 8 ? size_ : 8;
        size_ -= n;
        auto to = reinterpret_cast<__m256*>(&record);
        for (std::size_t k = 0; k < kRegisters; ++k) to[k] = _mm256_loadu_ps(row(k) + size_);
        return Mask8::first(static_cast<int>(n));
    }

  private:
    static constexpr std::size_t kRegisters = sizeof(Record) / sizeof(__m256);
    static_assert(sizeof(Record) % sizeof(__m256) == 0);

    float* row(std::size_t k) { return rows_.get() + k * capacity_; }
    void grow() {
        std::size_t wider = capacity_ ? 2 * capacity_ : 64;
        auto rows = std::make_unique<float[]>(wider * kRegisters);
        for (std::size_t k = 0; k < kRegisters; ++k)
            std::copy_n(rows_.get() + k * capacity_, size_, rows.get() + k * wider);
        rows_ = std::move(rows);
        capacity_ = wider;
    }

    std::unique_ptr<float[]> rows_;  ///< one row per register of the record, lane after lane
    std::size_t size_ = 0, capacity_ = 0;
};

TL_DEVICE_END
