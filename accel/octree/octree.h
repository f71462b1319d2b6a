// Adaptive octree over points.
//
// The points alone define the tree, so that all builders make the same tree, bit for bit, on every
// device. A cell of more than `leaf_size` points is split into its non-empty octants, down to
// `max_level`. Points are sorted along a space-filling curve; points of equal keys keep their input
// order. The points of each node are thus contiguous. Nodes are stored level by level, each level
// along the curve, so that the children of a node are contiguous too.
#pragma once

#include "accel/box.h"
#include "core/device/array.h"

namespace tl {

/// Surface element (surfel): a point sample of a surface.
struct alignas(16) Surfel {
    vec3 position{0};
    float area = 1;           ///< weight of the point; counts as 0 outside of [0, kMostArea]
    vec3 normal{0};           ///< unit normal; a vector of any other length counts as none
    std::uint32_t index = 0;  ///< in a tree: index of the input point

    static constexpr float kMostArea = 1e10f;
    /// Largest absolute coordinate of a point. Points beyond it, and those with NaN, are dropped,
    /// so that squared distances stay finite.
    static constexpr float kFarthest = 1e18f;
};
static_assert(sizeof(Surfel) == 32);

/// Node: the ranges of its points and of its children. A leaf has no children.
struct alignas(16) OctreeNode {
    std::uint32_t first, first_child;  ///< begins of the ranges of points and of children
    std::uint32_t end, end_child;      ///< ends of these ranges, one past the last element

    [[nodiscard]] TL_HD std::uint32_t count() const { return end - first; }
    [[nodiscard]] TL_HD bool is_leaf() const { return first_child == end_child; }
};
static_assert(sizeof(OctreeNode) == 16);

/// Aggregates of the points of a node.
struct alignas(16) OctreeAttributes {
    vec3 centroid;      ///< mean position, weighted by area; the box's centre if the area is 0
    float area;         ///< sum of the areas
    vec3 normal;        ///< sum of area times normal: the vector area
    float cone_cosine;  ///< cosine of the normal cone's half angle about `normal`; -1: unbounded
    Box box;            ///< bounds of the positions
    /// Second moments about the centroid, sums of area times products: xx, yy, zz, xy, xz, yz.
    float moments[6];
};
static_assert(sizeof(OctreeAttributes) == 80);

/// Space-filling curve that orders the cells. Both curves keep the points of every cell contiguous;
/// along Hilbert's curve, neighbours in the order also touch.
enum class SpaceCurve : int { morton, hilbert };

/// Cube of the root, divided into 2^21 of the smallest cells along each axis.
struct OctreeGrid {
    static constexpr int kLevels = 21;  ///< number of levels below the root

    vec3 lo;
    float cells_per_length;
    float cell_size;  ///< edge of the smallest cells
    SpaceCurve curve;
    std::uint32_t by_normal;  ///< OctreeConfig::by_normal
};

/// Properties of a tree that are known only on the device.
struct OctreeHeader {
    static constexpr int kLevels = OctreeGrid::kLevels;

    std::uint32_t bounds[6];  ///< bounds of the points, as an OrderedBox
    std::uint32_t n_points;
    std::uint32_t n_dropped;  ///< number of dropped points
    std::uint32_t n_nodes;
    std::uint32_t n_wanted;    ///< nodes of all levels; above n_nodes if capacity was short
    std::uint32_t last_level;  ///< level on which cells are not split, whatever they hold
    /// Whether cells were left unsplit only because keys were not sorted by further levels.
    std::uint32_t is_shallow;
    /// First node of each level: level l holds nodes [level_begin[l], level_begin[l + 1]).
    std::uint32_t level_begin[kLevels + 2];
    OctreeGrid grid;

    /// Returns the number of levels with nodes; 0 for a tree without points.
    [[nodiscard]] TL_HD int n_levels() const {
        int n = 0;
        while (n <= kLevels && level_begin[n] < level_begin[n + 1]) ++n;
        return n;
    }
};

/// Views of a tree, passed to kernels by value. The root is node 0.
struct OctreeView {
    View<OctreeHeader> header;
    View<OctreeNode> nodes;
    View<std::uint32_t> parents;  ///< parent of each node; the root is its own parent
    View<OctreeAttributes> attributes;
    View<Surfel> points;
    View<std::uint64_t> keys;  ///< keys of the points, in ascending order: three bits per level
};

/// Parameters of a build.
struct OctreeConfig {
    int leaf_size = 16;  ///< maximum points of a leaf above the last level; 1 to 256
    int max_level = OctreeGrid::kLevels;
    SpaceCurve curve = SpaceCurve::morton;
    /// Whether the root's cube fits the points tightly: it starts at their lower bounds, and its
    /// edge is their largest extent. Otherwise it is snapped to a lattice, so that it stays the
    /// same while points move a little.
    bool is_tight = false;
    /// Factor on the edge of that cube, 1 to 2. For evenly distributed points it determines the
    /// number of points per leaf.
    float stretch = 1;
    /// Whether the root's children divide the points by normal instead of by position. Each child
    /// covers the whole cube and holds the points whose normals are nearest to one signed axis.
    /// Nodes at edges of surfaces thus do not mix orientations. Such a tree can be traversed only
    /// by the boxes of its nodes, not searched by cells.
    bool by_normal = false;

    static constexpr int kMostLeafSize = 256;
};

}  // namespace tl
