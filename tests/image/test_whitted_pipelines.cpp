// All pipelines of the Whitted tracer give the picture of the single kernel, up to float rounding,
// and the same number of rays.
#include <gtest/gtest.h>

#include "core/device/registry.h"
#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::whitted_pipelines_tests {
namespace {

struct Rendered {
    ImageF picture;
    std::vector<std::uint64_t> rays;  ///< rays of every frame
};

Rendered render(Device& device, Scene scene, const std::string& pipeline, Extent extent,
                int n_frames) {
    scene.settings["whitted"]["pipeline"] = pipeline;
    Session session(device);
    session.set_scene(std::make_shared<Scene>(std::move(scene)));
    session.resize(extent);
    Rendered rendered;
    for (int i = 0; i < n_frames; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        rendered.rays.push_back(session.film().rays_of_frame(session.scratch()));
    }
    rendered.picture = session.film().radiance(session.stream());
    return rendered;
}

/// Pixels are equal up to the order of summation; `most_off` of a thousand pixels and rays may
/// differ more, since after many bounces rounding makes a ray hit another surface.
void expect_one_picture(const Scene& scene, Extent extent, int n_frames, double most_off = 0) {
    for (Device* device : devices()) {
        auto expected = render(*device, scene, "single-kernel", extent, n_frames);
        float largest = 0;
        for (vec3 rgb : expected.picture.rgb) largest = std::max({largest, rgb.x, rgb.y, rgb.z});
        ASSERT_GT(largest, 0);
        for (const char* pipeline : {"wavefront", "post-order", "by-level"}) {
            SCOPED_TRACE(device->name() + ", " + pipeline);
            auto other = render(*device, scene, pipeline, extent, n_frames);
            std::size_t n_off = 0;
            for (std::size_t i = 0; i < expected.picture.rgb.size(); ++i) {
                vec3 d = glm::abs(other.picture.rgb[i] - expected.picture.rgb[i]);
                n_off += !(std::max({d.x, d.y, d.z}) <= 1e-5f * largest);
            }
            EXPECT_LE(double(n_off), most_off / 1000 * double(extent.pixels()));
            for (std::size_t i = 0; i < expected.rays.size(); ++i)
                EXPECT_NEAR(double(other.rays[i]), double(expected.rays[i]),
                            most_off / 1000 * double(expected.rays[i]));
        }
    }
}

}  // namespace

TEST(WhittedPipelines, AgreeInTheCornellBox) {
    expect_one_picture(load_scene(source_path("scenes/cornell-box.toml")), {120, 90}, 4);
}

TEST(WhittedPipelines, AgreeOnChainsOfMirrors) {
    auto scene = load_scene("generate:sphere-flake,depth=3");
    scene.settings["whitted"] = {{"max-depth", "12"}, {"cutoff", "0"}};
    expect_one_picture(scene, {160, 120}, 3, 1);
}

TEST(WhittedPipelines, AgreeOnRaysThatSplitManyTimes) {
    TL_LONG_TEST();
    // Nested glass: two child rays per hit, more than the buffers of the first frame can hold.
    Scene scene;
    for (float ior : {1.5f, 1.2f, 2.0f}) {
        Material glass;
        glass.kind = MaterialKind::dielectric;
        glass.specular = vec3(1);
        glass.ior = ior;
        glass.absorption = vec3(0.1f, 0.2f, 0.3f);
        auto number = static_cast<std::int32_t>(scene.materials.size());
        scene.materials.push_back(glass);
        scene.spheres.push_back({vec3(0), 1 - 0.3f * static_cast<float>(number), number});
    }
    scene.background = vec3(0.3f, 0.6f, 1);
    scene.camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 25};
    scene.settings["whitted"] = {{"max-depth", "9"}, {"cutoff", "0"}};
    expect_one_picture(scene, {64, 64}, 3);
}

TEST(WhittedPipelines, AgreeInAnEnvironmentThatDiffersByDirection) {
    auto scene = load_scene(source_path("scenes/cornell-box.toml"));
    scene.environment = {.extent = {4, 2}, .texels = {}};
    for (int i = 0; i < 8; ++i)
        scene.environment.texels.emplace_back(0.1f * float(i), 0.5f, 1 - 0.1f * float(i));
    scene.camera.target = scene.camera.eye + vec3(1, 0.2f, -1);
    expect_one_picture(scene, {64, 48}, 3);
}

TEST(WhittedPipelines, AgreeOnTexturesAndHoles) {
    expect_one_picture(load_scene(source_path("scenes/textures.toml")), {120, 90}, 3, 1);
}

TEST(WhittedPipelines, AgreeAtEveryDepthAndWithNothingToSee) {
    auto scene = load_scene(source_path("scenes/cornell-box.toml"));
    for (const char* depth : {"0", "1", "32"}) {
        scene.settings["whitted"]["max-depth"] = depth;
        expect_one_picture(scene, {33, 17}, 2);
    }
    Scene nothing;
    nothing.materials.emplace_back();
    nothing.background = vec3(0.5f);
    expect_one_picture(nothing, {33, 17}, 2);
}

TEST(WhittedPipelines, AgreeOnPicturesOfSeveralChunks) {
    if (test::kSanitized) GTEST_SKIP() << "takes over a million rays four times";
    auto scene = load_scene("generate:sphere-flake,depth=1");
    // On the CPU packets round differently, and a few of 1.3 million rays end elsewhere.
    expect_one_picture(scene, {1300, 1000}, 1, 0.01);
    scene.settings["tree"]["layout"] = "bvh2";
    expect_one_picture(scene, {1300, 1000}, 1);
}

// On a GPU the tiles of later frames start by the times of earlier ones.
TEST(WhittedPipelines, GiveTheSamePictureWhateverTileStartsFirst) {
    // Sizes with tiles that extend beyond the picture.
    for (Extent extent : {Extent{50, 37}, Extent{64, 48}})
        for (Device* device : devices()) {
            auto scene = load_scene(source_path("scenes/cornell-box.toml"));
            scene.settings["tree"]["layout"] = "bvh2";
            Session session(*device);
            session.set_scene(std::make_shared<Scene>(std::move(scene)));
            session.resize(extent);
            std::vector<vec3> first;
            for (int frame = 0; frame < 20; ++frame) {
                session.restart();
                session.begin_frame();
                session.render_frame();
                session.end_frame();
                auto picture = session.film().radiance(session.stream()).rgb;
                if (frame == 0) first = picture;
                EXPECT_EQ(picture, first) << "frame " << frame;
            }
        }
}

TEST(WhittedPipelines, AllocateNothingOnceTheyKnowTheScene) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        for (const char* pipeline : {"single-kernel", "wavefront", "post-order", "by-level"}) {
            auto scene = load_scene("generate:sphere-flake,depth=2");
            scene.settings["whitted"] = {{"pipeline", pipeline}};
            scene.settings["tree"]["layout"] = "bvh2";  // single rays on the CPU, too
            Session session(*device);
            session.set_scene(std::make_shared<Scene>(std::move(scene)));
            session.resize({96, 64});
            auto frame = [&] {
                session.begin_frame();
                session.render_frame();
                session.end_frame();
                session.stream().synchronize();
            };
            for (int i = 0; i < 8; ++i) frame();
            auto before = device->memory_stats().allocation_count;
            for (int i = 0; i < 4; ++i) frame();
            EXPECT_EQ(device->memory_stats().allocation_count, before) << pipeline;
        }
    }
}

}  // namespace tl::whitted_pipelines_tests
