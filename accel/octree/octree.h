// An octree over points.
//
// The tree is defined by its points alone, so that all builders make the same one, bit for bit, on
// every device: a cell of more than `leaf_size` points is split into those of its eight parts that
// hold points, down to `max_level`. Points lie in the order of a space-filling curve, equal keys in
// the order in which they were given, so that the points of each node lie together. Nodes lie level
// by level, each level along the curve, so that the children of a node lie together too.
#pragma once

#include "accel/box.h"
#include "accel/parallel/array.h"

namespace tl {

/// A point of a surface.
struct alignas(16) Surfel {
    vec3 position{0};
    float area = 1;           ///< the point's weight; 0 where it is not from 0 to kMostArea
    vec3 normal{0};           ///< of unit length; where it is not, the point has none
    std::uint32_t index = 0;  ///< in a tree: which of the points that it was built from

    static constexpr float kMostArea = 1e10f;
    /// Points farther from the origin along an axis, and those that are nowhere, are put aside:
    /// squares of distances stay finite.
    static constexpr float kFarthest = 1e18f;
};
static_assert(sizeof(Surfel) == 32);

/// The points and children of a node; a leaf has no children.
struct alignas(16) OctreeNode {
    std::uint32_t first, first_child;  ///< indices of the first ones ...
    std::uint32_t end, end_child;      ///< ... and of those after the last ones

    [[nodiscard]] TL_HD std::uint32_t count() const { return end - first; }
    [[nodiscard]] TL_HD bool is_leaf() const { return first_child == end_child; }
};
static_assert(sizeof(OctreeNode) == 16);

/// What the points of a node amount to; its number of points is that of the node.
struct alignas(16) OctreeAttributes {
    vec3 centroid;      ///< mean position, weighted by area; the middle of the box where area is 0
    float area;         ///< sum
    vec3 normal;        ///< sum of area times normal: the vector area
    float cone_cosine;  ///< no normal is farther from `normal`'s direction; -1: in any direction
    Box box;            ///< of the positions
    /// Sums of area times products of positions from the centroid: xx, yy, zz, xy, xz, yz.
    float moments[6];
};
static_assert(sizeof(OctreeAttributes) == 80);

/// The order of cells: both keep the points of every cell together, along Hilbert's curve
/// neighbours in the order also touch.
enum class SpaceCurve : int { morton, hilbert };

/// The root's cube, with 2^21 of the smallest cells along each axis.
struct OctreeGrid {
    static constexpr int kLevels = 21;  ///< below the root

    vec3 lo;
    float cells_per_length;
    float cell_size;  ///< edge of the smallest cells
    SpaceCurve curve;
    std::uint32_t by_normal;  ///< OctreeConfig::by_normal
};

struct OctreeHeader {
    static constexpr int kLevels = OctreeGrid::kLevels;

    std::uint32_t bounds[6];  ///< of the points, as an OrderedBox
    std::uint32_t n_points;
    std::uint32_t n_dropped;  ///< points that were put aside
    std::uint32_t n_nodes;
    std::uint32_t n_wanted;    ///< more than n_nodes where there was room for fewer levels only
    std::uint32_t last_level;  ///< on which cells are not split, whatever they hold
    /// Whether cells were not split only because keys were not sorted by further levels.
    std::uint32_t is_shallow;
    /// The nodes of level l are those from level_begin[l] up to level_begin[l + 1].
    std::uint32_t level_begin[kLevels + 2];
    OctreeGrid grid;

    /// Without points 0, and without levels.
    [[nodiscard]] TL_HD int n_levels() const {
        int n = 0;
        while (n <= kLevels && level_begin[n] < level_begin[n + 1]) ++n;
        return n;
    }
};

/// All that a kernel needs; the root is node 0.
struct OctreeView {
    View<OctreeHeader> header;
    View<OctreeNode> nodes;
    View<std::uint32_t> parents;  ///< of each node; the root's is the root
    View<OctreeAttributes> attributes;
    View<Surfel> points;
    View<std::uint64_t> keys;  ///< of the points, in ascending order: three bits a level
};

struct OctreeConfig {
    int leaf_size = 16;  ///< most points of a leaf, unless it is on the last level; 1 to 256
    int max_level = OctreeGrid::kLevels;
    SpaceCurve curve = SpaceCurve::morton;
    /// Whether the cube begins where the points do, and is as long as they reach, rather than on a
    /// lattice where it stays while points move a little.
    bool is_tight = false;
    /// How many times as long as that the cube is, 1 to 2: where points lie evenly, it decides how
    /// many a leaf holds.
    float stretch = 1;
    /// Whether the root's children are not parts of its cube but the points whose normals are
    /// nearest to the same direction of an axis, each of which has all of the cube, so that nodes
    /// at edges do not face several ways. Such a tree can be walked by the boxes of its nodes
    /// alone, not searched by cells.
    bool by_normal = false;

    static constexpr int kMostLeafSize = 256;
};

}  // namespace tl
