// Keys of points: which cell of the grid they are in, numbered along a space-filling curve. The
// first three bits tell which eighth of the root a point is in, the next three which eighth of
// that, and so on: the points of any cell have the first bits of their keys in common.
#pragma once

#include "accel/morton.h"
#include "accel/octree/octree.h"
#include "accel/parallel/bits.h"

TL_DEVICE_BEGIN

/// The key of points that are put aside: greater than any other.
inline constexpr std::uint64_t kDroppedKey = std::uint64_t(1) << 63;
/// Those of a key, with that of points that are put aside.
inline constexpr int kKeyBits = 3 * OctreeGrid::kLevels + 1;

TL_D inline std::uint64_t morton_key(glm::uvec3 cell) {
    return spread_bits_3(std::uint64_t(cell.x)) << 2 | spread_bits_3(std::uint64_t(cell.y)) << 1 |
           spread_bits_3(std::uint64_t(cell.z));
}

/// Along Hilbert's curve each cell's eight parts are visited in the order of a Gray code, turned
/// and mirrored so that the curve leaves a part beside where it enters the next (Hilbert 1891; in
/// three dimensions by the turns of Keller et al. 2023, "Cornerstone"). What has become of the
/// axes:
struct HilbertAxes {
    static constexpr int kNumbers = 48;
    static constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                          {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
    static constexpr int kSwapped = 3 * 8;  ///< x and z change places

    int axis[3];  ///< of x, y, z: which one of the cell's
    int flip[3];  ///< whether it is mirrored

    static constexpr HilbertAxes of(int number) {
        auto& order = kOrders[number / 8];
        return {{order[0], order[1], order[2]}, {number >> 2 & 1, number >> 1 & 1, number & 1}};
    }
    [[nodiscard]] constexpr int number() const {
        int order = 0;
        while (kOrders[order][0] != axis[0] || kOrders[order][1] != axis[1]) ++order;
        return order << 3 | flip[0] << 2 | flip[1] << 1 | flip[2];
    }
    /// Where a part, by three bits of a Morton key, comes along the curve; the axes become the
    /// part's.
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
/// One level of the curve at once, for the axes that there are when one starts with those of the
/// cell: three bits of the key, below what becomes of the axes. It takes two lines of the cache, so
/// that the loads of a warp's threads from anywhere in it cost little.
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
/// Two levels of the curve at once: what has become of the axes, and six bits of a Morton key, give
/// six bits of the key and what becomes of the axes below.
struct HilbertTable {
    std::uint16_t of[HilbertAxes::kNumbers][64] = {};  ///< six bits of the key, below the next axes

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
    // With a level above the root, whose first part begins with swapped axes.
    int axes = HilbertAxes::kSwapped;
    for (int shift = 60; shift >= 0; shift -= 6) {
        std::uint16_t step = kHilbertTable.of[axes][morton >> shift & 63];
        key = key << 6 | (step & 63);
        axes = step >> 6;
    }
    return key;
}
#endif

/// The grid over points within `bounds`. Unless it is tight, its cube lies on a lattice whose steps
/// are a 54th to a 108th of the extent, and is up to two steps longer than that, so that it nearly
/// always stays where it is while points move a little. No step begins, and none doubles, where
/// bounds are round numbers.
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
    if (!(per_length < kInfinity)) per_length = 0;  // all in one cell
    return {lo, per_length, extent / kCells, config.curve, config.by_normal ? 1u : 0u};
}

/// The cell of a point; outside of the grid, the nearest one.
TL_D inline glm::uvec3 cell_of(const OctreeGrid& grid, vec3 p) {
    constexpr float kLast = (1u << OctreeGrid::kLevels) - 1;
    glm::uvec3 cell;
    for (int axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<std::uint32_t>(
            minimum(maximum((p[axis] - grid.lo[axis]) * grid.cells_per_length, 0.0f), kLast));
    return cell;
}

[[nodiscard]] TL_D inline bool is_somewhere(vec3 p) {
    return glm::abs(p.x) <= Surfel::kFarthest && glm::abs(p.y) <= Surfel::kFarthest &&
           glm::abs(p.z) <= Surfel::kFarthest;
}

TL_D inline std::uint64_t key_of(const OctreeGrid& grid, vec3 p) {
    if (!is_somewhere(p)) return kDroppedKey;
    glm::uvec3 cell = cell_of(grid, p);
    return grid.curve == SpaceCurve::hilbert ? hilbert_key(cell) : morton_key(cell);
}

/// The normal of a point as it counts: unit, or 0.
[[nodiscard]] TL_D inline vec3 normal_of(const Surfel& point) {
    float square = glm::dot(point.normal, point.normal);
    return square > 0.99f && square < 1.01f ? point.normal : vec3(0);
}

/// The axis nearest to a direction, and the sign along it: 0 to 5.
TL_D inline std::uint32_t side_of(vec3 direction) {
    vec3 size = glm::abs(direction);
    std::uint32_t axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    float along = axis == 0 ? direction.x : axis == 1 ? direction.y : direction.z;
    return 2 * axis + (along < 0 ? 1 : 0);
}

/// The key by which a point is sorted.
TL_D inline std::uint64_t key_of(const OctreeGrid& grid, const Surfel& point) {
    std::uint64_t key = key_of(grid, point.position);
    if (grid.by_normal == 0 || key == kDroppedKey) return key;
    constexpr int kBelow = 3 * (OctreeGrid::kLevels - 1);
    return std::uint64_t{side_of(normal_of(point))} << kBelow | key >> 3;
}

/// A point as it counts.
TL_D inline Surfel cleaned(Surfel point, std::uint32_t index) {
    if (!(point.area > 0 && point.area <= Surfel::kMostArea)) point.area = 0;
    point.normal = normal_of(point);
    point.index = index;
    return point;
}

/// How many levels down two keys are in the same cell: 0 to kLevels.
TL_D inline int common_levels(std::uint64_t a, std::uint64_t b) {
    if (a == b) return OctreeGrid::kLevels;
    return OctreeGrid::kLevels - 1 - highest_bit(a ^ b) / 3;
}

TL_DEVICE_END
