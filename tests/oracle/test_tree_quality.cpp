// Guards against regressions of tree quality, for a small hall and a small terrain. SAH cost,
// end-point overlap, depth, and steps and tests per ray of every builder must not exceed stored
// limits. The CPU builds the same trees in every run (except for ties between threads). The limits
// are therefore the measured values plus five per cent; they may be lowered for a better tree.
#include <gtest/gtest.h>

#include <map>

#include "accel/bvh/inspect/end_point_overlap.h"
#include "accel/bvh/inspect/tree_stats.h"
#include "core/device/device_cpu.h"
#include "renderer/probe/ray_probes.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/long_test.h"

namespace tl::tree_quality_tests {
namespace {

/// Steps and tests are the means of primary, shadow and diffuse rays.
struct Quality {
    double sah, epo;
    int depth;
    double steps, tests;
};

class TestBed {
  public:
    int max_leaf_size = TreeConfig{}.max_leaf_size;

    explicit TestBed(const std::string& path)
        : stream_(cpu_device().create_stream()),
          scratch_(*stream_),
          timer_(*stream_),
          live_(*stream_, std::make_shared<Scene>(load_scene(path))),
          probe_{live_.description().camera, {160, 90}} {
        timer_.enable(false);
    }
    Quality measure(const std::string& builder, TreeLayout layout = TreeLayout::bvh2) {
        live_.set_builder(make_tree_builder(builder, cpu_device()));
        live_.tree_config() = {};
        live_.tree_config().layout = layout;
        live_.tree_config().max_leaf_size = max_leaf_size;
        live_.update(scratch_, timer_);
        HostTree tree = download_tree(*stream_, live_.tree());
        TreeStats stats = measure_tree(tree);
        auto& mesh = geometry();
        Quality q{stats.sah, measure_end_point_overlap(tree, mesh.positions, mesh.triangles).epo,
                  stats.depth, 0, 0};
        trace(q);
        return q;
    }

  private:
    const Mesh& geometry() {
        if (geometry_.triangles.empty())
            for (auto& mesh : live_.description().meshes) {
                auto base = static_cast<std::uint32_t>(geometry_.positions.size());
                geometry_.positions.insert(geometry_.positions.end(), mesh.positions.begin(),
                                           mesh.positions.end());
                for (auto t : mesh.triangles) geometry_.triangles.push_back(t + base);
            }
        return geometry_;
    }
    void trace(Quality& q) {
        auto n = probe_.n_items();
        if (shadow_.empty()) {
            shadow_.resize_discard(*stream_, n);
            diffuse_.resize_discard(*stream_, n);
            DeviceArray<std::uint32_t> count(*stream_, 1);
            cpu::make_secondary_rays(scratch_, live_.view(), probe_, vec3(0, 4, 2), 0,
                                     shadow_.view(), diffuse_.view(), count.view());
            n_secondary_ = count.download(*stream_)[0];
        }
        TreeView tree = live_.view().tree;
        View<const Ray> shadow(shadow_.data(), n_secondary_);
        View<const Ray> diffuse(diffuse_.data(), n_secondary_);
        std::vector<ProbeSteps> all, none(n);
        DeviceArray<ProbeSteps> steps(*stream_, none);
        auto add = [&](std::size_t n_rays) {
            auto of_rays = steps.download(*stream_);
            all.insert(all.end(), of_rays.begin(), of_rays.begin() + std::ptrdiff_t(n_rays));
        };
        cpu::count_primary(scratch_, tree, probe_, steps.view());
        add(n);
        cpu::count_occluded(*stream_, tree, shadow, {steps.data(), n_secondary_});
        add(n_secondary_);
        cpu::count_closest(*stream_, tree, diffuse, {steps.data(), n_secondary_});
        add(n_secondary_);
        auto n_rays = static_cast<double>(probe_.extent.pixels()) + 2.0 * double(n_secondary_);
        for (auto& s : all) {
            q.steps += s.n_nodes / n_rays;
            q.tests += s.n_primitives / n_rays;
        }
    }

    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    StageTimer timer_;
    LiveScene live_;
    PrimaryProbe probe_;
    Mesh geometry_;
    DeviceArray<Ray> shadow_, diffuse_;
    std::size_t n_secondary_ = 0;
};

using Ceilings = std::map<std::string, Quality>;

void expect_below(const char* path, const Ceilings& ceilings) {
    TestBed bed(path);
    for (auto& row : tree_builders()) {
        if (row.id == "embree") continue;  // Embree's builder is not tested
        SCOPED_TRACE(row.id);
        Quality q = bed.measure(row.id);
        std::printf("{\"%s\", {%.2f, %.3f, %d, %.2f, %.2f}},\n", row.id.c_str(), q.sah, q.epo,
                    q.depth, q.steps, q.tests);
        // A builder without limits of its own must not be worse than the simplest one.
        auto ceiling = ceilings.find(ceilings.contains(row.id) ? row.id : "lbvh");
        ASSERT_NE(ceiling, ceilings.end());
        const Quality& most = ceiling->second;
        EXPECT_LE(q.sah, 1.05 * most.sah);
        EXPECT_LE(q.epo, 1.05 * most.epo);
        EXPECT_LE(q.depth, most.depth + 2);
        EXPECT_LE(q.steps, 1.05 * most.steps);
        EXPECT_LE(q.tests, 1.05 * most.tests);
    }
}

}  // namespace

TEST(TreeQuality, OfTheAtriumHasNotFallen) {
    TL_LONG_TEST();
    expect_below("generate:atrium,detail=0.4,roof=true",
                 {{"hploc", {35.86, 5.252, 33, 23.54, 3.85}},
                  // If the memory for splits is short, it is distributed differently in every run.
                  {"kd-sah", {47.50, 0.950, 60, 29.56, 4.05}},
                  {"lbvh", {52.65, 10.297, 27, 41.80, 3.94}},
                  {"sah", {36.60, 4.363, 19, 19.59, 3.42}},
                  {"hybrid-sah", {51.42, 10.020, 22, 40.55, 3.91}},
                  {"binned", {36.54, 4.276, 18, 19.88, 3.45}},
                  {"hybrid-binned", {49.42, 9.672, 20, 37.80, 3.92}},
                  {"hlbvh", {36.57, 4.529, 26, 24.35, 3.86}},
                  {"octree", {48.76, 8.919, 30, 33.18, 3.56}},
                  {"sweep", {37.27, 4.540, 19, 19.89, 3.40}}});
}

TEST(TreeQuality, OfTheTerrainHasNotFallen) {
    TL_LONG_TEST();
    expect_below("generate:terrain,triangles=30000",
                 {{"hploc", {30.55, 1.859, 18, 22.16, 3.10}},
                  {"kd-sah", {30.57, 0.001, 24, 20.44, 3.07}},
                  {"lbvh", {29.89, 0.244, 17, 19.79, 3.00}},
                  {"sah", {27.82, 0.038, 16, 18.91, 3.02}},
                  {"hybrid-sah", {29.33, 0.212, 17, 19.54, 3.01}},
                  {"binned", {27.82, 0.026, 16, 18.88, 3.02}},
                  {"hybrid-binned", {28.73, 0.150, 16, 19.18, 3.02}},
                  {"hlbvh", {28.62, 0.240, 17, 19.40, 3.00}},
                  {"octree", {31.99, 0.745, 19, 21.02, 2.98}},
                  {"sweep", {27.85, 0.045, 16, 18.97, 3.01}}});
}

TEST(EndPointOverlap, CountsForeignSurfaceInBoxesByArea) {
    // Two leaves under a root: squares of two triangles each. The square of leaf 1 reaches with a
    // quarter of its area into the box of leaf 0.
    std::vector<vec3> positions{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0},
                                {1, 1, 0}, {3, 1, 0}, {1, 3, 0}, {3, 3, 0}};
    std::vector<glm::uvec3> triangles{{0, 1, 2}, {1, 3, 2}, {4, 5, 6}, {5, 7, 6}};
    HostTree tree;
    tree.order = {0, 1, 2, 3};
    tree.header.n_valid = 4;
    tree.nodes.resize(1);
    Box a, b;
    a.lo = vec3(0), a.hi = vec3(2, 2, 0);
    b.lo = vec3(1, 1, 0), b.hi = vec3(3, 3, 0);
    tree.nodes[0].set_child(0, a, NodeRef::leaf(0, 2));
    tree.nodes[0].set_child(1, b, NodeRef::leaf(2, 2));
    // Each leaf holds a unit square of the other's surface, and costs two tests; the surface is 8.
    auto overlap = measure_end_point_overlap(tree, positions, triangles);
    EXPECT_DOUBLE_EQ(overlap.epo, (2 * 1 + 2 * 1) / 8.0);
    EXPECT_EQ(overlap.n_sampled, 4u);
    // Half of the triangles, evenly spaced, sample all: here each square's first one. Its part in
    // the other box is half of the unit square for leaf 1's box and half for leaf 0's.
    overlap = measure_end_point_overlap(tree, positions, triangles, 2);
    EXPECT_EQ(overlap.n_sampled, 2u);
    EXPECT_GT(overlap.epo, 0);
    // Disjoint boxes: no overlap.
    b.lo.x += 2, b.hi.x += 2;
    tree.nodes[0].set_child(1, b, NodeRef::leaf(2, 2));
    for (int i = 4; i < 8; ++i) positions[i].x += 2;
    EXPECT_EQ(measure_end_point_overlap(tree, positions, triangles).epo, 0);
}

TEST(TreeStats, CountLeavesBySizeAndDepth) {
    // A root over a leaf of 3 and a node over leaves of 1 and 2.
    HostTree tree;
    tree.order = {0, 1, 2, 3, 4, 5};
    tree.header.n_valid = tree.header.n_places = 6;
    tree.header.n_nodes = 2;
    tree.nodes.resize(2);
    Box unit;
    unit.lo = vec3(0), unit.hi = vec3(1);
    Box wide = unit;
    wide.hi.x = 3;
    tree.nodes[0].set_child(0, unit, NodeRef::leaf(0, 3));
    tree.nodes[0].set_child(1, wide, NodeRef::inner(1));
    tree.nodes[1].set_child(0, unit, NodeRef::leaf(3, 1));
    tree.nodes[1].set_child(1, wide, NodeRef::leaf(4, 2));
    TreeStats stats = measure_tree(tree);
    EXPECT_EQ(stats.n_leaves, 3u);
    EXPECT_EQ(stats.n_primitives, 6u);
    EXPECT_EQ(stats.depth, 2);
    EXPECT_EQ(stats.leaves_of_size[1], 1u);
    EXPECT_EQ(stats.leaves_of_size[2], 1u);
    EXPECT_EQ(stats.leaves_of_size[3], 1u);
    EXPECT_EQ(stats.leaves_at_depth, (std::vector<std::size_t>{0, 1, 2}));
    // Half areas: 7 of the root and of the wide boxes, 3 of the unit ones. Root 7, its leaf 3*3,
    // the node 7, its leaves 3 and 2*7.
    EXPECT_DOUBLE_EQ(stats.sah, (7 + 9 + 7 + 3 + 14) / 7.0);
    // A tree in which a leaf position is reached twice is invalid.
    tree.nodes[1].set_child(0, unit, NodeRef::leaf(4, 1));
    EXPECT_THROW((void)measure_tree(tree), UserError);
}

}  // namespace tl::tree_quality_tests
