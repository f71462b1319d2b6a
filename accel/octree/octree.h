// An octree over points, and the interface of what builds one. To add a builder, write a file for
// the algorithm, and its declaration and a row in octree_builders.cpp.
//
// The tree is defined by its points alone, so that all builders make the same one, bit for bit, on
// every device: a cell of more than `leaf_size` points is split into those of its eight parts that
// hold points, down to `max_level`. Points lie in the order of a space-filling curve, equal keys in
// the order in which they were given, so that the points of each node lie together. Nodes lie level
// by level, each level along the curve, so that the children of a node lie together too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/box.h"
#include "accel/parallel/array.h"
#include "accel/parallel/stage_timer.h"

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

    static constexpr int kMostLeafSize = 256;
};

/// A tree's memory on one device, which is used again.
class Octree {
  public:
    static constexpr std::size_t kMostPoints = std::size_t{1} << 27;

    /// Makes room for `n` points and, as far as is known, for the nodes of their tree. Throws
    /// UserError where memory is short or the points too many.
    void reserve(Stream& stream, std::size_t n, const OctreeConfig& config);
    /// Waits for the last build, and learns from it: on a GPU later ones of as many points sort
    /// their keys by one to three levels more than the tree has, and no further. Where there was no
    /// room for all levels, or keys were not sorted by enough of them, returns true: the tree
    /// should be built again, and will then have them.
    [[nodiscard]] bool make_room(Stream& stream);
    /// Waits for the last build.
    [[nodiscard]] OctreeHeader header(Stream& stream) const;
    [[nodiscard]] OctreeView view();
    /// Of the memory that is in use for points, and for nodes that there is room for.
    [[nodiscard]] std::size_t bytes() const;

    /// For builders: the buffer that view() gives for keys, and another one, between which they are
    /// sorted; use_keys() tells which of the two has ended up with them.
    struct KeyBuffers {
        View<std::uint64_t> now, spare;
    };
    [[nodiscard]] KeyBuffers key_buffers();
    [[nodiscard]] View<const std::uint64_t> other_keys(View<const std::uint64_t> keys) const;
    void use_keys(View<const std::uint64_t> keys);
    /// The same for points: the buffer that view() gives, and another one, which takes its place in
    /// use_spare_points().
    [[nodiscard]] View<Surfel> spare_points(Stream& stream);
    void use_spare_points();
    /// By how many levels keys are to be sorted.
    [[nodiscard]] int key_levels() const { return key_levels_; }

  private:
    DeviceArray<OctreeHeader> header_;
    DeviceArray<OctreeNode> nodes_;
    DeviceArray<std::uint32_t> parents_;
    DeviceArray<OctreeAttributes> attributes_;
    DeviceArray<Surfel> points_, spare_points_;  ///< the latter only once points move
    DeviceArray<std::uint64_t> keys_, spare_keys_;
    std::size_t room_ = 0;  ///< nodes that are known to be needed
    int key_levels_ = OctreeGrid::kLevels;
    int leaf_size_ = 0;  ///< of the last build
};

class OctreeBuilder {
  public:
    virtual ~OctreeBuilder() = default;

    /// Builds on the scratch's stream, without waiting; a rebuild of the same size allocates
    /// nothing. Its stages are timed.
    virtual void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                       Octree& tree, StageTimer& timer) = 0;
    /// The deepest level that the builder can make.
    [[nodiscard]] virtual int max_level() const { return OctreeGrid::kLevels; }
};

/// A row of the table of builders; make_cuda is null where the build has no CUDA.
struct OctreeBuilderRow {
    std::string id;     ///< identifier in flags: "modern"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence with the source
    std::unique_ptr<OctreeBuilder> (*make_cpu)();
    std::unique_ptr<OctreeBuilder> (*make_cuda)();
};

[[nodiscard]] const std::vector<OctreeBuilderRow>& octree_builders();
/// Creates the builder `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<OctreeBuilder> make_octree_builder(const std::string& id,
                                                                 const Device& device);

}  // namespace tl
