// What builds an octree, and the memory that it is built in. To add a builder, write a file for the
// algorithm, and its declaration and a row in octree_builders.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accel/octree/octree.h"
#include "accel/parallel/stage_timer.h"

namespace tl {

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
