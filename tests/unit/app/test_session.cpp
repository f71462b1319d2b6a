// The session that viewer, render and bench share, on every device of the machine.
#include <gtest/gtest.h>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/parallel/error.h"
#include "app/session.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

std::shared_ptr<const Scene> scene_of(const std::string& path) {
    return std::make_shared<Scene>(load_scene(path));
}

const std::string kCornellBox = TL_SOURCE_DIR "/scenes/cornell-box.toml";

void render_frames(Session& session, int n) {
    for (int i = 0; i < n; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
}

TEST(Session, SteadyStateFramesAllocateNothing) {
    for (Device* device : devices())
        for (const char* path : {kCornellBox.c_str(), "generate:terrain,triangles=20000"}) {
            Session session(*device);
            session.set_scene(scene_of(path));
            session.resize({64, 48});
            render_frames(session, 4);
            session.timer().flush();
            auto before = device->memory_stats().allocation_count;
            render_frames(session, 20);
            session.stream().synchronize();
            EXPECT_EQ(device->memory_stats().allocation_count, before) << device->name() << path;
        }
}

TEST(Session, ASceneThatDoesNotFitLeavesTheRunningOne) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.resize({16, 16});
    render_frames(session, 2);
    auto bad = std::make_shared<Scene>(load_scene(kCornellBox));
    bad->settings["whitted"]["max-depth"] = "1000";
    EXPECT_THROW(session.set_scene(bad), UserError);
    bad->settings["whitted"].clear();
    bad->settings["render"]["renderer"] = "no-such-renderer";
    EXPECT_THROW(session.set_scene(bad), UserError);
    EXPECT_EQ(session.samples(), 2u);
    render_frames(session, 1);
    EXPECT_EQ(session.samples(), 3u);
}

TEST(Session, ChosenSettingsOutliveAChangeOfRendererAndBuilder) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.set_setting("whitted", "max-depth", "7");
    session.set_renderer("whitted");
    session.set_builder("lbvh");
    auto settings = session.renderer_settings();
    EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "7");
    EXPECT_THROW(session.set_setting("whitted", "max-depth", "x"), UserError);
    EXPECT_THROW(session.set_setting("nobody", "max-depth", "1"), UserError);
    EXPECT_THROW(session.set_renderer("nobody"), UsageError);
}

TEST(Session, TheSceneSettingsOfOneFileEndWithIt) {
    Session session(find_device("cpu"));
    auto first = std::make_shared<Scene>(load_scene(kCornellBox));
    first->settings["whitted"] = {{"max-depth", "1"}, {"ambient", "0.5"}};
    first->settings["film"] = {{"exposure", "3"}};
    session.set_scene(first);
    session.set_setting("whitted", "cutoff", "0.25");
    EXPECT_EQ(session.tone_map().exposure, 3.0f);
    session.set_scene(scene_of("generate:sphere-flake,depth=1"));
    auto settings = session.renderer_settings();
    EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "5");
    EXPECT_EQ(find_setting(settings, "ambient", "whitted").text(), "0");
    EXPECT_EQ(find_setting(settings, "cutoff", "whitted").text(), "0.25");  // chosen by hand
    EXPECT_EQ(session.tone_map().exposure, 0.0f);
}

TEST(SessionOnCuda, DevicesAreExchangedWhileFramesGoOn) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.set_setting("whitted", "max-depth", "3");
    std::vector<vec3> first;
    for (const char* id : {"cpu", "cuda", "cpu", "cuda"}) {
        session.set_device(find_device(id));
        session.resize({64, 48});
        render_frames(session, 4);
        session.resize({40, 30});
        render_frames(session, 4);
        auto settings = session.renderer_settings();
        EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "3");
        auto rgb = session.film().radiance(session.stream()).rgb;
        if (first.empty()) first = rgb;
        double sum = 0;
        for (std::size_t i = 0; i < rgb.size(); ++i) sum += glm::length(rgb[i] - first[i]);
        EXPECT_LT(sum / double(rgb.size()), 0.01) << id;
    }
}

TEST(Session, AMovedCameraStartsTheFilmAnew) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.resize({8, 8});
    render_frames(session, 3);
    EXPECT_EQ(session.samples(), 3u);
    session.camera.eye.x += 0.01f;
    render_frames(session, 1);
    EXPECT_EQ(session.samples(), 1u);
}

TEST(Session, AChangedTimeStartsTheFilmOfAMovingSceneAnew) {
    Session session(find_device("cpu"));
    auto scene = std::make_shared<Scene>(load_scene(kCornellBox));
    session.set_scene(scene);
    session.resize({8, 8});
    render_frames(session, 2);
    session.time = 0.5f;
    render_frames(session, 1);
    EXPECT_EQ(session.samples(), 3u);  // nothing moves
    auto moving = std::make_shared<Scene>(*scene);
    moving->duration = 2;
    session.set_scene(moving);
    EXPECT_EQ(session.time, 0.0f);
    render_frames(session, 2);
    EXPECT_EQ(session.samples(), 2u);
    session.time = 0.5f;
    render_frames(session, 1);
    EXPECT_EQ(session.samples(), 1u);
}

TEST(Session, AnEmptySceneShowsItsBackground) {
    for (Device* device : devices()) {
        Session session(*device);
        auto scene = std::make_shared<Scene>();
        scene->materials.emplace_back();
        scene->background = vec3(0.25f, 0.5f, 0.75f);
        session.set_scene(scene);
        session.resize({5, 3});
        render_frames(session, 2);
        for (vec3 rgb : session.film().radiance(session.stream()).rgb)
            EXPECT_EQ(rgb, scene->background);
        EXPECT_EQ(measure_tree(session.stream(), session.live_scene().tree()).n_primitives, 0u);
    }
}

TEST(Session, TheSameSeedGivesTheSamePicture) {
    auto picture = [](std::uint64_t seed) {
        Session session(find_device("cpu"));
        session.set_scene(scene_of(kCornellBox));
        session.resize({40, 30});
        session.seed = seed;
        render_frames(session, 2);
        return session.film().radiance(session.stream()).rgb;
    };
    EXPECT_EQ(picture(1), picture(1));
    EXPECT_NE(picture(1), picture(2));
}

}  // namespace
}  // namespace tl
