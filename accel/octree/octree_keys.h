// Keys of points: the numbers of their grid cells along a space-filling curve. The first three bits
// of a key are the octant of the root that contains the point, the next three the octant of that,
// and so on. All points of a cell thus share a prefix of their keys.
#pragma once

#include "accel/morton.h"
#include "accel/octree/octree.h"
#include "core/base/bits.h"

TL_DEVICE_BEGIN

/// Key of dropped points: greater than any other.
inline constexpr std::uint64_t kDroppedKey = std::uint64_t(1) << 63;
/// Number of bits of a key, including that of kDroppedKey.
inline constexpr int kKeyBits = 3 * OctreeGrid::kLevels + 1;

TL_D inline std::uint64_t morton_key(glm::uvec3 cell) {
    return spread_bits_3(std::uint64_t(cell.x)) << 2 | spread_bits_3(std::uint64_t(cell.y)) << 1 |
           spread_bits_3(std::uint64_t(cell.z));
}

/// Orientation of Hilbert's curve in a cell (Hilbert 1891; in three dimensions by the rotations of
/// Keller et al. 2023, "Cornerstone"). The curve visits the eight octants of a cell in the order of
/// a Gray code. The code is rotated and mirrored so that the curve leaves an octant next to where
/// it enters the next one.
struct HilbertAxes {
    static constexpr int kNumbers = 48;
    static constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                          {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
    static constexpr int kSwapped = 3 * 8;  ///< number of the orientation with x and z swapped

    int axis[3];  ///< axis of the cell that the curve's x, y and z run along
    int flip[3];  ///< 1 if that axis is mirrored

    static constexpr HilbertAxes of(int number) {
        auto& order = kOrders[number / 8];
        return {{order[0], order[1], order[2]}, {number >> 2 & 1, number >> 1 & 1, number & 1}};
    }
    [[nodiscard]] constexpr int number() const {
        int order = 0;
        while (kOrders[order][0] != axis[0] || kOrders[order][1] != axis[1]) ++order;
        return order << 3 | flip[0] << 2 | flip[1] << 1 | flip[2];
    }
    /// Returns the rank along the curve of an octant, given by three bits of a Morton key. Replaces
    /// the orientation by that of the curve in the octant.
    constexpr int step(int part) {
        int v[3] = {};
        for (int k = 0; k < 3; ++k) v[k] = (part >> (2 - axis[k]) & 1) ^ flip[k];
        int a = v[0], b = v[1], c = v[2];
        flip[0] ^= a & ((b ^ 1) | c);
        flip[1] ^= (a & (b | c)) | (b & (c ^ 1));
        flip[2] ^= (a & (b ^ 1) & (c ^ 1)) | (b & (c ^ 1));
        HilbertAxes old = *this;
        constexpr int kTurn[3] = {1, 2, 0}, kSwap[3] = {2, 1, 0}, kStay[3] = {0, 1, 2};
        auto& from = c ? kTurn : b ? kStay : kSwap;
        for (int k = 0; k < 3; ++k) {
            axis[k] = old.axis[from[k]];
            flip[k] = old.flip[from[k]];
        }
        return a << 2 | (a ^ b) << 1 | (a ^ b ^ c);
    }
};

#if defined(__CUDACC__)
/// Table of one level of the curve, for the 24 orientations reachable from that of the root. An
/// entry has three bits of the key, below the number of the next orientation. The table takes two
/// cache lines, so that divergent loads of a warp's threads cost little.
struct HilbertTable {
    static constexpr int kAxes = 24;
    std::uint8_t of[8 * kAxes] = {};

    constexpr HilbertTable() {
        int numbers[HilbertAxes::kNumbers] = {}, n = 1;
        for (int known = 0; known < n; ++known)
            for (int part = 0; part < 8; ++part) {
                auto axes = HilbertAxes::of(numbers[known]);
                int key = axes.step(part), next = 0;
                while (next < n && numbers[next] != axes.number()) ++next;
                if (next == n) numbers[n++] = axes.number();
                of[8 * known + part] = static_cast<std::uint8_t>(next << 3 | key);
            }
    }
};
static __device__ constexpr HilbertTable kHilbertTable;

TL_D inline std::uint64_t hilbert_key(glm::uvec3 cell) {
    std::uint64_t morton = morton_key(cell), key = 0;
    std::uint32_t axes = 0;
    for (int shift = 60; shift >= 0; shift -= 3) {
        std::uint32_t step = kHilbertTable.of[axes | (morton >> shift & 7)];
        key = key << 3 | (step & 7);
        axes = step & ~7u;
    }
    return key;
}
#else
/// Table of two levels of the curve: maps the orientation and six bits of a Morton key to six bits
/// of the key and the orientation below.
struct HilbertTable {
    std::uint16_t of[HilbertAxes::kNumbers][64] = {};  ///< next orientation << 6 | bits of the key

    constexpr HilbertTable() {
        for (int number = 0; number < HilbertAxes::kNumbers; ++number)
            for (int bits = 0; bits < 64; ++bits) {
                auto axes = HilbertAxes::of(number);
                int key = axes.step(bits >> 3) << 3;
                key |= axes.step(bits & 7);
                of[number][bits] = static_cast<std::uint16_t>(axes.number() << 6 | key);
            }
    }
};
inline constexpr HilbertTable kHilbertTable;

inline std::uint64_t hilbert_key(glm::uvec3 cell) {
    static_assert(OctreeGrid::kLevels == 21);
    std::uint64_t morton = morton_key(cell), key = 0;
    // Starts one level above the root, for an even number of levels. The root is the first octant
    // there; starting with swapped axes gives it the orientation 0.
    int axes = HilbertAxes::kSwapped;
    for (int shift = 60; shift >= 0; shift -= 6) {
        std::uint16_t step = kHilbertTable.of[axes][morton >> shift & 63];
        key = key << 6 | (step & 63);
        axes = step >> 6;
    }
    return key;
}
#endif

/// Returns the grid over points within `bounds`. Unless it is tight, its cube is snapped to a
/// lattice, whose steps are a 54th to a 108th of the extent. The cube is up to two steps longer
/// than the extent. It thus nearly always stays the same while points move a little. Round bounds
/// lie neither at a lattice point nor at an extent where the step doubles.
TL_D inline OctreeGrid grid_over(const Box& bounds, const OctreeConfig& config) {
    constexpr float kCells = 1u << OctreeGrid::kLevels;
    constexpr float kOffset = 0.381f, kStretch = 1.19f, kSteps = 64;
    float extent = bounds.empty() ? 0.0f : largest(bounds.hi - bounds.lo);
    vec3 lo = bounds.empty() ? vec3(0) : bounds.lo;
    constexpr std::uint32_t kExponent = 0x7f800000;
    float step = float_of_bits(bits_of_float(extent * kStretch) & kExponent) / kSteps;
    if (!config.is_tight && 1 / step < kInfinity) {
        lo = glm::min(lo, (glm::floor(lo / step - kOffset) + kOffset) * step);
        extent = (glm::floor(extent / step + kOffset) + 2) * step;
    }
    extent *= config.stretch;
    float per_length = kCells / extent;
    if (!(per_length < kInfinity)) per_length = 0;  // all points in one cell
    return {lo, per_length, extent / kCells, config.curve, config.by_normal ? 1u : 0u};
}

/// Returns the cell of a point; for a point outside of the grid, the nearest cell.
TL_D inline glm::uvec3 cell_of(const OctreeGrid& grid, vec3 p) {
    constexpr float kLast = (1u << OctreeGrid::kLevels) - 1;
    glm::uvec3 cell;
    for (int axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<std::uint32_t>(
            minimum(maximum((p[axis] - grid.lo[axis]) * grid.cells_per_length, 0.0f), kLast));
    return cell;
}

/// Whether a position is valid: not NaN, and at most Surfel::kFarthest along each axis.
[[nodiscard]] TL_D inline bool is_somewhere(vec3 p) {
    return glm::abs(p.x) <= Surfel::kFarthest && glm::abs(p.y) <= Surfel::kFarthest &&
           glm::abs(p.z) <= Surfel::kFarthest;
}

TL_D inline std::uint64_t key_of(const OctreeGrid& grid, vec3 p) {
    if (!is_somewhere(p)) return kDroppedKey;
    glm::uvec3 cell = cell_of(grid, p);
    return grid.curve == SpaceCurve::hilbert ? hilbert_key(cell) : morton_key(cell);
}

/// Returns the normal of a point, or 0 if it is not of unit length.
[[nodiscard]] TL_D inline vec3 normal_of(const Surfel& point) {
    float square = glm::dot(point.normal, point.normal);
    return square > 0.99f && square < 1.01f ? point.normal : vec3(0);
}

/// Returns the signed axis nearest to a direction, 0 to 5: twice the axis, plus 1 if negative.
TL_D inline std::uint32_t side_of(vec3 direction) {
    vec3 size = glm::abs(direction);
    std::uint32_t axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    float along = axis == 0 ? direction.x : axis == 1 ? direction.y : direction.z;
    return 2 * axis + (along < 0 ? 1 : 0);
}

/// Returns the sort key of a point. With OctreeGrid::by_normal its first three bits are the signed
/// axis of the normal.
TL_D inline std::uint64_t key_of(const OctreeGrid& grid, const Surfel& point) {
    std::uint64_t key = key_of(grid, point.position);
    if (grid.by_normal == 0 || key == kDroppedKey) return key;
    constexpr int kBelow = 3 * (OctreeGrid::kLevels - 1);
    return std::uint64_t{side_of(normal_of(point))} << kBelow | key >> 3;
}

/// Returns a point with its index set, and with an invalid area or normal replaced by 0.
TL_D inline Surfel cleaned(Surfel point, std::uint32_t index) {
    if (!(point.area > 0 && point.area <= Surfel::kMostArea)) point.area = 0;
    point.normal = normal_of(point);
    point.index = index;
    return point;
}

/// Number of levels below the root on which two keys share a cell: 0 to kLevels.
TL_D inline int common_levels(std::uint64_t a, std::uint64_t b) {
    if (a == b) return OctreeGrid::kLevels;
    return OctreeGrid::kLevels - 1 - highest_bit(a ^ b) / 3;
}

TL_DEVICE_END
