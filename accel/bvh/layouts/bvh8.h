// 8-wide BVH for traversal on the CPU. A node holds the boxes of eight children, one AVX register
// per plane. A leaf holds four triangles, one SSE register per coordinate (as in Embree: Wald et
// al. 2014).
#pragma once

#include <cstddef>
#include <memory>

#include "accel/bvh/layouts/wide_plan.h"
#include "accel/primitives.h"

namespace tl {

/// Reference to a child of a wide node: an inner node's index, or a leaf's block of primitives.
struct WideRef {
    static constexpr std::uint32_t kLeafBit = 1u << 31;
    static constexpr std::uint32_t kMissing = 0xffffffffu;
};

/// Node of up to eight children: planes[axis][0] are the lower bounds of their boxes,
/// planes[axis][1] the upper ones. A missing child's box is inverted, so that no ray intersects it.
struct alignas(64) Bvh8Node {
    float planes[3][2][kWide];
    std::uint32_t children[kWide];
    std::uint32_t unused[kWide];
};
static_assert(sizeof(Bvh8Node) == 256 && offsetof(Bvh8Node, children) == 192);

/// Primitives of a leaf, one per SIMD lane. A lane without a triangle has zero edges, which no ray
/// hits. The bits of `others` mark the lanes of primitives that are not triangles.
struct alignas(64) PrimitiveBlock {
    static constexpr std::uint32_t kSize = 4;
    float vertex[3][4];
    float edge1[3][4];
    float edge2[3][4];
    std::uint32_t id[4];
    std::uint32_t first;  ///< slot of lane 0 in the leaf order
    std::uint32_t count;  ///< 0 if the block is not in use
    std::uint32_t others;
    std::uint32_t unused;
    float slack[4];  ///< as Primitive::slack
};
static_assert(sizeof(PrimitiveBlock) == 192 && offsetof(PrimitiveBlock, id) == 144);

/// Pointers to the tree for tracers. Traversal starts at node 0.
struct Bvh8View {
    const Bvh8Node* nodes = nullptr;
    const PrimitiveBlock* blocks = nullptr;
    TreeHeader* header = nullptr;
    std::size_t bytes = 0;  ///< size of the nodes and blocks in use
};

/// Whether this machine has the instructions that the layout needs: AVX2 and FMA.
[[nodiscard]] bool can_trace_bvh8();

/// Owns nodes and blocks in CPU memory, converted from a tree of BvhNodes. The leaf order is kept.
class Bvh8 {
  public:
    /// Converts a tree whose leaves hold at most PrimitiveBlock::kSize primitives.
    void convert(Stream& stream, View<const BvhNode> nodes, const TreeHeader& header);
    /// Fills the leaves' blocks; `primitives` are in leaf order.
    void pack(View<const Primitive> primitives);

    /// Whether rays can be traced, after both convert and pack.
    [[nodiscard]] bool ready() const { return packed_; }
    [[nodiscard]] Bvh8View view(TreeHeader* header) const {
        return {nodes_.data(), blocks_.data(), header,
                n_nodes_ * sizeof(Bvh8Node) + n_blocks_ * sizeof(PrimitiveBlock)};
    }
    [[nodiscard]] const DeviceArray<Bvh8Node>& nodes() const { return nodes_; }
    [[nodiscard]] const DeviceArray<PrimitiveBlock>& blocks() const { return blocks_; }
    [[nodiscard]] std::size_t n_nodes() const { return n_nodes_; }
    [[nodiscard]] std::size_t n_blocks() const { return n_blocks_; }
    [[nodiscard]] std::size_t bytes() const { return nodes_.bytes() + blocks_.bytes(); }

  private:
    WidePlan plan_;
    DeviceArray<Bvh8Node> nodes_;
    DeviceArray<PrimitiveBlock> blocks_;
    std::size_t n_nodes_ = 0, n_blocks_ = 0;
    bool packed_ = false;
};

}  // namespace tl
