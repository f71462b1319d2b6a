// SAH kd-tree builder of Zhou et al. 2008 ("Real-time kd-tree construction on graphics hardware")
// as described by Zeidan 2011, section 4.4. Unlike Zeidan's, it clips triangles. The files of the
// two stages list further departures. The result is a binary tree like any other builder's, so that
// every layout and traversal can use it: nodes hold boxes within their cells, and references are
// parts of primitives.
#include <algorithm>
#include <map>

#include "accel/bvh/builders/builder_configs.h"
#include "accel/kdtree/kd_nodes.h"

TL_DEVICE_BEGIN

namespace {

class KdSahBuilder final : public TreeBuilder {
  public:
    [[nodiscard]] std::size_t max_references(std::size_t n) const override {
        auto grown = grown_.find(n);
        float references = config_.references;
        if (config_.grow && grown != grown_.end())
            references = std::max(references, grown->second.references);
        return capacity_of(n, references);
    }
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto& stream = scratch.stream();
        std::size_t capacity = tree.order.size;
        KdBuild build;
        build.boxes = scratch.take<Box>(capacity);
        build.primitive_of = scratch.take<std::uint32_t>(capacity);
        tree.boxes = build.boxes;
        tree.primitive_of = build.primitive_of;
        build.input = input;
        build.tree = tree;
        build.capacity = static_cast<std::uint32_t>(capacity);
        build.empty_space = config_.empty_space;
        Scratch::Scope scope(scratch);
        for (auto& buffer : build.buffers) buffer = scratch.take<KdReference>(capacity);
        build.small_roots = scratch.take<KdSmallRoot>(capacity);
        build.counters = scratch.take<KdCounters>(1).data;
        stream.device().fill_zero(stream, build.counters, sizeof(KdCounters));
        split_large_kd_nodes(scratch, build);
        split_small_kd_nodes(stream, build);
        if (config_.grow) grow_if_short(stream, tree, input.boxes.size);
    }
    Settings settings() override { return config_.settings(); }

  private:
    /// Capacity that builds over one number of boxes have come to need.
    struct Grown {
        float references = 0;  ///< per primitive
        /// Builds until the next one is checked, on a GPU; those with another setting are checked
        /// at once.
        int unchecked_builds = 0;
        float setting = 0;  ///< KdSahConfig::references of the last check
    };
    static constexpr std::size_t kSpare = 256;  ///< capacity for the cuts of the smallest scenes
    /// Upper bound of the bytes for each reference of the capacity: 240 of scratch memory, which is
    /// taken in blocks of up to twice the size, nodes in three forms and primitives.
    static constexpr std::size_t kBytes = 800;
    /// A check waits for a GPU. Motion may make a tree need more than it did before.
    static constexpr int kBuildsBetweenChecks = 16;

    [[nodiscard]] static std::size_t capacity_of(std::size_t n, float references) {
        auto room = static_cast<std::size_t>(static_cast<double>(n) * references) + kSpare;
        return n == 0 ? 0 : std::min(room, std::max(n, kMaxPrimitives));
    }
    /// Doubles the capacity for `n` boxes if the build was short of it and memory is free for
    /// twice as much. Waits for the device where it checks: on the CPU after every build, on a GPU
    /// until a build sufficed or no memory was free, and then after one in kBuildsBetweenChecks.
    void grow_if_short(Stream& stream, const BinaryTree& tree, std::size_t n) {
        auto& device = stream.device();
        auto& grown = grown_[n];
        if (device.kind() != DeviceKind::cpu && grown.setting == config_.references &&
            grown.unchecked_builds > 0) {
            --grown.unchecked_builds;
            return;
        }
        TreeHeader header;
        device.download(stream, &header, tree.header.data, sizeof header);
        std::size_t capacity = tree.order.size;
        float references = 2 * std::max(grown.references, config_.references);
        std::size_t wanted = capacity_of(n, references);
        bool grows = (header.errors & kOutOfReferences) && wanted > capacity &&
                     (wanted - capacity) * kBytes <= device.memory_stats().bytes_free;
        grown.unchecked_builds = grows ? 0 : kBuildsBetweenChecks - 1;
        grown.setting = config_.references;
        if (grows) grown.references = references;
    }

    KdSahConfig config_;
    std::map<std::size_t, Grown> grown_;  ///< by the number of boxes
};

}  // namespace

std::unique_ptr<TreeBuilder> make_kd_sah_builder() {
    return std::make_unique<KdSahBuilder>();
}

TL_DEVICE_END
