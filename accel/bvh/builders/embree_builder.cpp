// Embree's BVH builder as a tree builder, for comparison: rtcBuildBVH by Morton codes or binned
// SAH, with two children per node and one primitive per leaf. Subtrees are collapsed into leaves
// afterwards, as for every builder.
#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <algorithm>

#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/host_builder.h"
#include "core/base/error.h"

namespace tl {
namespace {

/// Node of the tree that the callbacks make in Embree's memory: an inner node, or a leaf of one
/// primitive.
struct EmbreeNode {
    Box box;
    EmbreeNode* children[2] = {nullptr, nullptr};
    std::uint32_t reference = 0;  ///< set in leaves, which have no children
};

Box box_of(const RTCBounds& b) {
    return {{b.lower_x, b.lower_y, b.lower_z}, {b.upper_x, b.upper_y, b.upper_z}};
}

void* new_node(RTCThreadLocalAllocator allocator) {
    return new (rtcThreadLocalAlloc(allocator, sizeof(EmbreeNode), alignof(EmbreeNode))) EmbreeNode;
}
void* create_node(RTCThreadLocalAllocator allocator, unsigned, void*) {
    return new_node(allocator);
}
void set_children(void* node, void** children, unsigned count, void*) {
    for (unsigned i = 0; i < count; ++i)
        static_cast<EmbreeNode*>(node)->children[i] = static_cast<EmbreeNode*>(children[i]);
}
void set_bounds(void* node, const RTCBounds** bounds, unsigned count, void*) {
    for (unsigned i = 0; i < count; ++i)
        static_cast<EmbreeNode*>(node)->box.extend(box_of(*bounds[i]));
}
void* create_leaf(RTCThreadLocalAllocator allocator, const RTCBuildPrimitive* primitives,
                  std::size_t, void*) {
    auto* leaf = static_cast<EmbreeNode*>(new_node(allocator));
    leaf->reference = primitives[0].primID;
    return leaf;
}

/// Converts Embree's tree; numbers nodes and leaf slots in depth-first order.
HostBinaryTree numbered(EmbreeNode* root, std::size_t n) {
    HostBinaryTree tree;
    tree.nodes.reserve(n - 1);
    tree.order.reserve(n);
    struct Pending {
        const EmbreeNode* node;
        std::uint32_t parent;
        int side;
    };
    std::vector<Pending> stack{{root, 0, -1}};
    while (!stack.empty()) {
        auto [node, parent, side] = stack.back();
        stack.pop_back();
        NodeRef ref;
        if (node->children[0]) {
            ref = NodeRef::inner(static_cast<std::uint32_t>(tree.nodes.size()));
            tree.nodes.push_back({node->box.lo, {}, node->box.hi, {}});
            for (int s : {1, 0}) stack.push_back({node->children[s], ref.node(), s});
        } else {
            ref = NodeRef::leaf(static_cast<std::uint32_t>(tree.order.size()), 1);
            tree.order.push_back(node->reference);
        }
        if (side >= 0) (side ? tree.nodes[parent].right : tree.nodes[parent].left) = ref;
    }
    return tree;
}

class EmbreeBuilder final : public HostTreeBuilder {
  public:
    ~EmbreeBuilder() override {
        if (device_) rtcReleaseDevice(device_);
    }
    Settings settings() override { return config_.settings(); }

  private:
    HostBinaryTree build_on_host(std::span<const Box> boxes,
                                 std::vector<std::uint32_t> valid) override {
        // Created at the first build, since it starts Embree's threads.
        if (!device_) device_ = rtcNewDevice(nullptr);
        if (!device_) throw UserError("Embree does not start on this machine");
        std::vector<RTCBuildPrimitive> primitives(valid.size());
        for (std::size_t i = 0; i < valid.size(); ++i) {
            const Box& b = boxes[valid[i]];
            primitives[i] = {b.lo.x, b.lo.y, b.lo.z, 0, b.hi.x, b.hi.y, b.hi.z, valid[i]};
        }
        RTCBVH bvh = rtcNewBVH(device_);
        RTCBuildArguments arguments = rtcDefaultBuildArguments();
        arguments.buildQuality = config_.quality == EmbreeQuality::low ? RTC_BUILD_QUALITY_LOW
                                                                       : RTC_BUILD_QUALITY_MEDIUM;
        arguments.maxDepth = 1024;
        arguments.maxLeafSize = 1;
        arguments.bvh = bvh;
        arguments.primitives = primitives.data();
        arguments.primitiveCount = arguments.primitiveArrayCapacity = primitives.size();
        arguments.createNode = &create_node;
        arguments.setNodeChildren = &set_children;
        arguments.setNodeBounds = &set_bounds;
        arguments.createLeaf = &create_leaf;
        auto* root = static_cast<EmbreeNode*>(rtcBuildBVH(&arguments));
        HostBinaryTree tree;
        if (root) tree = numbered(root, primitives.size());
        rtcReleaseBVH(bvh);
        if (!root)
            throw UserError("Embree's builder failed (error " +
                            std::to_string(rtcGetDeviceError(device_)) + ")");
        return tree;
    }

    RTCDevice device_ = nullptr;
    EmbreeConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_embree_builder() {
    return std::make_unique<EmbreeBuilder>();
}

}  // namespace tl
