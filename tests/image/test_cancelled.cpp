// A frame that is cancelled at any moment has no effect on later ones: the next picture equals that
// of a session whose frames were never cancelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <random>
#include <thread>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::cancelled_tests {
namespace {

/// A renderer, and a setting of it and its value; "" and "": none.
struct Way {
    const char *renderer, *setting, *value;
    const char* scene = "teapot-mirror";
};

constexpr Way kWays[] = {
    {"whitted", "", ""},
    {"whitted", "max-depth", "4"},
    {"whitted", "pipeline", "wavefront"},
    {"bezier", "", ""},
    {"path", "", ""},
    {"path", "pipeline", "wavefront"},
    {"aov", "", ""},
    {"heat-map", "", ""},
    {"points", "", ""},
    {"photon", "", ""},
    {"photon", "mode", "sppm"},
    {"photon", "mode", "vcm"},
    {"photon", "mode", "thesis"},
    {"path", "", "", "cornell-box-moving"},
    {"photon", "", "", "cornell-box-moving"},
    {"whitted", "", "", "crowd"},
    {"whitted", "", "", "waves"},
};

class Cancelled : public testing::TestWithParam<Way> {
  protected:
    static std::unique_ptr<Session> start(const Way& way) {
        auto session = std::make_unique<Session>(find_device("cpu"));
        auto path = source_path("scenes/") + way.scene + ".toml";
        session->set_scene(std::make_shared<Scene>(load_scene(path)));
        if (session->scene().duration > 0) session->settings().set("tree", "update", "rebuild");
        session->time = 0.5f;
        session->set_renderer(way.renderer);
        if (*way.setting) session->settings().set(way.renderer, way.setting, way.value);
        session->settings().set("photon", "photons", "3000");
        session->resize({32, 24});
        return session;
    }
    static bool frame(Session& session) {
        session.begin_frame();
        bool sampled = session.render_frame();
        session.end_frame();
        return sampled;
    }
};

TEST_P(Cancelled, FramesLeaveNoTrace) {
    std::string renderer = GetParam().renderer, value = GetParam().value;
    TL_LONG_TEST_IF(renderer == "whitted" || value == "thesis");
    constexpr std::uint32_t kSamples = 3;
    using Clock = std::chrono::steady_clock;
    auto undisturbed = start(GetParam());
    frame(*undisturbed);
    auto begin = Clock::now();
    while (undisturbed->samples() < kSamples) frame(*undisturbed);
    auto frame_time = (Clock::now() - begin) / (kSamples - 1);
    auto expected = undisturbed->film().radiance(undisturbed->stream());

    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto session = start(GetParam());
    std::atomic<Cancellation> cancellation = Cancellation::nothing;
    session->cancellation = &cancellation;
    int n_cancelled = 0;
    constexpr int kDisturbances = test::kSanitized ? 4 : 12;
    for (int i = 0; i < kDisturbances; ++i) {
        std::uniform_real_distribution<double> share(0, 1.2);
        auto wait =
            std::chrono::duration_cast<std::chrono::nanoseconds>(frame_time * share(random));
        auto how_much = i % 2 ? Cancellation::view : Cancellation::everything;
        std::thread disturber([&] {
            std::this_thread::sleep_for(wait);
            cancellation = how_much;
        });
        n_cancelled += !frame(*session);
        disturber.join();
        cancellation = Cancellation::nothing;
        if (i % 3 == 0) frame(*session);
    }
    RecordProperty("cancelled", n_cancelled);
    session->restart();
    while (session->samples() < kSamples) frame(*session);
    auto found = session->film().radiance(session->stream());
    EXPECT_EQ(test::mean_difference(found, expected), 0.0);
}

std::string name_of(const testing::TestParamInfo<Way>& info) {
    auto& way = info.param;
    return test::test_name(std::string(way.renderer) + "_" + way.setting + "_" + way.value + "_" +
                           way.scene);
}

INSTANTIATE_TEST_SUITE_P(Renderers, Cancelled, testing::ValuesIn(kWays), name_of);

TEST(Cancelled, AFrameEndsSoon) {
    Session session(find_device("cpu"));
    session.set_scene(std::make_shared<Scene>(load_scene("generate:terrain,triangles=20000")));
    session.set_renderer("path");
    session.resize({1600, 1200});
    std::atomic<Cancellation> cancellation = Cancellation::nothing;
    session.cancellation = &cancellation;
    using Clock = std::chrono::steady_clock;
    Clock::time_point asked;
    std::thread disturber([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        asked = Clock::now();
        cancellation = Cancellation::view;
    });
    session.begin_frame();
    bool sampled = session.render_frame();
    auto ended = Clock::now();
    session.end_frame();
    disturber.join();
    EXPECT_FALSE(sampled);
    // A quiet machine needs a tenth of this limit.
    std::chrono::milliseconds most(test::kSanitized ? 3000 : 300);
    EXPECT_LT(ended - asked, most);
}

class CancelledTree : public testing::TestWithParam<const char*> {};

// Measured in processor time, which a busy machine does not change.
TEST_P(CancelledTree, EndsSoon) {
    TL_LONG_TEST_IF(std::string(GetParam()) != "hploc");
    Session session(find_device("cpu"));
    session.set_scene(std::make_shared<Scene>(load_scene(
        "generate:terrain,triangles=" + std::to_string(test::kSanitized ? 50000 : 500000))));
    session.set_builder(GetParam());
    session.resize({1, 1});
    session.render_frame();
    auto begin = std::clock();
    session.live_scene().invalidate_tree();
    session.render_frame();
    auto whole = std::clock() - begin;

    // Minimum of three: a busy machine evicts caches, and stops the thread that cancels.
    std::atomic<Cancellation> cancellation = Cancellation::nothing;
    session.cancellation = &cancellation;
    auto soonest = std::numeric_limits<std::clock_t>::max();
    for (int time = 0; time < 3; ++time) {
        session.live_scene().invalidate_tree();
        std::atomic<std::clock_t> asked = 0;
        begin = std::clock();
        std::thread disturber([&] {
            while (std::clock() - begin < whole * 2 / 5)
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            asked = std::clock();
            cancellation = Cancellation::everything;
        });
        EXPECT_FALSE(session.render_frame());
        auto ended = std::clock();
        disturber.join();
        soonest = std::min(soonest, ended - asked);
        cancellation = Cancellation::nothing;
    }
    EXPECT_LT(soonest, whole / 4) << "of " << whole;
}

INSTANTIATE_TEST_SUITE_P(Builders, CancelledTree, testing::Values("binned", "hploc", "sah", "lbvh"),
                         [](auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tl::cancelled_tests
