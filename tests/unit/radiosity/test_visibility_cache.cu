// Cached visibility between groups of points after something has moved, against links that are
// found from scratch.
#include <random>

#include "renderer/radiosity/transport/visibility_cache.h"
#include "tests/device_test.h"
#include "tests/unit/radiosity/disc_between_plates.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::vector<vec3> some_radiosity(std::size_t n) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(0, 1);
    std::vector<vec3> radiosity(n);
    for (vec3& b : radiosity) b = {number(random), number(random), number(random)};
    return radiosity;
}

constexpr const char *kKnown = "pairs of groups in the visibility cache",
                     *kLookedAt = "pairs of groups tested";

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(VisibilityCache, LinksAreThoseThatAreFoundFromNothing) {
    for (int n_disc : {30, 0})
        for (auto mode : {RadiosityMode::hierarchical, RadiosityMode::fmm}) {
            auto config = config_of(mode, PointVisibility::rays);
            std::optional<Linked> followed;
            std::vector<float> before;
            for (int frame = 0; frame < 4; ++frame) {
                SCOPED_TRACE(testing::Message()
                             << n_disc << " points, mode " << int(mode) << ", frame " << frame);
                float x = 0.17f * static_cast<float>(frame) - 0.6f;
                Moment now(stream, scratch, {x, 0.5f, 0.1f}, n_disc);
                if (followed)
                    followed->link(now.points, now.live.view(), now.parts);
                else
                    followed.emplace(stream, scratch, now.points, config, now.live.view(),
                                     now.parts);
                Linked anew(stream, scratch, now.points, config, now.live.view());
                auto weights = anew.weights();
                EXPECT_EQ(followed->weights(), weights);
                EXPECT_NE(before, weights);
                before = weights;
                auto radiosity = some_radiosity(now.points.size());
                EXPECT_EQ(followed->irradiance(radiosity), anew.irradiance(radiosity));
                for (const char* name : {kLookedAt, "pairs of groups hidden", "links",
                                         "links by bits of points", "links by a fraction"})
                    EXPECT_EQ(count_of(*followed, name), count_of(anew, name)) << name;
                EXPECT_EQ(count_of(anew, kKnown), 0u);
                auto n_known = count_of(*followed, kKnown);
                if (frame == 0) continue;
                EXPECT_GT(n_known, count_of(anew, kLookedAt) / 3);
                EXPECT_LT(n_known, count_of(anew, kLookedAt));
                EXPECT_LT(followed->work().rays, anew.work().rays / 2);
            }
        }
}

TL_DEVICE_TEST(VisibilityCache, NothingIsKnownOfAnotherSearch) {
    Moment now(stream, scratch, {0, 0.5f, 0}, 0);
    auto config = config_of(RadiosityMode::fmm, PointVisibility::rays);
    Linked linked(stream, scratch, now.points, config, now.live.view(), now.parts);
    auto again = [&] {
        linked.link(now.points, now.live.view(), now.parts);
        return count_of(linked, kKnown);
    };
    EXPECT_EQ(again(), count_of(linked, kLookedAt));
    EXPECT_EQ(linked.work().rays, 0u);
    linked.config().link_rays = 17;
    EXPECT_EQ(again(), 0u);
    EXPECT_EQ(again(), count_of(linked, kLookedAt));
    linked.link(now.points, now.live.view(), {});
    EXPECT_EQ(count_of(linked, kKnown), 0u);
    EXPECT_EQ(again(), 0u);
    linked.config().visibility = PointVisibility::points;
    EXPECT_EQ(again(), 0u);
    EXPECT_EQ(again(), 0u);
}

TL_DEVICE_TEST(VisibilityCache, TheHullOfTwoBoxesIsAllThatLiesBetween) {
    constexpr int kCases = 2000, kParts = 400;
    std::mt19937 random(5);
    std::uniform_real_distribution<float> number(-1, 1);
    auto box = [&](float size) {
        vec3 middle(number(random), number(random), number(random));
        vec3 half = 0.5f * size * glm::abs(vec3(number(random), number(random), number(random)));
        return Box{middle - half, middle + half};
    };
    int n_meet = 0, n_wrong = 0;
    for (int i = 0; i < kCases; ++i) {
        Box a = box(0.5f), b = box(0.5f), other = box(0.5f);
        if (i % 4 == 0) b.lo.x = a.lo.x, b.hi.x = a.hi.x = a.lo.x;  // flat
        bool meets = false;
        for (int k = 0; k <= kParts && !meets; ++k) {
            float t = static_cast<float>(k) / kParts;
            vec3 lo = glm::mix(a.lo, b.lo, t), hi = glm::mix(a.hi, b.hi, t);
            meets = true;
            for (int axis = 0; axis < 3; ++axis)
                meets = meets && lo[axis] <= other.hi[axis] && hi[axis] >= other.lo[axis];
        }
        if (meets) {
            EXPECT_TRUE(hull_meets(a, b, other)) << i;
        }
        EXPECT_EQ(hull_meets(a, b, other), hull_meets(b, a, other));
        n_meet += meets ? 1 : 0;
        n_wrong += meets != hull_meets(a, b, other) ? 1 : 0;
    }
    EXPECT_GT(n_meet, kCases / 20);
    EXPECT_LT(n_meet, kCases / 2);
    EXPECT_LE(n_wrong, kCases / 200);  // intersections between two steps are missed
}
