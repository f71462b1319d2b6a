// SAH kd-tree builder of Zhou et al. 2008 ("Real-time kd-tree construction on graphics hardware")
// as described by Zeidan 2011, section 4.4. Unlike Zeidan's, it clips triangles. The files of the
// two stages list further departures. The result is a binary tree like any other builder's, so that
// every layout and traversal can use it: nodes hold boxes within their cells, and references are
// parts of primitives.
#include <algorithm>

#include "accel/bvh/builders/builder_configs.h"
#include "accel/kdtree/kd_nodes.h"

TL_DEVICE_BEGIN

namespace {

class KdSahBuilder final : public TreeBuilder {
  public:
    [[nodiscard]] std::size_t max_references(std::size_t n) const override {
        auto room = static_cast<std::size_t>(static_cast<double>(n) * config_.references) + kSpare;
        return n == 0 ? 0 : std::min(room, std::max(n, kMaxPrimitives));
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
    }
    Settings settings() override { return config_.settings(); }

  private:
    static constexpr std::size_t kSpare = 256;  ///< capacity for the cuts of the smallest scenes
    KdSahConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_kd_sah_builder() {
    return std::make_unique<KdSahBuilder>();
}

TL_DEVICE_END
