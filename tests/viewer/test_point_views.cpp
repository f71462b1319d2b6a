// The photons of the newest pass over the picture, in the viewer's loop without a window.
#include "app/viewer/actions/point_views.h"

#include <set>

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/views/overlay_points.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::point_views_tests {
namespace {

std::unique_ptr<Session> photons_of(Device& device, const char* photons) {
    auto scene = load_scene(source_path("scenes/cornell-box.toml"));
    scene.settings["render"]["renderer"] = "photon";
    scene.settings["photon"]["photons"] = photons;
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(std::move(scene)));
    session->resize({32, 24});
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    return session;
}

auto place_of(const ScenePoint& point) {
    return std::array{point.position.x, point.position.y, point.position.z};
}

TEST(PhotonPoints, AreThePhotonsThatAreStored) {
    for (Device* device : devices()) {
        auto session = photons_of(*device, "2000");
        auto list = session->inspection().collect_points(1'000'000);
        EXPECT_EQ(list.points.size(), session->inspection().frame_counts().at(1).value)
            << device->name();
        EXPECT_EQ(list.n_total, list.points.size());
        Box room = bounds_of(session->scene());
        double flux = 0;
        std::size_t n_hidden = 0, n_caustic = 0;
        for (auto& point : list.points) {
            for (int c = 0; c < 3; ++c) {
                EXPECT_GE(point.position[c], room.lo[c] - 1e-3f);
                EXPECT_LE(point.position[c], room.hi[c] + 1e-3f);
            }
            ASSERT_LT(point.group, list.groups.size());
            ASSERT_LE(point.hidden, 1u);
            n_hidden += point.hidden;
            n_caustic += point.group + 1 == list.groups.size();
            flux += double(point.value);
        }
        // Some lie behind the box's contents and on faces behind the camera's, others are seen.
        EXPECT_GT(n_hidden, list.points.size() / 50) << device->name();
        EXPECT_LT(n_hidden, list.points.size() * 9 / 10) << device->name();
        EXPECT_GT(n_caustic, 0u);
        EXPECT_LT(n_caustic, list.points.size() / 2);
        EXPECT_GT(flux, 0);
    }
}

TEST(PhotonPoints, FewerAreTheSameOnesInEveryView) {
    for (Device* device : devices()) {
        auto session = photons_of(*device, "20000");
        std::set<std::array<float, 3>> all, few;
        for (auto& point : session->inspection().collect_points(1'000'000).points)
            all.insert(place_of(point));
        auto chosen = session->inspection().collect_points(1000);
        EXPECT_LE(chosen.points.size(), 1000u);
        EXPECT_GT(chosen.points.size(), 600u);
        for (auto& point : chosen.points) few.insert(place_of(point));
        for (auto& place : few) EXPECT_TRUE(all.contains(place));
        session->camera.eye.x += 0.1f;  // keeps the photons
        session->begin_frame();
        session->render_frame();
        session->end_frame();
        for (auto& point : session->inspection().collect_points(1000).points)
            EXPECT_TRUE(few.contains(place_of(point))) << device->name();
    }
}

TEST(PhotonPoints, OtherRenderersHaveNone) {
    auto session = photons_of(*devices().front(), "100");
    EXPECT_GT(session->inspection().points_version(), 0u);
    session->set_renderer("path");
    session->render_frame();
    EXPECT_EQ(session->inspection().points_version(), 0u);
    EXPECT_TRUE(session->inspection().collect_points(100).points.empty());
}

TEST(PointColors, HiddenOnesAreFaintAndComeFirst) {
    PointList list;
    list.groups = {"2 surfaces", "mirrors and glass alone"};
    list.points = {{vec3(1), 1, 0, 0}, {vec3(2), 0.01f, 1, 1}};
    ASSERT_EQ(points_of(list, false, false).size(), 1u);
    auto both = points_of(list, false, true);
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].position, vec3(2));
    EXPECT_LT(both[0].rgba8 >> 24, both[1].rgba8 >> 24);
    EXPECT_NE(both[0].rgba8 << 8, both[1].rgba8 << 8);
    auto by_value = points_of(list, true, true);
    EXPECT_NE(by_value[0].rgba8 << 8, by_value[1].rgba8 << 8);
    EXPECT_TRUE(points_of(PointList{}, true, true).empty());
}

class PointViews : public OffscreenViewer {};

TEST_F(PointViews, PhotonsComeAndGo) {
    ViewerOptions options;
    options.stop_at = 2;
    auto& model = start(options).model();
    model.view.interface_visible = false;  // its figures change
    press(Key::y);
    steps(2);
    EXPECT_TRUE(model.view.points.shown);
    EXPECT_TRUE(model.view.points.found[0].points.empty());
    press(Key::y);
    choose_renderer(model, "photon");
    change_setting(model, "photon", "photons", "4000");
    step_until([&] { return session_->samples() == 2; });
    auto before = window();
    press(Key::y);
    steps(1);
    step_until([&] { return !model.view.points.stale; });
    EXPECT_GT(model.view.points.found[0].points.size(), 100u);
    auto by_group = window();
    EXPECT_NE(by_group.rgba, before.rgba);
    press(Key::y, {.shift = true});
    steps(1);
    EXPECT_TRUE(model.view.points.by_value);
    EXPECT_NE(window().rgba, by_group.rgba);
    set_point_count(model.view.points, 50);
    step_until([&] { return !model.view.points.stale; });
    EXPECT_LE(model.view.points.found[0].points.size(), 50u);
    // No search runs while nothing changes.
    auto count = model.view.points.found_count;
    steps(10);
    EXPECT_EQ(model.view.points.found_count, count);
    press(Key::y);
    steps(1);
    EXPECT_EQ(window().rgba, before.rgba);
}

TEST_F(PointViews, PhotonsFollowThePass) {
    auto& model = start().model();
    choose_renderer(model, "photon");
    change_setting(model, "photon", "photons", "2000");
    press(Key::y);
    step_until([&] {
        return model.view.points.found_count > 0 && !model.view.points.found[0].points.empty();
    });
    auto first = place_of(model.view.points.found[0].points[0]);
    auto count = model.view.points.found_count;
    step_until([&] { return model.view.points.found_count > count; });
    EXPECT_NE(place_of(model.view.points.found[0].points[0]), first);
}

TEST_F(PointViews, TheEndOfSamplingIsForeseen) {
    ViewerOptions options;
    options.stop_at = 60;
    auto& model = start(options).model();
    step_until([&] { return session_->samples() == 30; });
    ASSERT_TRUE(model.status.time_left.seconds());
    EXPECT_GT(*model.status.time_left.seconds(), 0);
    EXPECT_NEAR(double(*model.status.time_left.progress()), 0.5, 0.05);
    step_until([&] { return session_->samples() == 60; });
    EXPECT_EQ(model.status.time_left.seconds(), 0);
}

}  // namespace
}  // namespace tl::point_views_tests
