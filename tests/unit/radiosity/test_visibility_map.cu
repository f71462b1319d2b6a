// The visibility map: the same links whatever threads find them, and those of a table of all pairs
// of leaves against the geometry of the scene.
#include "core/base/error.h"
#include "tests/device_test.h"
#include "tests/unit/radiosity/disc_between_plates.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Distance from the disc's centre at which the segment between two points passes its plane; below
/// 0 if it does not.
float passes_at(const Surfel& a, const Surfel& b, vec3 center) {
    float t = (center.y - a.position.y) / (b.position.y - a.position.y);
    if (!(t > 0.01f && t < 0.99f)) return -1;
    return glm::length(glm::mix(a.position, b.position, t) - center);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(VisibilityMap, ThreadsThatShareAPairsRaysMakeTheSameLinks) {
    Moment now(stream, scratch, {0.1f, 0.5f, 0.1f}, 30);
    for (auto search : {LinkSearch::top_down, LinkSearch::leaf_table}) {
        auto config = config_of(RadiosityMode::fmm, PointVisibility::rays);
        config.link_search = search;
        Linked pairs(stream, scratch, now.points, config, now.live.view());
        for (auto threads : {LinkThreads::pair_teams, LinkThreads::nodes, LinkThreads::teams}) {
            SCOPED_TRACE(testing::Message() << "search " << int(search) << ", " << int(threads));
            config.link_threads = threads;
            Linked other(stream, scratch, now.points, config, now.live.view());
            EXPECT_EQ(other.weights(), pairs.weights());
            EXPECT_EQ(other.work().rays, pairs.work().rays);
            EXPECT_EQ(other.work().terms, pairs.work().terms);
        }
    }
}

TL_DEVICE_TEST(VisibilityMap, LinksOfATableOfLeavesAreThoseOfTheGeometry) {
    constexpr float kRadius = 0.5f;
    const vec3 center(0.1f, 0.5f, 0.1f);
    Moment now(stream, scratch, center, 0, kRadius);
    auto config = config_of(RadiosityMode::fmm, PointVisibility::rays);
    config.link_search = LinkSearch::leaf_table;
    config.error = 0.01f;
    Linked linked(stream, scratch, now.points, config, now.live.view());
    EXPECT_GT(count_of(linked, "links between groups"), 0u);
    EXPECT_GT(count_of(linked, "pairs of groups hidden"), 0u);
    EXPECT_GT(count_of(linked, "links by bits of points"), 0u);
    ASSERT_EQ(count_of(linked, "links by a fraction"), 0u);
    auto weights = linked.weights();
    auto& points = linked.ordered();
    std::size_t n = points.size(), n_seen = 0, n_hidden = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (points[i].normal == points[j].normal) continue;
            float at = passes_at(points[i], points[j], center);
            // The disc's rim is a polygon, and rays start a little off the plates.
            ASSERT_GE(at, 0);
            if (std::abs(at - kRadius) < 1e-3f) continue;
            bool is_seen = at > kRadius;
            (is_seen ? n_seen : n_hidden) += 1;
            ASSERT_EQ(weights[n * i + j], is_seen ? 1.0f : 0.0f) << i << ", " << j;
        }
    EXPECT_GT(n_hidden, n * n / 200);
    EXPECT_GT(n_seen, n * n / 4);
}

TL_DEVICE_TEST(VisibilityMap, ATableOfTooManyLeavesIsRefused) {
    test::Surfels points;
    test::add_plate(points, {-1, 0, -1}, {2, 0, 0}, {0, 0, 2}, 400, 400, {0, 1, 0});
    auto config = config_of(RadiosityMode::fmm);
    config.link_search = LinkSearch::leaf_table;
    config.error = 0.5f;
    try {
        Linked linked(stream, scratch, points, config);
        ADD_FAILURE() << "was not refused";
    } catch (const UserError& error) {
        std::string text = error.what();
        EXPECT_NE(text.find("takes at most 8192 leaves, and the octree has 1"), std::string::npos)
            << text;
    }
}
