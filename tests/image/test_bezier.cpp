// Pictures of the Bezier backend: every mode is compared with the certified mode, on every device;
// the picture is independent of the batch size of ray-patch pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::bezier_tests {
namespace {

constexpr Extent kExtent{96, 54};

struct Picture {
    ImageF image;
    std::vector<FrameCount> counts;
    std::vector<std::string> stages;
};

using Values = std::vector<std::pair<std::string, std::string>>;

/// Settings of the scene's tree, and the number of frames of which the last one is the picture.
struct TreeAndFrames {
    Values tree{};
    std::string builder{};
    int n_frames = 1;
};

Picture render(Device& device, const std::string& mode, const Values& settings = {}, float time = 0,
               const TreeAndFrames& with = {}) {
    Session session(device);
    session.set_scene(std::make_shared<Scene>(load_scene(source_path("scenes/teapots.toml"))));
    session.set_renderer("bezier");
    session.settings().set("bezier", "mode", mode);
    for (auto& [id, value] : settings) session.settings().set("bezier", id, value);
    for (auto& [id, value] : with.tree) session.settings().set("tree", id, value);
    if (!with.builder.empty()) session.set_builder(with.builder);
    session.resize(kExtent);
    session.time = time;
    for (int frame = 0; frame < with.n_frames; ++frame) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    session.timer().flush();
    Picture p{session.film().radiance(session.stream()), session.inspection().frame_counts(), {}};
    for (auto& stage : session.timer().latest()) p.stages.push_back(stage.name);
    return p;
}

/// Pixels that differ by more than rounding.
std::size_t n_different(const ImageF& a, const ImageF& b) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        vec3 d = glm::abs(a.rgb[i] - b.rgb[i]);
        n += d.x + d.y + d.z > 0.02f * (1 + a.rgb[i].x + a.rgb[i].y + a.rgb[i].z);
    }
    return n;
}

/// The fraction of pixels in which a mode differs from the certified mode.
double part_different(Device& device, const std::string& mode, float time = 0) {
    auto certified = render(device, "certified", {}, time), other = render(device, mode, {}, time);
    double part =
        double(n_different(certified.image, other.image)) / double(certified.image.rgb.size());
    std::printf("%s on %s: %.2f %% of the pixels differ\n", mode.c_str(), device.name().c_str(),
                100 * part);
    return part;
}

}  // namespace

TEST(BezierPicture, OfKajiyasMethodIsTheCertifiedOne) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        EXPECT_LT(part_different(*device, "kajiya"), 0.01);
        EXPECT_LT(part_different(*device, "kajiya-real"), 0.005);
        EXPECT_LT(part_different(*device, "kajiya-real", 0.7f), 0.005);
    }
}
TEST(BezierPicture, OfNewtonAndClippingIsNearlyTheCertifiedOne) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        EXPECT_LT(part_different(*device, "newton"), 0.2);
        EXPECT_LT(part_different(*device, "clipping"), 0.01);
    }
}
TEST(BezierPicture, IsTheSameWithBatchesOfAnySize) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto whole = render(*device, "kajiya"),
             parts = render(*device, "kajiya", {{"pair-memory", "1"}});
        EXPECT_EQ(whole.image.rgb, parts.image.rgb);
        ASSERT_FALSE(whole.counts.empty());
        EXPECT_EQ(whole.counts[0].value, parts.counts[0].value);
        // More than one batch of about 460 bytes a pair.
        EXPECT_GT(whole.counts[0].value, (1u << 20) / 460u);
    }
}
TEST(BezierPicture, ComesInStagesOfTheirOwn) {
    for (Device* device : devices()) {
        auto stages = render(*device, "kajiya").stages;
        for (const char* kind : {"primary ", "shadow ", "reflection "})
            for (const char* stage :
                 {"traverse", "scan", "rearrange", "bezout", "laguerre", "gcd", "3D points"})
                EXPECT_EQ(std::ranges::count(stages, std::string(kind) + stage), 1)
                    << kind << stage;
    }
}
TEST(BezierPicture, OfKajiyasMethodIsTheSameInASkipTree) {
    for (Device* device : devices()) {
        auto bvh2 = render(*device, "kajiya-real", {}, 0, {.tree = {{"layout", "bvh2"}}});
        auto skip = render(*device, "kajiya-real", {}, 0, {.tree = {{"layout", "skip"}}});
        // Rays through an edge that two patches share may hit either.
        EXPECT_LE(n_different(bvh2.image, skip.image), kExtent.pixels() / 1000);
        ASSERT_FALSE(bvh2.counts.empty());
        EXPECT_EQ(bvh2.counts[0].name, "primary pairs");
        EXPECT_GT(bvh2.counts[0].value, 0u);
        EXPECT_EQ(bvh2.counts[0].value, skip.counts.at(0).value);
    }
}
TEST(BezierPicture, OfPlanesOfRaysIsThatOfPlanesOfThePicture) {
    for (Device* device : devices()) {
        auto picture = render(*device, "kajiya-real");
        auto ray = render(*device, "kajiya-real", {{"planes", "ray"}});
        EXPECT_EQ(std::ranges::count(picture.stages, "planes"), 1);
        EXPECT_EQ(std::ranges::count(ray.stages, "planes"), 0);
        EXPECT_LE(n_different(picture.image, ray.image), kExtent.pixels() / 500);
    }
}
TEST(BezierPicture, OfStillPatchesKeepsTheirTree) {
    auto n_builds = [](Device& device, const char* update, int n_frames) {
        auto p = render(device, "kajiya-real", {}, 0, {{{"update", update}}, "binned", n_frames});
        return std::ranges::count(p.stages, "build patch tree");
    };
    for (Device* device : devices()) {
        EXPECT_EQ(n_builds(*device, "on-change", 1), 1);
        EXPECT_EQ(n_builds(*device, "on-change", 2), 0);
        EXPECT_EQ(n_builds(*device, "rebuild", 2), 1);
    }
}
TEST(BezierPicture, CountsRealRootsInTheOrderOfLaguerresMethod) {
    for (Device* device : devices()) {
        auto plain = render(*device, "kajiya");
        for (auto& count : plain.counts) EXPECT_EQ(count.name.find("real root"), std::string::npos);
        auto p = render(*device, "kajiya", {{"compare", "true"}});
        for (std::string kind : {"primary", "shadow", "reflection"}) {
            SCOPED_TRACE(kind + " on " + device->name());
            std::uint64_t n_pairs = 0, n_in_range = 0, n_real = 0, n_degrees = 0, last = 0;
            for (auto& count : p.counts) {
                if (count.name == kind + " pairs") last = n_pairs = count.value;
                if (count.name == kind + " roots") n_in_range = count.value;
                if (!count.name.starts_with(kind + " real root ")) continue;
                // Every root divides out one degree or, with its conjugate, two.
                EXPECT_LE(count.n_all, last) << count.name;
                EXPECT_LE(count.value, count.n_all) << count.name;
                last = count.n_all;
                n_real += count.value;
                n_degrees += 2 * count.n_all - count.value;
            }
            EXPECT_GT(n_pairs, 0u);
            EXPECT_GE(n_real, n_in_range);
            EXPECT_LE(n_degrees, 18 * n_pairs);
            EXPECT_GE(n_degrees, 17 * n_pairs);
        }
    }
}
TEST(BezierPicture, IsSeenByTheWhittedTracerAsWell) {
    // Patches alone, which ray packets must not treat as an empty scene.
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/teapots.toml")));
        scene->meshes.clear();
        scene->spheres.clear();
        scene->settings.clear();
        auto bezier = std::make_shared<Scene>(*scene);
        bezier->settings["render"]["renderer"] = "bezier";
        auto seen = test::render_radiance(*device, scene, kExtent, 1);
        auto truth = test::render_radiance(*device, bezier, kExtent, 1);
        vec3 light = test::mean_of(truth);
        EXPECT_GT(light.x, 0.001f);
        EXPECT_NEAR(test::mean_of(seen).x, light.x, 0.2f * light.x);
    }
}
TEST(BezierPicture, CountsWhatAModeMisses) {
    auto value = [](const Picture& p, const std::string& name) {
        for (auto& count : p.counts)
            if (count.name == name) return double(count.value);
        ADD_FAILURE() << "no count " << name;
        return -1.0;
    };
    for (Device* device : devices())
        for (const char* mode : {"kajiya", "kajiya-real", "newton", "clipping"}) {
            auto p = render(*device, mode, {{"compare", "true"}});
            double hits = value(p, "primary hits"), missed = value(p, "primary misses");
            std::printf("%s on %s: %g of %g hits missed, %g false\n", mode, device->name().c_str(),
                        missed, hits, value(p, "primary false hits"));
            EXPECT_GT(hits, kExtent.pixels() / 4) << mode;
            EXPECT_LT(missed, 0.05 * hits) << mode;
            EXPECT_LT(value(p, "primary false hits"), 0.05 * hits) << mode;
        }
}
TEST(BezierPicture, IsTheSameOnEveryDevice) {
    TL_LONG_TEST();
    for (const char* mode : {"certified", "kajiya", "kajiya-real", "newton", "clipping"}) {
        auto first = render(*devices().front(), mode);
        double sum = 0;
        for (vec3 rgb : first.image.rgb) sum += double(rgb.x + rgb.y + rgb.z);
        EXPECT_GT(sum, 0) << mode;
        for (Device* device : devices())
            EXPECT_LT(n_different(first.image, render(*device, mode).image), kExtent.pixels() / 200)
                << mode << " on " << device->name();
    }
}

}  // namespace tl::bezier_tests
