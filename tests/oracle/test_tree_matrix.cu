// Every builder in every layout, robust or not, gives the closest hits and occlusions of brute
// force on both devices. Inputs are hard for trees.
#include <cmath>
#include <random>

#include "tests/oracle/embree_oracle.h"
#include "tests/oracle/live_tree.h"
#include "tests/oracle/ray_reference.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct Soup {
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;

    void add(vec3 a, vec3 b, vec3 c) {
        auto first = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), {a, b, c});
        triangles.emplace_back(first, first + 1, first + 2);
    }
};

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    float between(float lo, float hi) {
        return std::uniform_real_distribution<float>(lo, hi)(engine_);
    }
    vec3 in_cube(float half) {
        float x = between(-half, half), y = between(-half, half);
        return vec3(x, y, between(-half, half));
    }
    std::size_t below(std::size_t n) { return engine_() % n; }

  private:
    std::mt19937 engine_;
};

/// Triangles about random points of a cube.
Soup uniform(std::size_t n, float cube, float size) {
    Random random(5);
    Soup soup;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 at = random.in_cube(cube);
        vec3 a = at + random.in_cube(size), b = at + random.in_cube(size);
        soup.add(a, b, at + random.in_cube(size));
    }
    return soup;
}

Soup clustered() {
    Random random(6);
    Soup soup;
    for (int cluster = 0; cluster < 6; ++cluster) {
        vec3 center = random.in_cube(40);
        float spread = std::pow(0.4f, static_cast<float>(cluster));
        for (int i = 0; i < 60; ++i) {
            vec3 at = center + random.in_cube(spread);
            vec3 a = at + random.in_cube(spread), b = at + random.in_cube(spread);
            soup.add(a, b, at + random.in_cube(spread));
        }
    }
    return soup;
}

/// Walls of right triangles in the three axis-aligned planes: flat boxes that touch.
Soup axis_aligned() {
    Soup soup;
    for (int axis = 0; axis < 3; ++axis)
        for (int i = -5; i < 5; ++i)
            for (int k = -5; k < 5; ++k) {
                vec3 a(0), u(0), v(0);
                a[axis] = static_cast<float>(axis) - 1;
                a[(axis + 1) % 3] = static_cast<float>(i);
                a[(axis + 2) % 3] = static_cast<float>(k);
                u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
                soup.add(a, a + u, a + v);
                soup.add(a + u, a + u + v, a + v);
            }
    return soup;
}

Soup duplicated() {
    Soup few = uniform(40, 10, 4), soup;
    for (int copy = 0; copy < 9; ++copy)
        for (auto t : few.triangles)
            soup.add(few.positions[t.x], few.positions[t.y], few.positions[t.z]);
    return soup;
}

/// Triangles with centres on one line, some of them of zero area.
Soup collinear() {
    Random random(7);
    Soup soup;
    for (int i = 0; i < 300; ++i) {
        vec3 at(0.25f * static_cast<float>(i) - 37, 3, -2);
        vec3 a = random.in_cube(2), b = random.in_cube(2);
        soup.add(at + a, at + b, at - a - b);
        if (i % 10 == 0) soup.add(at, at + vec3(1, 0, 0), at + vec3(2, 0, 0));
    }
    return soup;
}

Soup needles() {
    Random random(8);
    Soup soup;
    for (int i = 0; i < 400; ++i) {
        vec3 a = random.in_cube(10);
        soup.add(a, a + random.in_cube(9), a + random.in_cube(0.05f));
    }
    return soup;
}

Soup huge_beside_tiny() {
    Soup soup = uniform(300, 3, 0.1f);
    Random random(9);
    for (int i = 0; i < 12; ++i) {
        vec3 a = random.in_cube(800), b = random.in_cube(800);
        soup.add(a, b, random.in_cube(800));
    }
    return soup;
}

Soup equal_centers() {
    Random random(10);
    Soup soup;
    for (int i = 0; i < 300; ++i) {
        // Boxes of all sizes about the origin.
        vec3 h = glm::abs(random.in_cube(5)) + 0.1f;
        soup.add(vec3(-h.x, -h.y, h.z), vec3(h.x, -h.y, -h.z), vec3(-h.x, h.y, -h.z));
    }
    return soup;
}

/// Rays from in and around the triangles, half of them aimed at one.
std::vector<Ray> rays_at(const Soup& soup, std::size_t n) {
    Random random(11);
    Box bounds;
    for (auto p : soup.positions)
        if (std::isfinite(p.x)) bounds.extend(p);
    if (soup.positions.empty()) bounds.lo = vec3(-1), bounds.hi = vec3(1);
    vec3 half = 0.5f * (bounds.hi - bounds.lo);
    std::vector<Ray> rays(n);
    for (std::size_t i = 0; i < n; ++i) {
        rays[i].origin = bounds.center() + 1.4f * random.in_cube(1) * half;
        vec3 at = rays[i].origin + random.in_cube(1);
        if (i % 2 && !soup.triangles.empty()) {
            auto t = soup.triangles[random.below(soup.triangles.size())];
            float u = random.between(0, 1), v = random.between(0, 1 - u);
            at = (1 - u - v) * soup.positions[t.x] + u * soup.positions[t.y] +
                 v * soup.positions[t.z];
        }
        rays[i].direction = glm::normalize(at - rays[i].origin);
        if (i % 16 == 0) rays[i].direction = vec3(0, i % 32 ? -1 : 1, 0);
        if (i % 5 == 0) rays[i].t_max = glm::length(half);
    }
    return rays;
}

void check(Device& device, Stream& stream, Scratch& scratch, const Soup& soup,
           std::size_t least_hits) {
    auto rays = rays_at(soup, 600);
    test::RayReference reference(soup.positions, soup.triangles, rays);
    EXPECT_GE(reference.n_sure_hits(), least_hits) << "of the rays themselves";
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene_of(soup.positions, soup.triangles));
    for_every_tree(tree, device, [&](const std::string& name) {
        SCOPED_TRACE(name);
        Answers answers = tree.trace(on_device);
        EXPECT_EQ(answers.header.errors, 0u);
        EXPECT_EQ(answers.header.n_dropped - answers.header.n_padding, 0u);
        for (std::size_t r = 0; r < rays.size(); ++r) {
            ASSERT_EQ(reference.fault_of_hit(r, answers.hits[r]), "") << "ray " << r;
            ASSERT_EQ(reference.fault_of_occlusion(r, answers.occluded[r]), "") << "ray " << r;
        }
    });
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(TreeMatrix, UniformAndSparseTriangles) {
    check(device, stream, scratch, uniform(400, 10, 2), 300);
    check(device, stream, scratch, uniform(400, 100, 0.5f), 250);
}

TL_DEVICE_TEST(TreeMatrix, ClusteredTriangles) {
    check(device, stream, scratch, clustered(), 250);
}

TL_DEVICE_TEST(TreeMatrix, AxisAlignedTriangles) {
    check(device, stream, scratch, axis_aligned(), 250);
}

TL_DEVICE_TEST(TreeMatrix, DuplicatedTriangles) {
    check(device, stream, scratch, duplicated(), 250);
}

TL_DEVICE_TEST(TreeMatrix, CollinearCenters) {
    check(device, stream, scratch, collinear(), 250);
}

TL_DEVICE_TEST(TreeMatrix, Needles) {
    check(device, stream, scratch, needles(), 200);
}

TL_DEVICE_TEST(TreeMatrix, HugeBesideTinyTriangles) {
    check(device, stream, scratch, huge_beside_tiny(), 200);
}

TL_DEVICE_TEST(TreeMatrix, EqualCenters) {
    check(device, stream, scratch, equal_centers(), 250);
}

TL_DEVICE_TEST(TreeMatrix, NoneToFiveTriangles) {
    for (std::size_t n : {0, 1, 2, 3, 5})
        check(device, stream, scratch, uniform(n, 2, 2), n ? 200 : 0);
}

TL_DEVICE_TEST(TreeMatrix, InvalidBoxesAreLeftOutAndCounted) {
    Soup soup = uniform(200, 10, 3);
    auto rays = rays_at(soup, 300);
    test::RayReference reference(soup.positions, soup.triangles, rays);
    float nan = std::numeric_limits<float>::quiet_NaN();
    soup.add(vec3(nan), vec3(nan), vec3(nan));
    soup.add(vec3(0), vec3(kInfinity, 0, 0), vec3(0, 1, 0));
    soup.add(vec3(-kInfinity), vec3(kInfinity), vec3(0));
    auto scene = scene_of(soup.positions, soup.triangles);
    // Inverted: the box of a sphere of negative radius.
    scene->spheres.push_back({vec3(1), -2.0f, 0});
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene);
    for_every_tree(tree, device, [&](const std::string& name) {
        SCOPED_TRACE(name);
        Answers answers = tree.trace(on_device);
        EXPECT_EQ(answers.header.errors, 0u);
        EXPECT_EQ(answers.header.n_dropped - answers.header.n_padding, 4u);
        for (std::size_t r = 0; r < rays.size(); ++r) {
            ASSERT_EQ(reference.fault_of_hit(r, answers.hits[r]), "") << "ray " << r;
            ASSERT_EQ(reference.fault_of_occlusion(r, answers.occluded[r]), "") << "ray " << r;
        }
    });
}

TL_DEVICE_TEST(TreeMatrix, NothingButInvalidBoxes) {
    Soup soup;
    float nan = std::numeric_limits<float>::quiet_NaN();
    for (int i = 0; i < 100; ++i) soup.add(vec3(nan), vec3(0), vec3(kInfinity));
    auto rays = rays_at(Soup{}, 50);
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene_of(soup.positions, soup.triangles));
    for_every_tree(tree, device, [&](const std::string& name) {
        SCOPED_TRACE(name);
        Answers answers = tree.trace(on_device);
        EXPECT_EQ(answers.header.n_dropped - answers.header.n_padding, 100u);
        for (std::size_t r = 0; r < rays.size(); ++r) {
            ASSERT_FALSE(answers.hits[r].found());
            ASSERT_EQ(answers.occluded[r], 0u);
        }
    });
}

TL_DEVICE_TEST(TreeMatrix, EmbreeAnswersAsTheReferenceDoes) {
    for (auto& soup : {uniform(400, 10, 2), clustered(), axis_aligned(), needles()}) {
        auto rays = rays_at(soup, 600);
        test::RayReference reference(soup.positions, soup.triangles, rays);
        auto hits = test::EmbreeOracle(soup.positions, soup.triangles).closest(rays);
        for (std::size_t r = 0; r < rays.size(); ++r)
            ASSERT_EQ(reference.fault_of_hit(r, hits[r]), "") << "ray " << r;
    }
}
