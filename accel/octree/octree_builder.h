// Interface of the octree builders, and the memory of an octree. To add a builder, write a file for
// the algorithm, then add its declaration and a row to octree_builders.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/octree/octree.h"
#include "core/device/stage_timer.h"

namespace tl {

/// Owns the memory of a tree on one device, which rebuilds reuse.
class Octree {
  public:
    static constexpr std::size_t kMostPoints = std::size_t{1} << 27;

    /// Reserves capacity for `n` points and for the estimated number of nodes of their tree. Throws
    /// UserError if memory is short or there are more than kMostPoints points.
    void reserve(Stream& stream, std::size_t n, const OctreeConfig& config);
    /// Waits for the last build and adapts later ones to it. On a GPU later builds of equally many
    /// points sort their keys only by one to three levels more than the tree has. Returns true if
    /// the tree must be built again: it lacks levels because capacity was short, or because keys
    /// were not sorted by enough levels. The next build then has all levels.
    [[nodiscard]] bool make_room(Stream& stream);
    /// Downloads the header; waits for the last build.
    [[nodiscard]] OctreeHeader header(Stream& stream) const;
    [[nodiscard]] OctreeView view();
    /// Returns the size of the memory for points and of the capacity for nodes.
    [[nodiscard]] std::size_t bytes() const;

    /// Double buffer in which builders sort keys: the buffer of view(), and a spare one.
    struct KeyBuffers {
        View<std::uint64_t> now, spare;
    };
    [[nodiscard]] KeyBuffers key_buffers();
    /// Returns the one of the two key buffers that is not `keys`.
    [[nodiscard]] View<const std::uint64_t> other_keys(View<const std::uint64_t> keys) const;
    /// Selects the key buffer that holds the sorted keys as that of view().
    void use_keys(View<const std::uint64_t> keys);
    /// Returns a second buffer for points, of the size of that of view().
    [[nodiscard]] View<Surfel> spare_points(Stream& stream);
    /// Swaps the second buffer for points with that of view().
    void use_spare_points();
    /// Number of levels by which the next build sorts keys.
    [[nodiscard]] int key_levels() const { return key_levels_; }

  private:
    DeviceArray<OctreeHeader> header_;
    DeviceArray<OctreeNode> nodes_;
    DeviceArray<std::uint32_t> parents_;
    DeviceArray<OctreeAttributes> attributes_;
    DeviceArray<Surfel> points_, spare_points_;  ///< spare_points_ is empty until points move
    DeviceArray<std::uint64_t> keys_, spare_keys_;
    std::size_t room_ = 0;  ///< capacity for nodes that earlier builds required
    int key_levels_ = OctreeGrid::kLevels;
    int leaf_size_ = 0;  ///< leaf size of the last build
};

/// Interface of an octree builder.
class OctreeBuilder {
  public:
    virtual ~OctreeBuilder() = default;

    /// Builds the tree on the stream of `scratch`, without waiting. A rebuild of the same size
    /// allocates nothing. `timer` measures the stages.
    virtual void build(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                       Octree& tree, StageTimer& timer) = 0;
    /// Deepest level that the builder can make.
    [[nodiscard]] virtual int max_level() const { return OctreeGrid::kLevels; }
};

/// Row of the table of builders; make_cuda is null where the build has no CUDA.
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
