// The session shared by viewer, `render` and `bench`, on every device of the machine.
#include <gtest/gtest.h>

#include "accel/bvh/inspect/tree_stats.h"
#include "app/commands/commands.h"
#include "app/jobs/machine_report.h"
#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::session_tests {
namespace {

std::shared_ptr<const Scene> scene_of(const std::string& path) {
    return std::make_shared<Scene>(load_scene(path));
}

const std::string kCornellBox = source_path("scenes/cornell-box.toml");

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
    session.settings().set("whitted", "max-depth", "7");
    session.set_renderer("whitted");
    session.set_builder("lbvh");
    auto settings = session.settings().renderer();
    EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "7");
    EXPECT_THROW(session.settings().set("whitted", "max-depth", "x"), UserError);
    EXPECT_THROW(session.settings().set("nobody", "max-depth", "1"), UserError);
    EXPECT_THROW(session.set_renderer("nobody"), UsageError);
}

TEST(Session, TheSceneSettingsOfOneFileEndWithIt) {
    Session session(find_device("cpu"));
    auto first = std::make_shared<Scene>(load_scene(kCornellBox));
    first->settings["whitted"] = {{"max-depth", "1"}, {"ambient", "0.5"}};
    first->settings["film"] = {{"exposure", "3"}};
    session.set_scene(first);
    session.settings().set("whitted", "cutoff", "0.25");
    EXPECT_EQ(session.display().config().tone_map.exposure, 3.0f);
    session.set_scene(scene_of("generate:sphere-flake,depth=1"));
    auto settings = session.settings().renderer();
    EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "5");
    EXPECT_EQ(find_setting(settings, "ambient", "whitted").text(), "0");
    EXPECT_EQ(find_setting(settings, "cutoff", "whitted").text(), "0.25");  // chosen by hand
    EXPECT_EQ(session.display().config().tone_map.exposure, 0.0f);
}

TEST(Session, FallbacksAreForScenesThatLeaveASettingOpen) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.settings().set_fallback("film", "exposure", "1");
    EXPECT_EQ(session.display().config().tone_map.exposure, 1.0f);
    EXPECT_FALSE(session.settings().chosen("film", "exposure"));
    auto bright = std::make_shared<Scene>(load_scene(kCornellBox));
    bright->settings["film"]["exposure"] = "3";
    session.set_scene(bright);
    EXPECT_EQ(session.display().config().tone_map.exposure, 3.0f);
    session.set_scene(scene_of(kCornellBox));
    EXPECT_EQ(session.display().config().tone_map.exposure, 1.0f);
    session.settings().set("film", "exposure", "2");
    EXPECT_TRUE(session.settings().chosen("film", "exposure"));
    session.set_scene(bright);
    EXPECT_EQ(session.display().config().tone_map.exposure, 2.0f);
}

TEST(Session, HasTheSeedOfTheOptions) {
    SessionOptions options;
    options.scene = kCornellBox;
    options.device = "cpu";
    options.size = {4, 4};
    options.seed = 7;
    EXPECT_EQ(make_session(options)->seed, 7u);
}

TEST(SessionOnCuda, DevicesAreExchangedWhileFramesGoOn) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.settings().set("whitted", "max-depth", "3");
    std::vector<vec3> first;
    for (const char* id : {"cpu", "cuda", "cpu", "cuda"}) {
        session.set_device(find_device(id));
        session.resize({64, 48});
        render_frames(session, 4);
        session.resize({40, 30});
        render_frames(session, 4);
        auto settings = session.settings().renderer();
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

TEST(Session, SectionsAreOfWhatIsInUse) {
    Session session(find_device("cpu"));
    session.set_builder("lbvh");
    auto sections = session.settings().sections();
    std::vector<std::string> ids, titles;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(sections[i].kind), i);
        ids.push_back(sections[i].id);
        titles.push_back(sections[i].title);
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"whitted", "lbvh", "tree", "film", "sampling"}));
    EXPECT_EQ(titles, (std::vector<std::string>{"Whitted ray tracer", "LBVH", "Trees", "Film",
                                                "Sampling"}));
    find_setting(find_section(sections, "tree")->settings, "update", "tree").set("refit");
    EXPECT_EQ(session.live_scene().tree_config().update, UpdatePolicy::refit);
    EXPECT_EQ(find_section(sections, "heat-map"), nullptr);
}

TEST(Session, AReportHasEverySettingInUse) {
    Session session(find_device("cpu"));
    session.settings().set("tree", "update", "refit");
    session.settings().set("sampling", "filter", "tent");
    auto settings = session_report(session)["settings"];
    EXPECT_EQ(settings["tree"]["update"], "refit");
    EXPECT_EQ(settings["sampling"]["filter"], "tent");
    EXPECT_EQ(settings["film"]["exposure"], "0");
    EXPECT_EQ(settings.size(), session.settings().sections().size());
}

TEST(Session, ASceneFileIsCheckedForRenderersThatMayBeChosenLater) {
    Session session(find_device("cpu"));
    auto scene = std::make_shared<Scene>(load_scene(kCornellBox));
    scene->settings["bezier"]["mode"] = "magic";
    EXPECT_THROW(session.set_scene(scene), UserError);
    scene->settings["bezier"]["mode"] = "newton";
    session.set_scene(scene);
    session.set_renderer("bezier");
    auto settings = session.settings().renderer();
    EXPECT_EQ(find_setting(settings, "mode", "bezier").text(), "newton");
}

/// Record of the calls of a SlowRenderer.
struct RecordedFrames {
    Versions versions;  ///< versions in the newest frame
    int n_rendered = 0;
};

/// Records the versions of its frames; its pictures show how many have been rendered.
class RecordingRenderer final : public Renderer {
  public:
    explicit RecordingRenderer(RecordedFrames& record) : record_(record) {}
    void prepare(const FrameContext& context) override { record_.versions = context.versions; }
    void render(const FrameContext& context) override {
        auto film = context.film.view();
        std::vector<vec4> sums(film.extent.pixels(), vec4(float(++record_.n_rendered)));
        for (auto& sum : sums) sum.w = 1;
        context.stream().device().upload(context.stream(), film.radiance_sum, sums.data(),
                                         sums.size() * sizeof(vec4));
    }

  private:
    RecordedFrames& record_;
};

/// A session on the CPU with a RecordingRenderer and an animated scene.
struct RecordedSession {
    RecordedFrames record;
    Session session{find_device("cpu")};

    RecordedSession() {
        auto scene = std::make_shared<Scene>(load_scene(kCornellBox));
        scene->duration = 2;
        session.set_scene(scene);
        session.set_renderer("recording", std::make_unique<RecordingRenderer>(record));
        session.resize({4, 4});
    }
    bool frame() {
        session.begin_frame();
        bool sampled = session.render_frame();
        session.end_frame();
        return sampled;
    }
};

TEST(Session, VersionsGrowWithWhatHasChangedAndNothingElse) {
    RecordedSession recorded;
    auto& session = recorded.session;
    session.settings().set("tree", "update", "static");
    recorded.frame();
    Versions before = recorded.record.versions;
    for (auto version : {before.scene, before.lights, before.tree, before.settings, before.view})
        EXPECT_GT(version, 0u);
    auto expect_grown = [&](const std::string& what, Versions by) {
        recorded.frame();
        auto& now = recorded.record.versions;
        EXPECT_EQ(now.scene - before.scene, by.scene) << what;
        EXPECT_EQ(now.lights - before.lights, by.lights) << what;
        EXPECT_EQ(now.tree - before.tree, by.tree) << what;
        EXPECT_EQ(now.settings - before.settings, by.settings) << what;
        EXPECT_EQ(now.view - before.view, by.view) << what;
        before = now;
    };
    expect_grown("nothing", {});
    session.camera.eye.x += 1;
    expect_grown("camera", {.view = 1});
    session.resize({5, 5});
    expect_grown("size", {.view = 1});
    session.settings().set("film", "exposure", "1");
    expect_grown("film", {});
    session.settings().set("sampling", "filter", "tent");
    expect_grown("sampling", {.settings = 1});
    session.time = 1;
    expect_grown("time", {.scene = 1});
    session.settings().set("tree", "update", "rebuild");
    expect_grown("tree settings", {.tree = 1, .settings = 1});
    expect_grown("another build", {.tree = 1});
}

TEST(Session, ACancelledFrameAddsNoSample) {
    RecordedSession recorded;
    auto& session = recorded.session;
    recorded.frame();
    EXPECT_EQ(session.samples(), 1u);
    std::atomic<Cancellation> cancellation = Cancellation::view;
    session.cancellation = &cancellation;
    EXPECT_FALSE(recorded.frame());
    EXPECT_EQ(recorded.record.n_rendered, 1);
    EXPECT_EQ(session.samples(), 1u);
    cancellation = Cancellation::nothing;
    EXPECT_TRUE(recorded.frame());
    EXPECT_EQ(session.samples(), 2u);
}

TEST(Session, AnotherRendererBeginsWithoutTheMemoryOfTheLast) {
    TL_LONG_TEST();
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kCornellBox));
    session.set_renderer("photon");
    session.resize({320, 240});
    for (int i = 0; i < 3; ++i) session.render_frame();
    EXPECT_GT(session.scratch().capacity(), 1u << 20);
    session.set_renderer("whitted");
    EXPECT_EQ(session.scratch().capacity(), 0u);
    EXPECT_TRUE(session.render_frame());
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
}  // namespace tl::session_tests
