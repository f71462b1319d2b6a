// Rays through trees deeper than the traversal stack. Traversal ends, finds the hits that are still
// on the stack, and reports the overflow.
#include "accel/bvh/traversal/instance_tracer.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// A triangle that intersects the x axis.
Primitive triangle_at(float x, std::uint32_t id) {
    return triangle_primitive(id, {x, -1, -1}, {x, 3, -1}, {x, -1, 3}, false);
}

/// A chain of `depth` nodes. Node i has leaf i and node i + 1, which is nearer to the origin; the
/// last one has two leaves. A ray along the x axis from the origin hits all boxes and pushes leaf i
/// onto the stack at node i.
struct Chain {
    std::vector<BvhNode> nodes;
    std::vector<Primitive> primitives;  ///< leaf i's primitive at index i, beside the axis

    explicit Chain(std::uint32_t depth) : nodes(depth), primitives(depth + 1) {
        auto box = [&](float from, float to) {
            Box b;
            b.lo = {from, -9, -9};
            b.hi = {to, 9, 9};
            return b;
        };
        for (std::uint32_t i = 0; i <= depth; ++i) {
            primitives[i] = triangle_at(x_of(i), i);
            primitives[i].vertex.y += 5;
        }
        for (std::uint32_t i = 0; i < depth; ++i) {
            bool last = i + 1 == depth;
            nodes[i] = {};
            nodes[i].set_child(0, box(x_of(i) - 0.25f, x_of(i) + 0.25f), NodeRef::leaf(i, 1));
            nodes[i].set_child(1, box(0.5f, x_of(i + 1) + 0.25f),
                               last ? NodeRef::leaf(i + 1, 1) : NodeRef::inner(i + 1));
        }
    }
    [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(nodes.size()); }
    [[nodiscard]] float x_of(std::uint32_t leaf) const {
        return static_cast<float>(depth() - leaf + 1);
    }
    void put_in_the_way(std::uint32_t leaf) { primitives[leaf] = triangle_at(x_of(leaf), leaf); }
};

struct Met {
    Hit hit;
    std::uint32_t errors;
};

/// The hit of a ray along the x axis, and the errors that its tracer reports to the tree. `mesh`:
/// contents of the instance that replaces the nearest leaf, if there is one.
Met along_x(Stream& stream, const Chain& chain, bool two_levels, const Chain* mesh = nullptr) {
    auto primitives = chain.primitives;
    if (mesh) primitives.back().kind = Primitive::kInstance, primitives.back().id = 0;
    DeviceArray<BvhNode> nodes(stream, std::span<const BvhNode>(chain.nodes)), mesh_nodes;
    DeviceArray<Primitive> places(stream, std::span<const Primitive>(primitives)), mesh_places;
    InstanceData instance{};
    instance.is_identity = 1;
    if (mesh) {
        mesh_nodes.assign(stream, mesh->nodes);
        mesh_places.assign(stream, mesh->primitives);
        instance.nodes = mesh_nodes.data();
        instance.primitives = mesh_places.data();
    }
    DeviceArray<InstanceData> instances(stream, std::span<const InstanceData>(&instance, 1));
    TreeHeader header{};
    DeviceArray<TreeHeader> headers(stream, std::span<const TreeHeader>(&header, 1));
    DeviceArray<Hit> hits(stream, 1);
    Bvh2View tree{nodes.data(), headers.data()};
    Bvh2Tracer<false> one{{tree}, places.data()};
    InstanceTracer<false> two{tree, places.data(), instances.data()};
    View<Hit> out = hits.view();
    parallel_for(
        stream, "trace", 1, TL_LAMBDA(std::uint32_t i) {
            Ray ray;
            ray.direction = vec3(1, 0, 0);
            out[i] = two_levels ? two.closest(ray) : one.closest(ray);
        });
    Met met;
    stream.device().download(stream, &met.hit, hits.data(), sizeof met.hit);
    stream.device().download(stream, &header, headers.data(), sizeof header);
    met.errors = header.errors;
    return met;
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(DeepTrees, AreTracedWholeWhileTheStackHolds) {
    for (bool two_levels : {false, true})
        for (std::uint32_t leaf : {0u, 50u, kTraversalStack - 1}) {
            Chain chain(kTraversalStack - 1);
            chain.put_in_the_way(leaf);
            Met met = along_x(stream, chain, two_levels);
            EXPECT_EQ(met.hit.primitive, leaf) << two_levels;
            EXPECT_EQ(met.hit.t, chain.x_of(leaf));
            EXPECT_EQ(met.errors, 0u);
        }
}

TL_DEVICE_TEST(DeepTrees, LoseSubtreesAndSaySoWhereTheStackIsFull) {
    for (bool two_levels : {false, true})
        for (std::uint32_t leaf : {0u, 50u, kTraversalStack + 20}) {
            Chain chain(2 * kTraversalStack);
            chain.put_in_the_way(leaf);
            Met met = along_x(stream, chain, two_levels);
            bool is_held = leaf < kTraversalStack;
            EXPECT_EQ(met.hit.primitive, is_held ? leaf : Hit::kNone) << two_levels;
            EXPECT_EQ(met.errors, std::uint32_t{kTraversalStackFull});
        }
}

TL_DEVICE_TEST(DeepTrees, EnterInstancesOnlyWhereTheyCanBeLeft) {
    Chain mesh(1);
    mesh.put_in_the_way(1);
    for (std::uint32_t depth : {10u, kTraversalStack - 3, 2 * kTraversalStack}) {
        Chain chain(depth);
        chain.put_in_the_way(0);
        Met met = along_x(stream, chain, true, &mesh);
        bool fits = depth < kTraversalStack;
        EXPECT_EQ(met.hit.instance, fits ? 0u : Hit::kNone) << depth;
        EXPECT_EQ(met.hit.primitive, fits ? 1u : 0u) << "what lies behind it is found";
        EXPECT_EQ(met.errors, fits ? 0u : std::uint32_t{kTraversalStackFull});
    }
}
