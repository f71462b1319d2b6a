// Every traversal layout gives brute force's hits, fast and robust, and its nodes' boxes contain
// their subtrees.
#include <cmath>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/traversal/any_tracer.h"
#include "accel/bvh/traversal/trace_both.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using Engine = std::mt19937;

vec3 random_point(Engine& engine, float size) {
    std::uniform_real_distribution<float> unit(-size, size);
    float x = unit(engine), y = unit(engine), z = unit(engine);
    return {x, y, z};
}

/// Primitives by their id, and their boxes.
struct Shapes {
    std::vector<Primitive> primitives;
    std::vector<Box> boxes;

    void add_triangle(vec3 a, vec3 b, vec3 c) {
        Box box;
        for (vec3 v : {a, b, c}) box.extend(v);
        auto id = static_cast<std::uint32_t>(primitives.size());
        primitives.push_back(triangle_primitive(id, a, b, c, false));
        boxes.push_back(box);
    }
    void add_sphere(vec3 center, float radius) {
        Primitive p{};
        p.id = static_cast<std::uint32_t>(primitives.size());
        p.kind = Primitive::kSphere;
        p.vertex = center;
        p.edge1.x = radius;
        primitives.push_back(p);
        Box box;
        box.lo = center - radius;
        box.hi = center + radius;
        boxes.push_back(box);
    }
    void add_splat(vec3 center, vec3 normal, float radius) {
        auto id = static_cast<std::uint32_t>(primitives.size());
        primitives.push_back(splat_primitive(id, center, normal, radius));
        boxes.push_back(splat_box(center, normal, radius));
    }
};

/// Alternating triangles, spheres and splats in a cube of side 20.
Shapes soup(std::size_t n, float size) {
    Engine engine(7);
    Shapes shapes;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 p = random_point(engine, 10);
        if (i % 4 == 3)
            shapes.add_sphere(p, size * 0.3f);
        else if (i % 4 == 1)
            shapes.add_splat(p, glm::normalize(random_point(engine, 1)), size * 0.5f);
        else
            shapes.add_triangle(p, p + random_point(engine, size), p + random_point(engine, size));
    }
    return shapes;
}

/// A flat square of side 20, in which every triangle's box has zero height.
Shapes flat_grid(int n) {
    Shapes shapes;
    float step = 20.0f / static_cast<float>(n);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            vec3 p(-10 + step * static_cast<float>(x), 0.5f, -10 + step * static_cast<float>(y));
            vec3 dx(step, 0, 0), dz(0, 0, step);
            shapes.add_triangle(p, p + dx, p + dz);
            shapes.add_triangle(p + dx, p + dx + dz, p + dz);
        }
    return shapes;
}

Shapes duplicated(std::size_t n) {
    Shapes shapes;
    for (std::size_t i = 0; i < n; ++i) shapes.add_triangle({-5, -5, 1}, {5, -5, 1}, {0, 5, 1});
    return shapes;
}

Shapes needles(std::size_t n) {
    Engine engine(5);
    Shapes shapes;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 p = random_point(engine, 10);
        shapes.add_triangle(p, p + random_point(engine, 5), p + random_point(engine, 0.05f));
    }
    return shapes;
}

/// Rays in and around the shapes, some along the axes; the last one is not finite.
std::vector<Ray> some_rays(std::size_t n) {
    Engine engine(3);
    std::vector<Ray> rays(n);
    for (std::size_t i = 0; i < n; ++i) {
        rays[i].origin = random_point(engine, 14);
        rays[i].direction = random_point(engine, 10) - rays[i].origin;
        if (i % 8 == 0) {
            float sign = i % 16 ? 1.0f : -1.0f;
            rays[i].direction = vec3(0);
            rays[i].direction[static_cast<int>(i / 16 % 3)] = sign;
        }
        if (i % 5 == 0) rays[i].t_max = 1;
        if (i % 7 == 0) rays[i].t_min = 0.25f;
    }
    rays.back().direction.y = std::nanf("");
    return rays;
}

Hit brute_force(const Shapes& shapes, const Ray& ray) {
    Hit hit;
    for (auto& p : shapes.primitives) intersect(p, ray, hit.found() ? hit.t : ray.t_max, hit);
    return hit;
}

/// Traces rays by calling the tracer inside a kernel.
struct AnyTracerPass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;
    View<std::uint32_t> any;
    View<RayStats> stats;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        auto in = rays;
        auto out = hits;
        auto out_any = any;
        auto out_stats = stats;
        parallel_for(
            stream, "trace", static_cast<std::uint32_t>(rays.size), TL_LAMBDA(std::uint32_t i) {
                RayStats met, met_any;
                Hit counted = tracer.closest(in[i], met);
                out[i] = tracer.closest(in[i]);
                bool same = counted.t == out[i].t && counted.primitive == out[i].primitive;
                bool found = tracer.occluded(in[i]);
                same = same && found == tracer.occluded(in[i], met_any);
                out_any[i] = same ? found : 2;
                out_stats[i] = met;
            });
    }
};

/// Whether the hits of two kernels agree up to rounding.
bool agree(const Hit& a, const Hit& b) {
    return a.found() == b.found() && (!a.found() || fabsf(a.t - b.t) <= 1e-4f * (1 + b.t));
}

/// A tree over shapes with its gathered primitives.
struct Traced {
    Tree tree;
    DeviceArray<Box> boxes;
    DeviceArray<Primitive> primitives;

    void build(Device& device, Stream& stream, Scratch& scratch, const Shapes& shapes) {
        boxes.assign(stream, shapes.boxes);
        BuildInput input;
        input.boxes = boxes.view();
        tree.build(scratch, *make_tree_builder("lbvh", device), input);
        auto gathered = gather(stream, shapes);
        primitives.assign(stream, gathered);
        tree.take_primitives(primitives.view());
    }
    std::vector<Primitive> gather(Stream& stream, const Shapes& shapes) const {
        TreeHeader header;
        stream.device().download(stream, &header, tree.header().data, sizeof header);
        std::vector<std::uint32_t> order(header.n_places);
        if (!order.empty())
            stream.device().download(stream, order.data(), tree.order().data,
                                     order.size() * sizeof(std::uint32_t));
        std::vector<Primitive> gathered;
        for (auto id : order) gathered.push_back(shapes.primitives.at(id));
        return gathered;
    }
};

/// Light of each ray, with the index of the sum that it is added to, and the initial values of the
/// sums.
struct GivenLight {
    std::vector<ArrivingLight> lights;
    std::vector<vec4> before;

    explicit GivenLight(std::size_t n_rays) : before(n_rays, vec4(1, 2, 3, 4)) {
        for (std::size_t i = 0; i < n_rays; ++i)
            lights.push_back({vec3(static_cast<float>(i % 100 + 1), 2, 0.5f),
                              static_cast<std::uint32_t>(n_rays - 1 - i)});
    }
    /// Expected sum with ray `i`'s light, which is added if it arrives.
    [[nodiscard]] vec4 sum(std::size_t i, bool arrives) const {
        return before[i] + (arrives ? vec4(lights[i].radiance, 0) : vec4(0));
    }
};

constexpr TreeLayout kLayouts[] = {TreeLayout::automatic, TreeLayout::bvh2, TreeLayout::skip,
                                   TreeLayout::bvh4, TreeLayout::simd8};

/// Traces all rays to the closest hit, and all but some to any hit, in one launch. Expects `hits`
/// and `found`, the results of two launches.
void check_both(Stream& stream, Scratch& scratch, const TreeView& tree, View<const Ray> rays,
                const std::vector<Hit>& hits, const std::vector<std::uint8_t>& found) {
    constexpr std::uint8_t kUntouched = 7;
    auto n = static_cast<std::uint32_t>(hits.size()), n_any = n - n / 3;
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n_any, 1));
    RayRecords to_any(rays);
    to_any.count = count.view().data;
    for (auto launch : {RayLaunch::queue, RayLaunch::each}) {
        DeviceArray<Hit> both_hits(stream, n);
        DeviceArray<std::uint8_t> both_found(stream, std::vector<std::uint8_t>(n, kUntouched));
        trace_closest_and_any(scratch, "both", tree, rays, {both_hits.view(), {}, {}}, to_any,
                              {{}, {}, both_found.view()}, launch);
        auto got_hits = both_hits.download(stream);
        auto got_found = both_found.download(stream);
        std::size_t n_differ = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            n_differ += !agree(got_hits[i], hits[i]);
            EXPECT_EQ(got_found[i], i < n_any ? found[i] : kUntouched) << i;
        }
        EXPECT_LE(n_differ, n / 1000);
    }
}

void check_hits(Device& device, Stream& stream, Scratch& scratch, const Shapes& shapes,
                std::size_t n_rays) {
    auto rays = some_rays(n_rays);
    std::vector<Hit> expected;
    std::size_t n_found = 0;
    for (auto& ray : rays) {
        expected.push_back(brute_force(shapes, ray));
        n_found += expected.back().found();
    }
    // A single primitive is hit by only one ray in a hundred.
    if (shapes.primitives.size() > 100) {
        ASSERT_GT(n_found, n_rays / 50);
    }
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hits(stream, n_rays), any_layout_hits(stream, n_rays);
    DeviceArray<ProbeHit> each_hits(stream, n_rays);
    DeviceArray<std::uint8_t> found(stream, n_rays);
    DeviceArray<std::uint32_t> any(stream, n_rays);
    DeviceArray<RayStats> stats(stream, n_rays);
    const GivenLight given(n_rays);
    DeviceArray<ArrivingLight> lights(stream, std::span<const ArrivingLight>(given.lights));
    for (auto layout : kLayouts)
        for (bool robust : {false, true}) {
            SCOPED_TRACE(::testing::Message() << "layout " << static_cast<int>(layout) << " robust "
                                              << robust << " of " << shapes.boxes.size());
            Traced traced;
            traced.tree.config.layout = layout;
            traced.tree.config.robust = robust;
            traced.build(device, stream, scratch, shapes);
            TreeView tree = traced.tree.view(traced.primitives.data());
            visit_any_tracer(tree, AnyTracerPass{stream, on_device.view(), any_layout_hits.view(),
                                                 any.view(), stats.view()});
            trace_closest(scratch, "closest", tree, on_device.view(), {hits.view(), {}, {}});
            trace_any(scratch, "any", tree, on_device.view(), {{}, {}, found.view()});
            trace_closest(scratch, "each", tree, on_device.view(), {{}, each_hits.view(), {}},
                          RayLaunch::each);
            DeviceArray<vec4> sums(stream, std::span<const vec4>(given.before));
            trace_any(scratch, "light", tree, on_device.view(),
                      {{}, {}, {}, {lights.view(), sums.view()}});
            auto got_sums = sums.download(stream);
            auto got_any_layout = any_layout_hits.download(stream);
            auto got_found = found.download(stream);
            auto got_each = each_hits.download(stream);
            auto got = hits.download(stream);
            auto got_any = any.download(stream);
            check_both(stream, scratch, tree, on_device.view(), got, got_found);
            auto got_stats = stats.download(stream);
            std::size_t n_differ = 0, n_differ_by_launch = 0, n_tests = 0;
            for (std::size_t i = 0; i < n_rays; ++i) {
                bool same = got[i].found() == expected[i].found();
                if (same && got[i].found())
                    same = fabsf(got[i].t - expected[i].t) <= 1e-4f * (1 + expected[i].t);
                n_differ += !same;
                EXPECT_EQ(got_any[i], got[i].found() ? 1u : 0u) << i;
                EXPECT_EQ(got_found[i], got_any[i]) << i;
                EXPECT_EQ(got_sums[given.lights[i].pixel], given.sum(i, !got_found[i])) << i;
                n_differ_by_launch += !agree(got_any_layout[i], got[i]);
                n_differ_by_launch += !agree({got_each[i].t, 0, 0, got_each[i].primitive}, got[i]);
                n_tests += got_stats[i].n_primitives;
                if (got[i].found()) {
                    EXPECT_GT(got_stats[i].n_nodes, 0u);
                    EXPECT_GT(got_stats[i].n_primitives, 0u);
                    // The id is that of the primitive that the ray intersects.
                    ASSERT_LT(got[i].primitive, shapes.primitives.size());
                }
            }
            // Rays through an edge may differ by the tests' rounding.
            EXPECT_LE(n_differ, n_rays / 1000);
            EXPECT_LE(n_differ_by_launch, n_rays / 1000);
            EXPECT_FALSE(got.back().found());
            // The tree avoids most of the tests, unless all primitives coincide.
            if (shapes.boxes.size() > 1000 && shapes.boxes[0].lo != shapes.boxes[1].lo) {
                EXPECT_LT(n_tests, n_rays * shapes.boxes.size() / 10);
            }
            TreeHeader header;
            device.download(stream, &header, traced.tree.header().data, sizeof header);
            EXPECT_EQ(header.errors, 0u);
        }
}

/// Whether `box` holds all corners of `inner`, exactly.
bool holds(const Box& box, const Box& inner) {
    return glm::all(glm::lessThanEqual(box.lo, inner.lo)) &&
           glm::all(glm::greaterThanEqual(box.hi, inner.hi));
}

/// Checks that the boxes of a Bvh8's nodes contain the shapes below them; counts the shapes.
Box check_bvh8_node(const std::vector<Bvh8Node>& nodes, const std::vector<PrimitiveBlock>& blocks,
                    const Shapes& shapes, std::uint32_t node, std::vector<int>& reached) {
    Box all;
    for (int i = 0; i < kWide; ++i) {
        std::uint32_t ref = nodes.at(node).children[i];
        if (ref == WideRef::kMissing) continue;
        Box below, child;
        for (int axis = 0; axis < 3; ++axis) {
            child.lo[axis] = nodes[node].planes[axis][0][i];
            child.hi[axis] = nodes[node].planes[axis][1][i];
        }
        if (ref & WideRef::kLeafBit) {
            const PrimitiveBlock& block = blocks.at(ref & ~WideRef::kLeafBit);
            for (std::uint32_t k = 0; k < block.count; ++k) {
                below.extend(shapes.boxes.at(block.id[k]));
                ++reached.at(block.id[k]);
            }
        } else {
            below = check_bvh8_node(nodes, blocks, shapes, ref, reached);
        }
        EXPECT_TRUE(holds(child, below)) << "node " << node << " child " << i;
        all.extend(below);
    }
    return all;
}

/// The nodes in use of a tree of layout skip.
std::vector<SkipNode> download_skip_nodes(Stream& stream, const Traced& traced) {
    std::vector<SkipNode> nodes(traced.tree.measure_layout(stream).n_nodes);
    stream.device().download(stream, nodes.data(), traced.tree.view(nullptr).skip.nodes,
                             nodes.size() * sizeof(SkipNode));
    return nodes;
}

/// Checks that the subtree at `node`, which ends before `end`, is in depth-first order and that its
/// boxes contain the boxes of its leaves' primitives. Counts these.
Box check_skip_node(const std::vector<SkipNode>& nodes, const std::vector<Box>& boxes,
                    std::uint32_t node, std::uint32_t end, std::vector<int>& reached) {
    auto n = static_cast<std::uint32_t>(nodes.size());
    auto end_of = [&](std::uint32_t i) {
        return nodes.at(i).skip == SkipNode::kEnd ? n : nodes[i].skip;
    };
    EXPECT_EQ(end_of(node), end);
    Box below, own;
    own.lo = nodes.at(node).lo;
    own.hi = nodes[node].hi;
    NodeRef leaf = nodes[node].leaf;
    if (!leaf.is_missing()) {
        EXPECT_EQ(end, node + 1);
        for (std::uint32_t k = 0; k < leaf.count(); ++k) {
            below.extend(boxes.at(leaf.first() + k));
            ++reached.at(leaf.first() + k);
        }
    }
    int n_children = 0;
    for (std::uint32_t child = node + 1; child < end; child = end_of(child), ++n_children) {
        EXPECT_LE(end_of(child), end);
        if (end_of(child) <= child || end_of(child) > end) break;
        below.extend(check_skip_node(nodes, boxes, child, end_of(child), reached));
    }
    EXPECT_LE(n_children, 2);
    EXPECT_TRUE(holds(own, below)) << "node " << node;
    return below;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Layouts, HitsAreThoseOfBruteForce) {
    check_hits(device, stream, scratch, soup(3000, 1.5f), 2000);
    check_hits(device, stream, scratch, flat_grid(30), 2000);
    check_hits(device, stream, scratch, needles(2000), 2000);
}

TL_DEVICE_TEST(Layouts, DuplicatesAndFewPrimitivesAreFound) {
    check_hits(device, stream, scratch, duplicated(1500), 1000);
    for (std::size_t n : {0, 1, 2, 3, 5, 9, 40})
        check_hits(device, stream, scratch, soup(n, 9), 1000);
}

TL_DEVICE_TEST(Layouts, RebuildsAllocateNothing) {
    auto shapes = soup(20000, 0.5f);
    for (auto layout : kLayouts) {
        Traced traced;
        traced.tree.config.layout = layout;
        traced.build(device, stream, scratch, shapes);
        auto builder = make_tree_builder("lbvh", device);
        BuildInput input;
        input.boxes = traced.boxes.view();
        traced.tree.build(scratch, *builder, input);
        auto before = device.memory_stats().allocation_count;
        for (int i = 0; i < 3; ++i) {
            traced.tree.build(scratch, *builder, input);
            traced.tree.take_primitives(traced.primitives.view());
        }
        EXPECT_EQ(device.memory_stats().allocation_count, before);
    }
}

TL_DEVICE_TEST(Layouts, Bvh8NodesHoldWhatIsBelowThem) {
    if (device.kind() != DeviceKind::cpu || !can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    for (std::size_t n : {1, 2, 5, 1000, 100000}) {
        auto shapes = soup(n, 0.5f);
        Traced traced;
        traced.tree.config.layout = TreeLayout::simd8;
        traced.build(device, stream, scratch, shapes);
        std::vector<int> reached(n);
        check_bvh8_node(traced.tree.bvh8().nodes().download(stream),
                        traced.tree.bvh8().blocks().download(stream), shapes, 0, reached);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(reached[i], 1) << i;
    }
}

TL_DEVICE_TEST(Layouts, SkipNodesAreInDepthFirstOrder) {
    for (std::size_t n : {1, 2, 3, 5, 1000, 40000}) {
        auto shapes = soup(n, 0.5f);
        Traced traced;
        traced.tree.config.layout = TreeLayout::skip;
        traced.build(device, stream, scratch, shapes);
        std::vector<Box> boxes;  // in leaf order
        for (auto& p : traced.gather(stream, shapes)) boxes.push_back(shapes.boxes.at(p.id));
        auto nodes = download_skip_nodes(stream, traced);
        std::vector<int> reached(n);
        check_skip_node(nodes, boxes, 0, static_cast<std::uint32_t>(nodes.size()), reached);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(reached[i], 1) << i;
        EXPECT_EQ(traced.tree.measure_layout(stream).bytes,
                  nodes.size() * sizeof(SkipNode) + n * sizeof(Primitive));
    }
}

TL_DEVICE_TEST(Layouts, SkipNodesFollowARefit) {
    auto shapes = soup(3000, 1.5f);
    Traced traced;
    traced.tree.config.layout = TreeLayout::skip;
    traced.tree.config.update = UpdatePolicy::refit;
    traced.build(device, stream, scratch, shapes);
    vec3 shift(40, -3, 7);
    for (auto& box : shapes.boxes) box.lo += shift, box.hi += shift;
    for (auto& p : shapes.primitives) p.vertex += shift;
    traced.boxes.assign(stream, shapes.boxes);
    traced.tree.refit(scratch, traced.boxes.view());
    auto primitives = traced.gather(stream, shapes);
    traced.primitives.assign(stream, primitives);
    auto rays = some_rays(2000);
    for (auto& ray : rays) ray.origin += shift;
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hits(stream, rays.size());
    trace_closest(scratch, "closest", traced.tree.view(traced.primitives.data()), on_device.view(),
                  {hits.view(), {}, {}});
    auto got = hits.download(stream);
    std::size_t n_found = 0, n_differ = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        Hit expected = brute_force(shapes, rays[i]);
        n_found += expected.found();
        n_differ += !agree(got[i], expected);
    }
    EXPECT_GT(n_found, rays.size() / 50);
    EXPECT_LE(n_differ, rays.size() / 1000);
}
