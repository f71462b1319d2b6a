// Light transport between points of surfaces, in every mode, against form factors in closed form.
#include <cmath>

#include "accel/tree_builder.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"
#include "tests/unit/radiosity/exchange_cases.h"
#include "tests/unit/radiosity/linked_points.h"

namespace tl::TL_DEVICE_NAME {
namespace {

const RadiosityMode kModes[] = {RadiosityMode::direct, RadiosityMode::hierarchical,
                                RadiosityMode::fmm};

/// Form factor from the points of radiosity 1, below `n_from`, to the others.
double form_factor(Stream& stream, Scratch& scratch, const test::Surfels& points,
                   std::size_t n_from, RadiosityMode mode) {
    std::vector<vec3> radiosity(points.size(), vec3(0));
    std::fill_n(radiosity.begin(), n_from, vec3(1));
    auto received = Linked(stream, scratch, points, config_of(mode)).irradiance(radiosity);
    double flux = 0, area = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i < n_from) area += double(points[i].area);
        if (i >= n_from) flux += double(points[i].area) * double(received[i].x);
    }
    return flux / area;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PointExchange, PlatesHaveTheirFormFactors) {
    struct Plates {
        vec3 corner, u, v, normal;
        double factor, tolerance;
    };
    const Plates kCases[] = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, 0.199825, 0.004},
                             {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, 0.200044, 0.004}};
    for (auto mode : kModes)
        for (auto& c : kCases) {
            test::Surfels points;
            test::add_plate(points, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 24, 24, {0, 1, 0});
            test::add_plate(points, c.corner, c.u, c.v, 24, 24, c.normal);
            double found = form_factor(stream, scratch, points, 24 * 24, mode);
            EXPECT_NEAR(found / c.factor, 1, c.tolerance) << int(mode);
        }
    for (auto mode : kModes) {
        test::Surfels points;
        test::add_plate(points, {0, 0, 0}, {1, 0, 0}, {0, 0, 1.5f}, 24, 36, {0, 1, 0});
        test::add_plate(points, {0, 0.5f, 0}, {1, 0, 0}, {0, 0, 1.5f}, 24, 36, {0, -1, 0});
        EXPECT_NEAR(form_factor(stream, scratch, points, 24 * 36, mode) / 0.475576, 1, 0.004);
        test::Surfels discs;
        test::add_disc(discs, {0, 0, 0}, 1, 900, {0, 1, 0});
        test::add_disc(discs, {0, 1, 0}, 1, 900, {0, -1, 0});
        EXPECT_NEAR(form_factor(stream, scratch, discs, 900, mode) / 0.381966, 1, 0.004);
    }
}

TL_DEVICE_TEST(PointExchange, IsTheSameBothWays) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(-1, 1);
    int n_facing = 0;
    for (int i = 0; i < 1000; ++i) {
        auto any = [&] { return vec3(number(random), number(random), number(random)); };
        Surfel a{any(), 0.1f + std::abs(number(random)), glm::normalize(any())};
        Surfel b{any(), a.area, glm::normalize(any())};
        EXPECT_NEAR(point_kernel(a, b), point_kernel(b, a), 1e-5f * point_kernel(a, b));
        n_facing += point_kernel(a, b) > 0 ? 1 : 0;
    }
    EXPECT_GT(n_facing, 100);
}

TL_DEVICE_TEST(PointExchange, ACubesSidesReceiveAllThatTheySend) {
    for (auto mode : kModes) {
        auto points = test::inside_of_cube(16);
        auto received = Linked(stream, scratch, points, config_of(mode))
                            .irradiance(std::vector<vec3>(points.size(), vec3(1, 2, 0)));
        double sum = 0;
        for (vec3 e : received) {
            sum += double(e.x);
            EXPECT_FLOAT_EQ(e.y, 2 * e.x);
            EXPECT_EQ(e.z, 0);
            EXPECT_NEAR(e.x, 1, 0.025f);
        }
        EXPECT_NEAR(sum / double(points.size()), 1, 0.004) << int(mode);
    }
}

TL_DEVICE_TEST(PointExchange, InASphereLightGoesEvenlyToAllPoints) {
    constexpr int kPoints = 2000;
    constexpr float kRadius = 3;
    auto points = test::inside_of_sphere(kPoints, kRadius);
    std::vector<vec3> radiosity(kPoints);
    double power = 0;
    for (int i = 0; i < kPoints; ++i) {
        radiosity[std::size_t(i)] = vec3(i < kPoints / 8 ? 8 : 0, 1, 0);
        power += double(radiosity[std::size_t(i)].x * points[0].area);
    }
    double even = power / (4 * double{kPi} * double{kRadius * kRadius});
    for (auto mode : kModes) {
        auto received = Linked(stream, scratch, points, config_of(mode)).irradiance(radiosity);
        double square = 0;
        for (auto& e : received) {
            // If points had no size, a point's neighbours would send it too much light, about
            // log(n) / n of all. The point's own light is 1 / n of all.
            EXPECT_NEAR(e.y, 1, 0.006f) << int(mode);
            square += (double(e.x) / even - 1) * (double(e.x) / even - 1);
        }
        // Points among the bright ones lack their neighbours' light, which is eight times as
        // bright.
        EXPECT_LT(std::sqrt(square / kPoints), 0.02) << int(mode);
    }
}

TL_DEVICE_TEST(PointExchange, PlatesBackToBackExchangeNothing) {
    test::Surfels points;
    test::add_plate(points, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 20, 20, {0, 0, 1});
    test::add_plate(points, {0, 0, -1e-3f}, {1, 0, 0}, {0, 1, 0}, 20, 20, {0, 0, -1});
    for (auto mode : kModes)
        for (vec3 e : Linked(stream, scratch, points, config_of(mode))
                          .irradiance(std::vector<vec3>(points.size(), vec3(1))))
            EXPECT_EQ(e, vec3(0)) << int(mode);
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// Two plates that face each other, and a disc in the middle between them that faces both.
struct PlatesAndDisc {
    static constexpr float kRadius = 0.3f;
    test::Surfels points;
    std::size_t n_plates = 0;

    explicit PlatesAndDisc(int side, int n_disc) {
        test::add_plate(points, {-0.5f, 0, -0.5f}, {1, 0, 0}, {0, 0, 1}, side, side, {0, 1, 0});
        test::add_plate(points, {-0.5f, 1, -0.5f}, {1, 0, 0}, {0, 0, 1}, side, side, {0, -1, 0});
        n_plates = points.size();
        // A hair apart, so that neither side of the disc is within the other.
        test::add_disc(points, {0, 0.501f, 0}, kRadius, n_disc, {0, 1, 0});
        test::add_disc(points, {0, 0.499f, 0}, kRadius, n_disc, {0, -1, 0});
    }
    /// Whether the disc lies between two points of the plates.
    [[nodiscard]] bool is_blocked(std::size_t i, std::size_t j) const {
        if (points[i].normal == points[j].normal) return false;
        vec3 middle = (points[i].position + points[j].position) / 2.0f;
        return middle.x * middle.x + middle.z * middle.z < kRadius * kRadius;
    }
    [[nodiscard]] std::shared_ptr<Scene> scene() const {
        return scene_of_disc({0, 0.5f, 0}, kRadius);
    }
};

/// Visibility errors between points of the two plates, and the relative error of the light.
struct VisibilityErrors {
    double false_visible = 0, false_blocked = 0, light = 0;

    VisibilityErrors(const PlatesAndDisc& given, const std::vector<float>& found) {
        std::size_t n = given.points.size(), n_pairs = 0;
        double sum = 0, expected = 0;
        for (std::size_t j = 0; j < given.n_plates; ++j)
            for (std::size_t i = 0; i < given.n_plates; ++i) {
                float f = point_kernel(given.points[j], given.points[i]) * given.points[j].area;
                if (!(f > 0)) continue;
                ++n_pairs;
                float passed = found[n * j + i] / f;
                bool is_blocked = given.is_blocked(i, j);
                // Sums by expansions are the same both ways as far as they are exact.
                EXPECT_NEAR(found[n * j + i], found[n * i + j], 0.02f * f);
                if (is_blocked)
                    false_visible += double(passed);
                else
                    false_blocked += double(1 - passed);
                sum += double(found[n * j + i]);
                expected += is_blocked ? 0 : double(f);
            }
        false_visible /= double(n_pairs);
        false_blocked /= double(n_pairs);
        light = sum / expected - 1;
    }
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PointVisibility, LinksOfAGroupAreThoseByWhichItsLightArrives) {
    const PlatesAndDisc given(12, 300);
    LiveScene live(stream, given.scene());
    live.set_builder(make_tree_builder("hploc", stream.device()));
    StageTimer timer(stream);
    timer.enable(false);
    live.update(scratch, timer);
    auto n = static_cast<std::uint32_t>(given.points.size());
    for (auto mode : kModes) {
        SCOPED_TRACE(int(mode));
        Linked linked(stream, scratch, given.points, config_of(mode, PointVisibility::rays),
                      live.view());
        if (mode == RadiosityMode::direct) {
            EXPECT_FALSE(linked.links_of(0, 0, true));
            continue;
        }
        auto weights = linked.weights();
        double terms = 0;
        std::size_t n_bits = 0, n_groups = 0;
        for (std::uint32_t first = 0; first < n;) {
            auto links = linked.links_of(first, 0, true);
            ASSERT_TRUE(links);
            ASSERT_TRUE(links->group.is_leaf);
            ASSERT_EQ(links->level, links->leaf_level);
            OctreeNode leaf = linked.node(links->group.node);
            ASSERT_EQ(leaf.first, first);
            double seen = 0, expected = 0;
            for (auto& link : links->links) {
                ASSERT_GT(link.fraction, 0);
                ASSERT_LE(link.fraction, 1);
                seen += double(link.fraction) * double(link.from.n_points) * leaf.count();
                n_bits += link.kind == LinkKind::bits;
                n_groups += link.kind == LinkKind::groups && link.above == 0;
                if (link.kind != LinkKind::groups)
                    terms += double(link.from.n_points) * leaf.count();
            }
            for (std::size_t i = first; i < leaf.end; ++i)
                for (std::size_t j = 0; j < n; ++j) expected += double(weights[i * n + j]);
            ASSERT_NEAR(seen, expected, 1e-4 * expected);
            // Level by level they are the same.
            std::size_t n_links = 0;
            for (int above = 0; above <= links->leaf_level; ++above) {
                auto own = linked.links_of(first, above, false);
                EXPECT_EQ(own->level, links->leaf_level - above);
                n_links += own->links.size();
                for (int c = 0; c < 3; ++c) {
                    EXPECT_LE(own->group.lo[c], links->group.lo[c]);
                    EXPECT_GE(own->group.hi[c], links->group.hi[c]);
                }
            }
            EXPECT_EQ(n_links, links->links.size());
            EXPECT_EQ(linked.links_of(first, 100, false)->group.node, 0u);
            first = leaf.end;
        }
        EXPECT_GT(n_bits, 0u);
        std::uint64_t n_far = linked.counts()[2].value;
        EXPECT_LE(n_groups, n_far);
        // Bits that are all 0 are terms as well, but no links.
        EXPECT_GE(linked.work().terms, n_far + static_cast<std::uint64_t>(terms));
        EXPECT_LE(linked.work().terms, 2 * (n_far + static_cast<std::uint64_t>(terms)));
    }
}

TL_DEVICE_TEST(PointVisibility, ADiscBetweenPlatesHidesWhatLiesBehindIt) {
    const PlatesAndDisc given(8, 600);
    LiveScene live(stream, given.scene());
    live.set_builder(make_tree_builder("hploc", stream.device()));
    StageTimer timer(stream);
    timer.enable(false);
    live.update(scratch, timer);
    for (auto mode : kModes)
        for (auto kind : {PointVisibility::rays, PointVisibility::points}) {
            // Occlusion by points is the same in all modes.
            if (kind == PointVisibility::points && mode != RadiosityMode::direct) continue;
            SCOPED_TRACE(testing::Message() << "mode " << int(mode) << ", by " << int(kind));
            Linked linked(stream, scratch, given.points, config_of(mode, kind), live.view());
            auto weights = linked.weights();
            std::size_t n = given.points.size();
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    ASSERT_EQ(weights[n * i + j], weights[n * j + i]) << i << " " << j;
            VisibilityErrors errors(given, linked.matrix(given.n_plates));
            // Discs of points extend beyond the rim by a fraction of their radius.
            bool by_rays = kind == PointVisibility::rays;
            EXPECT_LT(errors.false_visible, 0.005);
            EXPECT_LT(errors.false_blocked, by_rays ? 0.005 : 0.03);
            EXPECT_LT(std::abs(errors.light), by_rays ? 0.01 : 0.05);
        }
}
