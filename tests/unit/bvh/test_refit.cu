// Refitted trees have tight boxes and give the hits of brute force; the update policy rebuilds when
// it should, and only then.
#include <algorithm>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/passes/refit.h"
#include "accel/bvh/traversal/tracer.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct Triangle {
    vec3 a, b, c;
    [[nodiscard]] Box box() const {
        Box box;
        for (vec3 p : {a, b, c}) box.extend(p);
        return box;
    }
};

std::vector<Triangle> random_triangles(std::size_t n, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> place(-10, 10), extent(-0.5f, 0.5f);
    auto vector = [&](auto& of) {
        float x = of(engine), y = of(engine);
        return vec3(x, y, of(engine));
    };
    std::vector<Triangle> triangles(n);
    for (auto& t : triangles) {
        t.a = vector(place);
        t.b = t.a + vector(extent);
        t.c = t.a + vector(extent);
    }
    return triangles;
}

std::vector<Box> boxes_of(const std::vector<Triangle>& triangles) {
    std::vector<Box> boxes;
    for (auto& t : triangles) boxes.push_back(t.box());
    return boxes;
}

/// A tree with an update policy, updated as in a live scene.
struct Updated {
    Stream& stream;
    Scratch& scratch;
    std::unique_ptr<TreeBuilder> builder;
    Tree tree{};
    DeviceArray<Box> on_device{};

    Updated(Device& device, Stream& stream, Scratch& scratch, UpdatePolicy policy)
        : stream(stream), scratch(scratch), builder(make_tree_builder("lbvh", device)) {
        tree.config.update = policy;
        tree.config.layout = TreeLayout::bvh2;
    }
    UpdateKind update(const std::vector<Box>& boxes) {
        stream.synchronize();  // the readback has completed
        on_device.assign(stream, boxes);
        UpdateKind kind = tree.next_update(stream, *builder, boxes.size());
        BuildInput input;
        input.boxes = on_device.view();
        if (kind == UpdateKind::rebuild) tree.build(scratch, *builder, input);
        if (kind == UpdateKind::refit) tree.refit(scratch, on_device.view());
        tree.read_back_header(stream);
        return kind;
    }
    TreeCost cost() {
        TreeCost cost;
        stream.device().download(stream, &cost, tree.cost().data(), sizeof cost);
        return cost;
    }
    TreeHeader header() {
        TreeHeader header;
        stream.device().download(stream, &header, tree.header().data, sizeof header);
        return header;
    }
};

bool is_nothing(const Box& box) {
    return box.lo.x == kInfinity;
}

/// The union of the boxes below a child; checks that the child's stored box is just that.
Box check_child(const std::vector<BvhNode>& nodes, const std::vector<std::uint32_t>& order,
                const std::vector<Box>& boxes, std::uint32_t node, int side) {
    NodeRef ref = nodes[node].child(side);
    Box below;
    if (ref.is_missing()) return below;
    if (ref.is_leaf()) {
        for (std::uint32_t k = 0; k < ref.count(); ++k)
            if (boxes[order[ref.first() + k]].is_valid())
                below.extend(boxes[order[ref.first() + k]]);
    } else {
        for (int s : {0, 1}) {
            Box child = check_child(nodes, order, boxes, ref.node(), s);
            if (!is_nothing(child)) below.extend(child);
        }
    }
    Box stored = nodes[node].box(side);
    if (is_nothing(below)) {
        EXPECT_TRUE(is_nothing(stored)) << "node " << node << " side " << side;
    } else {
        EXPECT_EQ(stored.lo, below.lo) << "node " << node << " side " << side;
        EXPECT_EQ(stored.hi, below.hi) << "node " << node << " side " << side;
    }
    return below;
}

void check_boxes(Updated& updated, const std::vector<Box>& boxes) {
    auto nodes = updated.tree.nodes().download(updated.stream);
    std::vector<std::uint32_t> order(updated.tree.order().size);
    updated.stream.device().download(updated.stream, order.data(), updated.tree.order().data,
                                     order.size() * sizeof(std::uint32_t));
    auto root = updated.header().root;
    for (int side : {0, 1}) check_child(nodes, order, boxes, root, side);
    auto stats = measure_tree(updated.stream, updated.tree);  // throws if not a tree
    EXPECT_EQ(stats.n_primitives, updated.header().n_valid);
}

/// Closest hits of rays through a tree, or by testing all triangles if `tree` is null.
std::vector<float> trace(Stream& stream, const Tree* tree, const DeviceArray<Primitive>& primitives,
                         std::uint32_t n_rays) {
    DeviceArray<float> out(stream, n_rays);
    auto distance = out.view();
    View<const Primitive> p = primitives.view();
    Bvh2View nodes;
    if (tree) nodes = tree->view(primitives.data()).bvh2;
    parallel_for(
        stream, "trace", n_rays, TL_LAMBDA(std::uint32_t i) {
            Ray ray;
            float angle = static_cast<float>(i) * 2.399963f;
            float height = 2 * static_cast<float>(i) / static_cast<float>(n_rays) - 1;
            ray.origin = 30.0f * vec3(cosf(angle), height, sinf(angle));
            ray.direction =
                vec3(sinf(7 * angle), 0.3f * height, cosf(5 * angle)) * 5.0f - ray.origin;
            Hit hit;
            if (nodes.nodes) {
                hit = Bvh2Tracer<false>{nodes, p.data}.closest(ray);
            } else {
                for (std::size_t k = 0; k < p.size; ++k) intersect(p[k], ray, hit.t, hit);
            }
            distance[i] = hit.t;
        });
    return out.download(stream);
}

DeviceArray<Primitive> gathered(Updated& updated, const std::vector<Triangle>& triangles) {
    std::vector<std::uint32_t> order(updated.tree.order().size);
    updated.stream.device().download(updated.stream, order.data(), updated.tree.order().data,
                                     order.size() * sizeof(std::uint32_t));
    std::vector<Primitive> primitives;
    for (auto id : order) {
        auto& t = triangles[id];
        primitives.push_back({t.a, id, t.b - t.a, Primitive::kTriangle, t.c - t.a, 0});
    }
    return {updated.stream, std::span<const Primitive>(primitives)};
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Refit, BoxesAreTheUnionsOfWhatIsBelow) {
    for (std::size_t n : {1, 2, 3, 5, 33, 1000, 30001})
        for (int leaf_size : {1, 4, 8}) {
            Updated updated(device, stream, scratch, UpdatePolicy::refit);
            updated.tree.config.max_leaf_size = leaf_size;
            EXPECT_EQ(updated.update(boxes_of(random_triangles(n, 1))), UpdateKind::rebuild);
            // Moves every triangle, three times: arrival counters must be reset each time.
            for (unsigned seed : {2, 3, 4}) {
                auto boxes = boxes_of(random_triangles(n, seed));
                EXPECT_EQ(updated.update(boxes), UpdateKind::refit);
                check_boxes(updated, boxes);
            }
        }
}

TL_DEVICE_TEST(Refit, AnEmptyTreeStaysEmpty) {
    Updated updated(device, stream, scratch, UpdatePolicy::refit);
    std::vector<Box> nothing(3);
    for (int i = 0; i < 3; ++i) updated.update(nothing);
    EXPECT_EQ(measure_tree(stream, updated.tree).n_primitives, 0u);
    EXPECT_EQ(updated.update({}), UpdateKind::rebuild);
    EXPECT_EQ(updated.update({}), UpdateKind::refit);
}

TL_DEVICE_TEST(Refit, ParentsNameTheirChildren) {
    Updated updated(device, stream, scratch, UpdatePolicy::refit);
    updated.update(boxes_of(random_triangles(5000)));
    auto header = updated.header();
    auto nodes = updated.tree.nodes().download(stream);
    std::vector<ParentRef> parents(nodes.size());
    device.download(stream, parents.data(), updated.tree.refit_view().parents.data,
                    parents.size() * sizeof(ParentRef));
    std::size_t n_children = 0;
    for (std::uint32_t i = 0; i < header.n_nodes; ++i)
        for (int side : {0, 1}) {
            NodeRef child = nodes[i].child(side);
            if (child.is_leaf()) continue;
            ++n_children;
            EXPECT_EQ(parents[child.node()].node(), i);
            EXPECT_EQ(parents[child.node()].side(), side);
        }
    EXPECT_EQ(n_children + 1, header.n_nodes);
    EXPECT_TRUE(parents[header.root].is_root());
}

TL_DEVICE_TEST(Refit, InvalidBoxesAreLeftOutAndComeBack) {
    Updated updated(device, stream, scratch, UpdatePolicy::refit);
    updated.tree.config.max_leaf_size = 1;
    auto boxes = boxes_of(random_triangles(500));
    updated.update(boxes);
    auto broken = boxes;
    for (std::size_t i = 0; i < 500; i += 3) broken[i] = Box{};
    broken[1].hi.y = kInfinity;
    broken[2].lo.x = std::numeric_limits<float>::quiet_NaN();
    updated.update(broken);
    check_boxes(updated, broken);
    updated.update(std::vector<Box>(500));
    check_boxes(updated, std::vector<Box>(500));
    updated.update(boxes);
    check_boxes(updated, boxes);
}

TL_DEVICE_TEST(Refit, HitsAreThoseOfBruteForce) {
    Updated updated(device, stream, scratch, UpdatePolicy::refit);
    updated.update(boxes_of(random_triangles(2000, 1)));
    auto moved = random_triangles(2000, 2);
    ASSERT_EQ(updated.update(boxes_of(moved)), UpdateKind::refit);
    auto primitives = gathered(updated, moved);
    auto by_tree = trace(stream, &updated.tree, primitives, 1000);
    auto by_force = trace(stream, nullptr, primitives, 1000);
    for (std::size_t i = 0; i < by_force.size(); ++i) {
        // Two kernels may round differently. Equal infinities would fail a tolerance test.
        if (by_tree[i] == by_force[i]) continue;
        EXPECT_NEAR(by_tree[i], by_force[i], 1e-4f) << i;
    }
    auto n_hits = std::count_if(by_force.begin(), by_force.end(), [](float t) { return t < 1e9f; });
    EXPECT_GT(n_hits, 200);
}

TL_DEVICE_TEST(Refit, CostIsThatOfTheMeasuredTree) {
    Updated updated(device, stream, scratch, UpdatePolicy::automatic);
    for (unsigned seed : {1, 1, 2}) {
        updated.update(boxes_of(random_triangles(3000, seed)));
        double sah = measure_tree(stream, updated.tree).sah;
        EXPECT_NEAR(double(updated.cost().now), sah, 1e-4 * sah);
    }
    EXPECT_GT(updated.cost().now, 2 * updated.cost().built);
}

TL_DEVICE_TEST(Refit, AllocatesNothing) {
    Updated updated(device, stream, scratch, UpdatePolicy::automatic);
    auto boxes = boxes_of(random_triangles(5000));
    for (int i = 0; i < 3; ++i) updated.update(boxes);
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 5; ++i) updated.update(boxes);
    EXPECT_EQ(device.memory_stats().allocation_count, before);
}

TL_DEVICE_TEST(UpdatePolicy, AutoBuildsAnewAfterAnExplosionOnly) {
    Updated updated(device, stream, scratch, UpdatePolicy::automatic);
    auto boxes = boxes_of(random_triangles(3000));
    auto moved_by = [&](vec3 shift, float spread) {
        auto moved = boxes;
        std::mt19937 engine(9);
        std::uniform_real_distribution<float> flight(-spread, spread);
        for (auto& box : moved) {
            vec3 way = shift + vec3(flight(engine), flight(engine), flight(engine));
            box.lo += way;
            box.hi += way;
        }
        return moved;
    };
    EXPECT_EQ(updated.update(boxes), UpdateKind::rebuild);
    for (int i = 1; i < 8; ++i)  // a rigid shift
        EXPECT_EQ(updated.update(moved_by(vec3(static_cast<float>(i)), 0)), UpdateKind::refit);
    auto exploded = moved_by(vec3(0), 8);
    EXPECT_EQ(updated.update(exploded), UpdateKind::refit);  // its cost is not known yet
    EXPECT_EQ(updated.update(exploded), UpdateKind::rebuild);
    // The new tree is good: cost measurements of the old one must be ignored.
    for (int i = 0; i < 4; ++i) EXPECT_EQ(updated.update(exploded), UpdateKind::refit);
    EXPECT_EQ(updated.update(boxes), UpdateKind::refit);
    EXPECT_EQ(updated.update(boxes), UpdateKind::rebuild);
}

TL_DEVICE_TEST(UpdatePolicy, EachPolicyDoesWhatItSays) {
    auto boxes = boxes_of(random_triangles(100)), others = boxes_of(random_triangles(100, 2));
    for (auto [policy, kind] : {std::pair{UpdatePolicy::once, UpdateKind::none},
                                std::pair{UpdatePolicy::refit, UpdateKind::refit},
                                std::pair{UpdatePolicy::rebuild, UpdateKind::rebuild}}) {
        Updated updated(device, stream, scratch, policy);
        EXPECT_EQ(updated.update(boxes), UpdateKind::rebuild);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(updated.update(others), kind);
        // Changes of tree settings, size or builder settings cause a rebuild.
        updated.tree.config.max_leaf_size = 1;
        EXPECT_EQ(updated.update(others), UpdateKind::rebuild);
        EXPECT_EQ(updated.update(others), kind);
        EXPECT_EQ(updated.update(boxes_of(random_triangles(99))), UpdateKind::rebuild);
        updated.tree.invalidate();
        EXPECT_EQ(updated.update(boxes_of(random_triangles(99))), UpdateKind::rebuild);
        EXPECT_EQ(updated.update(boxes_of(random_triangles(99))), kind);
    }
}

TL_DEVICE_TEST(UpdatePolicy, HeadersArriveWithoutWaiting) {
    Updated updated(device, stream, scratch, UpdatePolicy::rebuild);
    auto boxes = boxes_of(random_triangles(10));
    boxes[3] = Box{};
    boxes[4].hi.x = kInfinity;
    EXPECT_FALSE(updated.tree.latest_header());
    updated.update(boxes);
    updated.update(boxes);
    updated.update(boxes);
    ASSERT_TRUE(updated.tree.latest_header());
    EXPECT_EQ(updated.tree.latest_header()->n_dropped, 2u);
    EXPECT_EQ(updated.tree.latest_header()->n_valid, 8u);
}
