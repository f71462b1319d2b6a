// Octrees of every builder on both devices, against the definition of the tree and sums in double.
#include <algorithm>
#include <map>

#include "accel/octree/octree_keys.h"
#include "accel/octree/octree_update.h"
#include "core/device/parallel_for.h"
#include "core/device/registry.h"
#include "tests/device_test.h"
#include "tests/sanitized.h"
#include "tests/unit/points/octree_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using test::HostOctree;
using test::Surfels;

/// Tree of a builder, with capacity for all its nodes.
HostOctree built(Stream& stream, Scratch& scratch, const std::string& builder,
                 const Surfels& surfels, const OctreeConfig& config = {}) {
    DeviceArray<Surfel> points(stream, std::span<const Surfel>(surfels));
    auto maker = make_octree_builder(builder, stream.device());
    StageTimer timer(stream);
    timer.enable(false);
    Octree tree;
    do {
        maker->build(scratch, points.view(), config, tree, timer);
    } while (tree.make_room(stream));
    return HostOctree::from(stream, tree);
}

std::vector<std::string> builders(const Device& device) {
    return ids_on(device.kind(), octree_builders());
}

/// Limits the depth to what the builder supports; to 5 where it has a table of all its cells.
OctreeConfig config_for(const std::string& builder, const Device& device, OctreeConfig config) {
    int most = make_octree_builder(builder, device)->max_level();
    config.max_level = std::min(config.max_level, most < OctreeGrid::kLevels ? 5 : most);
    return config;
}

bool counts(vec3 p) {
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= Surfel::kFarthest &&
           !std::isnan(p.x + p.y + p.z);
}

/// Expects that every finite point is there once, in the order of keys and then as given.
void expect_sorted(const HostOctree& tree, const Surfels& surfels) {
    std::vector<bool> is_there(surfels.size());
    for (std::size_t i = 0; i < tree.points.size(); ++i) {
        const Surfel& point = tree.points[i];
        ASSERT_LT(point.index, surfels.size());
        ASSERT_FALSE(is_there[point.index]);
        is_there[point.index] = true;
        ASSERT_EQ(point.position, surfels[point.index].position);
        if (i == 0) continue;
        ASSERT_LE(tree.keys[i - 1], tree.keys[i]);
        if (tree.keys[i - 1] == tree.keys[i]) {
            ASSERT_LT(tree.points[i - 1].index, point.index);
        }
    }
    for (std::size_t i = 0; i < surfels.size(); ++i)
        ASSERT_EQ(is_there[i], counts(surfels[i].position)) << i;
    EXPECT_EQ(tree.header.n_points + tree.header.n_dropped, surfels.size());
}

void expect_as_defined(const HostOctree& tree, const OctreeConfig& config) {
    test::DefinedOctree defined(tree.keys, config);
    ASSERT_EQ(tree.nodes.size(), defined.nodes.size());
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
        const OctreeNode &node = tree.nodes[k], &expected = defined.nodes[k];
        ASSERT_EQ(node.first, expected.first) << k;
        ASSERT_EQ(node.end, expected.end) << k;
        ASSERT_EQ(node.first_child, expected.first_child) << k;
        ASSERT_EQ(node.end_child, expected.end_child) << k;
    }
    EXPECT_EQ(tree.parents, defined.parents);
    for (std::size_t level = 0; level < defined.level_begin.size(); ++level)
        EXPECT_EQ(tree.header.level_begin[level], defined.level_begin[level]);
    EXPECT_EQ(std::size_t(tree.header.n_levels()) + 1,
              std::max<std::size_t>(defined.level_begin.size(), 1));
}

/// A node's attributes by sums in double over its points.
void expect_sums(const HostOctree& tree, std::size_t k) {
    using glm::dvec3;
    const OctreeNode& node = tree.nodes[k];
    const OctreeAttributes& own = tree.attributes[k];
    double area = 0;
    dvec3 centroid(0), normal(0);
    Box box;
    for (std::uint32_t i = node.first; i < node.end; ++i) {
        const Surfel& point = tree.points[i];
        area += double(point.area);
        centroid += double(point.area) * dvec3(point.position);
        normal += double(point.area) * dvec3(point.normal);
        box.extend(point.position);
    }
    ASSERT_EQ(own.box.lo, box.lo) << k;
    ASSERT_EQ(own.box.hi, box.hi) << k;
    double size = double(largest(box.hi - box.lo)), most = double(largest(glm::abs(box.lo))) + size;
    centroid = area > 0 ? centroid / area : dvec3(box.center());
    // Sums of up to a few thousand floats by pieces: some ten roundings each, of 2^-24.
    double rounding = 1e-6;
    EXPECT_NEAR(double(own.area), area, rounding * area) << k;
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(double(own.centroid[axis]), centroid[axis], rounding * most) << k;
        EXPECT_NEAR(double(own.normal[axis]), normal[axis], rounding * area) << k;
    }
    double moments[6] = {};
    bool all_have_normals = true;
    double least_cosine = 1;
    vec3 axis = glm::length(own.normal) > 0 ? glm::normalize(own.normal) : vec3(0);
    for (std::uint32_t i = node.first; i < node.end; ++i) {
        const Surfel& point = tree.points[i];
        dvec3 d = dvec3(point.position) - centroid;
        double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
        for (int m = 0; m < 6; ++m) moments[m] += double(point.area) * products[m];
        all_have_normals = all_have_normals && point.normal != vec3(0);
        least_cosine = std::min(least_cosine, double(glm::dot(axis, point.normal)));
    }
    // The centroid that is rounded to a float moves them by its error times the node's size.
    double of_moments = area * size * (20 * rounding * size + 2e-7 * most);
    for (int m = 0; m < 6; ++m)
        EXPECT_NEAR(double(own.moments[m]), moments[m], of_moments) << k << ", " << m;
    if (!all_have_normals || axis == vec3(0)) least_cosine = -1;
    // Never narrower than the spread of the normals; near 1 cosines resolve angles to 1e-3 only.
    EXPECT_LE(double(own.cone_cosine), least_cosine + 1e-5) << k;
    if (node.is_leaf() && node.count() <= OctreeConfig::kMostLeafSize) {
        EXPECT_NEAR(double(own.cone_cosine), least_cosine, 1e-6) << k;
    }
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Octree, IsTheTreeThatTheDefinitionGives) {
    for (auto& builder : builders(device))
        for (auto* kind : test::kSurfelKinds)
            for (std::size_t n : {0, 1, 2, 16, 17, 255, 1023, 1024, 1025, 2047, 2048, 2049, 9001})
                for (int leaf_size : {1, 16, 100}) {
                    if (leaf_size != 16 && n != 2049) continue;
                    SCOPED_TRACE(builder + ", " + kind + ", " + std::to_string(n) + " points, " +
                                 std::to_string(leaf_size) + " in a leaf");
                    Surfels surfels = test::surfels_of(kind, n);
                    OctreeConfig config;
                    config.leaf_size = leaf_size;
                    config.curve = n % 2 ? SpaceCurve::hilbert : SpaceCurve::morton;
                    config.by_normal = n % 4 == 1;
                    config = config_for(builder, device, config);
                    auto tree = built(stream, scratch, builder, surfels, config);
                    expect_sorted(tree, surfels);
                    expect_as_defined(tree, config);
                }
}

TL_DEVICE_TEST(Octree, ByNormalTheRootsChildrenFaceOneWayEach) {
    Surfels surfels = test::surfels_of("cube", 4000);
    for (auto& builder : builders(device)) {
        auto tree = built(stream, scratch, builder, surfels,
                          config_for(builder, device, {.stretch = 1.3f, .by_normal = true}));
        const OctreeNode& root = tree.nodes[0];
        ASSERT_EQ(root.end_child - root.first_child, 6u) << builder;
        std::vector<std::pair<int, bool>> sides;
        for (std::uint32_t k = root.first_child; k < root.end_child; ++k) {
            std::pair<int, bool> side{-1, false};
            for (std::uint32_t i = tree.nodes[k].first; i < tree.nodes[k].end; ++i) {
                vec3 normal = tree.points[i].normal, size = glm::abs(normal);
                if (normal == vec3(0)) continue;  // with those of one side
                int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
                std::pair<int, bool> own{axis, normal[axis] < 0};
                if (side.first < 0) side = own;
                ASSERT_EQ(own, side) << builder;
            }
            EXPECT_EQ(std::ranges::count(sides, side), 0);
            sides.push_back(side);
        }
    }
}

TL_DEVICE_TEST(Octree, HasNoLevelsBelowTheLastOne) {
    for (auto& builder : builders(device))
        for (int last : {0, 1, 3}) {
            Surfels surfels = test::surfels_of("sphere", 3000);
            OctreeConfig config;
            config.max_level = last;
            auto tree = built(stream, scratch, builder, surfels, config);
            expect_as_defined(tree, config);
            EXPECT_EQ(tree.header.n_levels(), last + 1);
            EXPECT_EQ(tree.header.last_level, std::uint32_t(last));
            expect_sums(tree, 0);
        }
}

TL_DEVICE_TEST(Octree, AttributesAreSumsOverThePointsOfEachNode) {
    for (auto& builder : builders(device))
        for (auto* kind : test::kSurfelKinds) {
            SCOPED_TRACE(builder + ", " + kind);
            auto tree = built(stream, scratch, builder, test::surfels_of(kind, 5000),
                              config_for(builder, device, {}));
            for (std::size_t k = 0; k < tree.nodes.size(); ++k) expect_sums(tree, k);
        }
}

TL_DEVICE_TEST(Octree, IsTheSameBitsOnBothDevicesAndInEveryRunAndOfEveryBuilder) {
    Device& cpu = *devices()[0];
    auto cpu_stream = cpu.create_stream();
    Scratch cpu_scratch(*cpu_stream);
    for (auto* kind : test::kSurfelKinds) {
        bool along_hilbert = kind == std::string("sphere") || kind == std::string("far away");
        std::size_t n = test::kSanitized ? 3000 : 20'000;
        Surfels surfels = test::surfels_of(kind, n);
        for (auto& builder : builders(device)) {
            OctreeConfig config = config_for(builder, device, {});
            if (along_hilbert) config.curve = SpaceCurve::hilbert;
            config.by_normal = kind == std::string("clusters") || kind == std::string("sphere");
            auto first = built(*cpu_stream, cpu_scratch, "modern", surfels, config);
            for (int run = 0; run < 3; ++run)
                EXPECT_TRUE(built(stream, scratch, builder, surfels, config) == first)
                    << kind << ", " << builder << ", run " << run;
        }
    }
}

TL_DEVICE_TEST(Octree, DoesNotDependOnTheOrderOfItsPoints) {
    Surfels surfels = test::surfels_of("sphere", 10'000);
    auto tree = built(stream, scratch, "modern", surfels);
    std::mt19937 engine(3);
    std::shuffle(surfels.begin(), surfels.end(), engine);
    auto shuffled = built(stream, scratch, "modern", surfels);
    EXPECT_EQ(shuffled.keys, tree.keys);
    EXPECT_EQ(shuffled.parents, tree.parents);
    EXPECT_EQ(std::memcmp(shuffled.nodes.data(), tree.nodes.data(),
                          tree.nodes.size() * sizeof(OctreeNode)),
              0);
}

TL_DEVICE_TEST(Octree, HoldsAMillionEqualPointsInOneLeaf) {
    constexpr std::size_t n = test::kSanitized ? 100'000 : 1'000'000;
    Surfels surfels(n, {vec3(1, 2, 3), 0.25f, vec3(0, 0, 1), 0});
    surfels.push_back({vec3(2, 2, 3), 0.25f, vec3(0, 0, 1), 0});
    auto tree = built(stream, scratch, "modern", surfels);
    EXPECT_EQ(tree.header.n_levels(), OctreeGrid::kLevels + 1);
    ASSERT_EQ(tree.nodes.size(), std::size_t(OctreeGrid::kLevels) + 2);  // a chain, and a leaf
    EXPECT_EQ(tree.nodes.back().count(), n);
    const OctreeAttributes& last = tree.attributes.back();
    EXPECT_EQ(last.area, 0.25f * n);  // exact: quarters below 2^22
    EXPECT_EQ(last.centroid, vec3(1, 2, 3));
    EXPECT_EQ(last.cone_cosine, 1);
    EXPECT_EQ(last.moments[0], 0);
    EXPECT_EQ(tree.attributes[0].area, 0.25f * (n + 1));
}

TL_DEVICE_TEST(Octree, EndsEarlierWhereMemoryIsShortUntilItHasRoom) {
    // Pairs of equal points, each with a chain of nodes down to the last level.
    Surfels surfels = test::surfels_of("cube", 10'000);
    for (std::size_t i = 1; i < surfels.size(); i += 2)
        surfels[i].position = surfels[i - 1].position;
    DeviceArray<Surfel> points(stream, std::span<const Surfel>(surfels));
    StageTimer timer(stream);
    timer.enable(false);
    for (auto& id : builders(device)) {
        SCOPED_TRACE(id);
        OctreeConfig config = config_for(id, device, {}), as_cut = config;
        if (config.max_level < OctreeGrid::kLevels) continue;
        config.leaf_size = as_cut.leaf_size = 1;
        auto builder = make_octree_builder(id, device);
        Octree tree;
        builder->build(scratch, points.view(), config, tree, timer);
        auto cut = HostOctree::from(stream, tree);
        ASSERT_LT(cut.header.n_nodes, cut.header.n_wanted);
        as_cut.max_level = int(cut.header.last_level);
        expect_as_defined(cut, as_cut);
        expect_sorted(cut, surfels);
        EXPECT_TRUE(tree.make_room(stream));
        builder->build(scratch, points.view(), config, tree, timer);
        auto whole = HostOctree::from(stream, tree);
        EXPECT_EQ(whole.header.n_nodes, cut.header.n_wanted);
        expect_as_defined(whole, config);
        EXPECT_FALSE(tree.make_room(stream));
    }
}

TL_DEVICE_TEST(Octree, IsAfterAnUpdateTheTreeThatABuildGives) {
    struct Motion {
        float distance;  // distance of all points, at most, along each axis
        // Fraction of points moved to another one's position, or to one that is not finite.
        float far;
    };
    StageTimer timer(stream);
    timer.enable(false);
    for (auto* kind : test::kSurfelKinds)
        for (auto& motion : {Motion{0, 0}, Motion{1e-4f, 0}, Motion{1e-4f, 0.02f}, Motion{1, 1}}) {
            SCOPED_TRACE(std::string(kind) + ", motion " + std::to_string(motion.distance) + ", " +
                         std::to_string(motion.far));
            Surfels given = test::surfels_of(kind, 10'100);
            DeviceArray<Surfel> points(stream, std::span<const Surfel>(given));
            auto builder = make_octree_builder("modern", device);
            OctreeConfig config;
            config.by_normal = kind == std::string("sphere");
            Octree tree;
            builder->build(scratch, points.view(), config, tree, timer);
            std::mt19937 engine(5);
            std::uniform_real_distribution<float> uniform(-1, 1);
            for (int step = 0; step < 2; ++step) {
                View<Surfel> own = tree.view().points;
                Surfels moved(own.size);
                device.download(stream, moved.data(), own.data, own.size * sizeof(Surfel));
                const Surfels before = moved;
                for (auto& p : moved) {
                    bool is_far = 0.5f * uniform(engine) + 0.5f < motion.far;
                    if (is_far) p.position = before[engine() % before.size()].position;
                    if (is_far && p.index % 97 == 0) p.position.x = NAN;
                    for (int axis = 0; axis < 3; ++axis)
                        p.position[axis] += motion.distance * uniform(engine);
                    given[p.index] = p;
                }
                device.upload(stream, own.data, moved.data(), own.size * sizeof(Surfel));
                update_octree(scratch, config, tree, timer);
                EXPECT_FALSE(tree.make_room(stream));
                auto updated = HostOctree::from(stream, tree);
                auto anew = built(stream, scratch, "modern", given, config);
                EXPECT_EQ(updated.keys, anew.keys);
                EXPECT_EQ(updated.parents, anew.parents);
                bool all_are_split = std::ranges::all_of(anew.nodes, [&](auto& node) {
                    return !node.is_leaf() || node.count() <= std::uint32_t(config.leaf_size);
                });
                EXPECT_TRUE(updated == anew || !all_are_split);
                expect_sums(updated, 0);
                EXPECT_TRUE(all_are_split || kind != std::string("sphere"));
            }
        }
}

TL_DEVICE_TEST(Octree, IsTheSameOnceItSortsKeysByFewerLevels) {
    StageTimer timer(stream);
    timer.enable(false);
    for (auto* kind : test::kSurfelKinds)
        for (int leaf_size : {1, 16, 200}) {
            SCOPED_TRACE(std::string(kind) + ", " + std::to_string(leaf_size) + " in a leaf");
            OctreeConfig config;
            config.leaf_size = leaf_size;
            Surfels surfels = test::surfels_of(kind, test::kSanitized ? 3000 : 10'000);
            auto whole = built(stream, scratch, "modern", surfels, config);
            DeviceArray<Surfel> points(stream, std::span<const Surfel>(surfels));
            auto builder = make_octree_builder("modern", device);
            Octree tree;
            // The last build is one after another that the tree has learned from.
            for (int i = 0; i < 3; ++i) {
                builder->build(scratch, points.view(), config, tree, timer);
                EXPECT_TRUE(!tree.make_room(stream) || i == 0);
            }
            bool is_sphere = kind == std::string("sphere");
            bool is_rough = tree.key_levels() < OctreeGrid::kLevels;
            EXPECT_TRUE(!is_sphere || is_rough == (device.kind() == DeviceKind::cuda));
            EXPECT_TRUE(HostOctree::from(stream, tree) == whole);
            // Points that come close together need more levels than keys are sorted by.
            for (auto& surfel : surfels) surfel.position *= 1e-4f;
            surfels[0].position = vec3(1);
            points.assign(stream, std::span<const Surfel>(surfels));
            bool was_whole = true;
            do {
                builder->build(scratch, points.view(), config, tree, timer);
                expect_sums(HostOctree::from(stream, tree), 0);
                was_whole = was_whole && HostOctree::from(stream, tree).header.is_shallow == 0;
            } while (tree.make_room(stream));
            EXPECT_TRUE(!is_sphere || was_whole != is_rough);
            EXPECT_TRUE(HostOctree::from(stream, tree) ==
                        built(stream, scratch, "modern", surfels, config));
        }
}

TL_DEVICE_TEST(Octree, ASecondBuildAllocatesNothing) {
    Surfels surfels = test::surfels_of("sphere", 50'000);
    DeviceArray<Surfel> points(stream, std::span<const Surfel>(surfels));
    for (auto& id : builders(device)) {
        auto builder = make_octree_builder(id, device);
        OctreeConfig config = config_for(id, device, {});
        StageTimer timer(stream);
        timer.enable(false);
        Octree tree;
        for (int i = 0; i < 2; ++i) builder->build(scratch, points.view(), config, tree, timer);
        auto before = device.memory_stats().allocation_count;
        builder->build(scratch, points.view(), config, tree, timer);
        EXPECT_EQ(device.memory_stats().allocation_count, before) << id;
    }
}

TL_DEVICE_TEST(Octree, CurvesVisitEveryCellOnceAndHilbertsStepsToNeighbours) {
    constexpr std::uint32_t kSide = 16, kCells = kSide * kSide * kSide;
    DeviceArray<std::uint64_t> morton(stream, kCells), hilbert(stream, kCells);
    View<std::uint64_t> of_morton = morton.view(), of_hilbert = hilbert.view();
    constexpr int kShift = OctreeGrid::kLevels - 4;
    auto cell_of_number = [](std::uint32_t i) {
        return glm::uvec3(i % kSide, i / kSide % kSide, i / kSide / kSide);
    };
    parallel_for(
        stream, "keys of cells", kCells, TL_LAMBDA(std::uint32_t i) {
            glm::uvec3 cell(i % kSide, i / kSide % kSide, i / kSide / kSide);
            of_morton[i] = morton_key(cell << glm::uvec3(kShift));
            of_hilbert[i] = hilbert_key(cell << glm::uvec3(kShift));
        });
    for (auto* keys : {&morton, &hilbert}) {
        std::map<std::uint64_t, glm::uvec3> cells;
        auto host = keys->download(stream);
        for (std::uint32_t i = 0; i < kCells; ++i) cells[host[i] >> 3 * kShift] = cell_of_number(i);
        ASSERT_EQ(cells.size(), kCells);
        EXPECT_EQ(cells.rbegin()->first, kCells - 1);
        if (keys == &morton) continue;
        glm::ivec3 before = cells[0];
        for (auto& [key, cell] : cells) {
            glm::ivec3 step = glm::abs(glm::ivec3(cell) - before);
            ASSERT_EQ(step.x + step.y + step.z, key ? 1 : 0);
            before = cell;
        }
    }
}
