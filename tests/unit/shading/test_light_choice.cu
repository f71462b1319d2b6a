// Light tree: every light is chosen with its stated probability, and none that can contribute is
// left out.
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/device/background.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/light_tree.h"
#include "renderer/scene/live/lights/live_light_tree.h"
#include "renderer/shading/light_choice.h"
#include "tests/device_test.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {

/// Small one-sided lights at random positions with random directions.
std::vector<LightBounds> scattered_lights(std::uint32_t n) {
    std::vector<LightBounds> lights;
    RandomStream random(11, 0, 0);
    auto point = [&](float scale) {
        vec3 p;
        for (int c = 0; c < 3; ++c) p[c] = scale * (2 * random.next() - 1);
        return p;
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        LightBounds light;
        vec3 p = point(10);
        light.box.extend(p);
        light.box.extend(p + point(0.2f));
        light.axis = glm::normalize(point(1) + vec3(0, 0, 1e-3f));
        light.power = std::exp(4 * random.next());
        lights.push_back(light);
    }
    return lights;
}

class LightChooser {
  public:
    LightChooser(Stream& stream, const std::vector<LightBounds>& lights) : stream_(stream) {
        LightTree tree = build_light_tree(lights);
        n_splits_ = tree.splits.size();
        tree_.assign(stream, tree.nodes);
        trails_.assign(stream, tree.trails);
    }

    /// Number of nodes: two for a light, less one.
    [[nodiscard]] std::size_t n_splits() const { return n_splits_; }
    std::vector<ChosenLight> choose(vec3 p, vec3 normal, bool two_sided, std::uint32_t n) {
        DeviceArray<ChosenLight> out(stream_, n);
        auto to = out.view();
        LightTreeView tree = tree_.view();
        parallel_for(
            stream_, "choose lights", n, TL_LAMBDA(std::uint32_t i) {
                float r = RandomStream(5, i, 0).next();
                to[i] = choose_light(tree, p, normal, two_sided, r);
            });
        return out.download(stream_);
    }
    std::vector<float> probabilities(vec3 p, vec3 normal, bool two_sided) {
        DeviceArray<float> out(stream_, trails_.size());
        auto to = out.view();
        LightTreeView tree = tree_.view();
        auto* trails = trails_.data();
        parallel_for(
            stream_, "probabilities", static_cast<std::uint32_t>(trails_.size()),
            TL_LAMBDA(std::uint32_t i) {
                to[i] = probability_of_light(tree, trails[i], p, normal, two_sided);
            });
        return out.download(stream_);
    }

  private:
    Stream& stream_;
    LiveLightTree tree_;
    DeviceArray<std::uint64_t> trails_;
    std::size_t n_splits_ = 0;
};

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(LightTree, LightsAreChosenAsOftenAsTheirProbabilitySays) {
    constexpr std::uint32_t kLights = 300, kDraws = test::kSanitized ? 20000 : 300000;
    LightChooser chooser(stream, scattered_lights(kLights));
    EXPECT_EQ(chooser.n_splits(), 2 * kLights - 1);
    for (bool two_sided : {false, true})
        for (vec3 p : {vec3(0), vec3(9, -3, 4), vec3(-40, 5, 2)}) {
            vec3 normal = glm::normalize(vec3(1, 2, -0.5f));
            auto probabilities = chooser.probabilities(p, normal, two_sided);
            std::vector<double> found(kLights);
            for (auto& chosen : chooser.choose(p, normal, two_sided, kDraws)) {
                if (!(chosen.probability > 0)) continue;
                ++found[chosen.index];
                ASSERT_NEAR(chosen.probability / probabilities[chosen.index], 1, 1e-4f);
            }
            double sum = 0, statistic = 0;
            int n_cells = 0;
            for (std::uint32_t i = 0; i < kLights; ++i) {
                double expected = double(probabilities[i]) * kDraws;
                sum += double(probabilities[i]);
                if (expected < 5) continue;
                statistic += (found[i] - expected) * (found[i] - expected) / expected;
                ++n_cells;
            }
            // A child may turn out to be dark although its parent's bounds allow light.
            EXPECT_LE(sum, 1.0001);
            EXPECT_GT(sum, 0.4);
            EXPECT_LT(statistic, n_cells + 4 * std::sqrt(2.0 * n_cells)) << n_cells;
        }
}

#if !defined(__CUDACC__)
namespace tl {

TEST(LightTree, IsTheSameByAllThreadsAndByOne) {
    // Several ranges of it are large enough for threads of their own.
    auto lights = scattered_lights(20'000);
    LightTree all = build_light_tree(lights), one;
    run_on_one_thread([&] { one = build_light_tree(lights); });
    EXPECT_EQ(all.trails, one.trails);
    ASSERT_EQ(all.splits.size(), 2 * lights.size() - 1);
    ASSERT_EQ(one.splits.size(), all.splits.size());
    std::vector<int> n_seen(lights.size());
    for (std::size_t i = 0; i < all.splits.size(); ++i) {
        std::uint32_t child = all.splits[i].child;
        ASSERT_EQ(child, one.splits[i].child) << i;
        if (child & LightChild::kLeaf)
            ++n_seen[child & ~LightChild::kLeaf];
        else
            ASSERT_GT(child, i) << "children come after their parents";
    }
    EXPECT_EQ(n_seen, std::vector<int>(lights.size(), 1));
}

TEST(LightTree, FourChildrenAtOnceChooseAsOneByOne) {
    for (std::uint32_t n : {1u, 2u, 3u, 4u, 7u, 300u}) {
        LightTree tree = build_light_tree(scattered_lights(n));
        LightTreeView nodes{tree.nodes.data()};
        RandomStream random(3, n, 0);
        auto direction = [&random] {
            vec3 d;
            for (int c = 0; c < 3; ++c) d[c] = random.next() - 0.4f;
            return glm::normalize(d);
        };
        int n_chosen = 0;
        for (int i = 0; i < 2000; ++i) {
            vec3 p = 30.0f * direction(), normal = direction();
            bool two_sided = i % 2;
            float r = random.next();
            ChosenLight one = choose_light_by_children(nodes, p, normal, two_sided, r);
            ChosenLight four = choose_light(nodes, p, normal, two_sided, r);
            ASSERT_EQ(one.probability > 0, four.probability > 0) << n << " " << i;
            if (!(one.probability > 0)) continue;
            ++n_chosen;
            std::uint64_t trail = tree.trails[four.index];
            float by_children =
                probability_of_light_by_children(nodes, trail, p, normal, two_sided);
            ASSERT_NEAR(four.probability / by_children, 1, 1e-3f) << n << " " << i;
            ASSERT_NEAR(probability_of_light(nodes, trail, p, normal, two_sided) / by_children, 1,
                        1e-3f);
            // A different light is chosen only where the number lies between both to rounding.
            if (one.index != four.index) {
                float off = 1e-4f;
                auto at = [&](float near) {
                    near = std::clamp(near, 0.0f, 0.9999999f);
                    return choose_light_by_children(nodes, p, normal, two_sided, near).index;
                };
                ASSERT_TRUE(at(r - off) == four.index || at(r + off) == four.index)
                    << n << " " << i;
            }
        }
        EXPECT_GT(n_chosen, 300) << n;
    }
}

TEST(LightTree, WalksInTurnsChooseAsOneByOne) {
    constexpr int kPlaces = 7;
    for (std::uint32_t n : {0u, 1u, 5u, 200u})
        for (std::uint32_t n_far : {0u, 2u}) {
            LightTree tree = build_light_tree(scattered_lights(n));
            const std::uint32_t far_lights[] = {1000, 1001};
            LightSearch search;
            search.tree.nodes = tree.nodes.empty() ? nullptr : tree.nodes.data();
            if (n == 1) search.only_in_tree = 0;
            search.far_lights = far_lights;
            search.n_far = n_far;
            RandomStream random(4, n, n_far);
            for (int i = 0; i < 100; ++i) {
                LightChoicePoint places[kPlaces];
                ChosenLight together[kPlaces];
                int n_places = i % (kPlaces + 1);
                for (LightChoicePoint& at : places) {
                    vec3 p, normal;
                    for (int c = 0; c < 3; ++c)
                        p[c] = 20 * random.next() - 10, normal[c] = random.next() - 0.4f;
                    at = {p, glm::normalize(normal), random.next() < 0.5f, random.next()};
                }
                choose_any_lights<kPlaces>(search, places, n_places, together);
                for (int k = 0; k < n_places; ++k) {
                    const LightChoicePoint& at = places[k];
                    ChosenLight alone =
                        choose_any_light(search, at.position, at.normal, at.two_sided, at.r);
                    ASSERT_EQ(together[k].probability, alone.probability) << n << " " << n_far;
                    if (alone.probability > 0) {
                        ASSERT_EQ(together[k].index, alone.index);
                    }
                }
            }
        }
}

TEST(LightTree, RaysToLightsMayMeetThem) {
    RandomStream random(8, 0, 0);
    auto point = [&](float scale) {
        vec3 p;
        for (int c = 0; c < 3; ++c) p[c] = scale * (2 * random.next() - 1);
        return p;
    };
    for (std::uint32_t n : {1u, 3u, 50u}) {
        auto lights = scattered_lights(n);
        LightTree tree = build_light_tree(lights);
        SceneView scene;
        scene.search.tree.nodes = tree.nodes.data();
        scene.search.has_all_in_tree = true;
        int n_elsewhere = 0;
        for (int i = 0; i < 10000; ++i) {
            const Box& box = lights[static_cast<std::size_t>(random.next() * float(n))].box;
            // Its points, corners most of all, from near and from far away.
            vec3 at;
            for (int c = 0; c < 3; ++c)
                at[c] =
                    glm::mix(box.lo[c], box.hi[c], glm::clamp(3 * random.next() - 1, 0.0f, 1.0f));
            vec3 from = point(i % 2 ? 20.0f : 20000.0f);
            ASSERT_TRUE(may_meet_light(scene, from, glm::normalize(at - from))) << n << " " << i;
            n_elsewhere += may_meet_light(scene, from, glm::normalize(point(1))) ? 0 : 1;
        }
        EXPECT_GT(n_elsewhere, 6000) << n;
        // If anything outside the tree is emissive, any ray may hit it.
        scene.search.has_all_in_tree = false;
        scene.has_visible_light = true;
        EXPECT_TRUE(may_meet_light(scene, vec3(1000), vec3(1, 0, 0)));
    }
}

TEST(LightTree, EveryLightIsTheEndOfItsTrail) {
    for (std::uint32_t n : {1u, 2u, 3u, 5u, 200u}) {
        LightTree tree = build_light_tree(scattered_lights(n));
        for (std::uint32_t light = 0; light < n; ++light) {
            std::uint32_t at = 0;
            float power = HUGE_VALF;
            for (std::uint64_t trail = tree.trails[light]; !(at & LightChild::kLeaf); trail >>= 2) {
                // Children have part of their node's power.
                const LightNode& node = tree.nodes[at];
                ASSERT_LE(node.power[trail % 4], power);
                power = node.power[trail % 4] * 1.0001f;
                at = node.child[trail % 4];
            }
            ASSERT_EQ(at & ~LightChild::kLeaf, light);
        }
        for (std::uint32_t i = 0; i < tree.splits.size(); ++i) {
            const LightSplit& split = tree.splits[i];
            if (split.lane == LightSplit::kNoLane) continue;
            std::uint32_t child = tree.nodes[split.lane / 4].child[split.lane % 4];
            EXPECT_EQ(child & LightChild::kLeaf, split.child & LightChild::kLeaf);
            if (child & LightChild::kLeaf) {
                EXPECT_EQ(child, split.child);
            }
        }
    }
}

}  // namespace tl
#endif

TL_DEVICE_TEST(LightTree, NoLightIsLeftOutThatReachesThePoint) {
    auto lights = scattered_lights(500);
    LightChooser chooser(stream, lights);
    vec3 p(2, 1, -3), normal = glm::normalize(vec3(-1, 0.3f, 0.2f));
    auto probabilities = chooser.probabilities(p, normal, false);
    for (std::size_t i = 0; i < lights.size(); ++i) {
        vec3 way = p - lights[i].box.center();
        bool reaches = glm::dot(way, lights[i].axis) > 0 && glm::dot(way, normal) < 0;
        if (reaches) {
            EXPECT_GT(probabilities[i], 0) << i;
        }
    }
}

TL_DEVICE_TEST(LightTree, BrightAndNearLightsAreChosenMoreOften) {
    std::vector<LightBounds> lights(3);
    for (auto& light : lights) light.cos_cone = -1, light.power = 1;
    lights[0].box.extend(vec3(0, 2, 0));
    lights[1].box.extend(vec3(3, 20, 0));
    lights[2].box.extend(vec3(-3, 20, 0));
    lights[2].power = 4;
    LightChooser chooser(stream, lights);
    auto p = chooser.probabilities(vec3(0), vec3(0, 1, 0), false);
    EXPECT_GT(p[0], 10 * p[2]);
    EXPECT_NEAR(p[2], 4 * p[1], 0.4f * p[1]);
}

TL_DEVICE_TEST(LightTree, LightsInARowAndInOnePlaceMakeShallowTrees) {
    // Lights whose powers and distances grow without end would make a chain.
    std::vector<LightBounds> lights;
    float x = 1e-20f;
    for (int i = 0; i < 120; ++i, x *= 2) {
        LightBounds light;
        light.box.extend(vec3(x, 0, 0));
        light.cos_cone = -1;
        light.power = 1;
        lights.push_back(light);
    }
    for (int i = 0; i < 3000; ++i) lights.push_back(lights[7]);
    lights[3].power = 0;
    LightChooser chooser(stream, lights);
    EXPECT_EQ(chooser.n_splits(), 2 * (lights.size() - 1) - 1);
    double sum = 0;
    for (float p : chooser.probabilities(vec3(0, 1, 0), vec3(0, -1, 0), false)) sum += double(p);
    EXPECT_NEAR(sum, 1, 1e-3);
}
