// Light transport between points in the viewer: points by themselves, links of groups, convergence.
#include "app/viewer/actions/transport_view.h"

#include <filesystem>
#include <set>

#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/files.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/ply/ply_loader.h"
#include "tests/long_test.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::transport_view_tests {
namespace {

using test::TempFolder;

std::shared_ptr<Scene> box_of_points(const char* mode = "fmm") {
    auto scene = std::make_shared<Scene>();
    generate(*scene, "cornell-box", {{"blocks", "true"}});
    scene->settings["render"]["renderer"] = "radiosity";
    scene->settings["radiosity"]["points"] = "500";
    scene->settings["radiosity"]["mode"] = mode;
    return scene;
}

std::unique_ptr<Session> session_of(Device& device, std::shared_ptr<Scene> scene) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::move(scene));
    session->resize({48, 48});
    session->render_frame();
    return session;
}

std::size_t count_colors(const ImageF& image) {
    std::set<std::array<float, 3>> colors;
    for (vec3 c : image.rgb) colors.insert({c.x, c.y, c.z});
    return colors.size();
}

TEST(SeparatePoints, EachIsOneColour) {
    for (Device* device : devices()) {
        auto session = session_of(*device, box_of_points());
        auto n_points = session->inspection().transport()->transport_report().n_points;
        auto picture = [&](const char* view, const char* light) {
            session->settings().set("radiosity", "view", view);
            session->settings().set("radiosity", "point-light", light);
            session->render_frame();
            return session->film().radiance(session->stream());
        };
        SCOPED_TRACE(device->name());
        EXPECT_GT(count_colors(picture("picture", "radiosity")), 1000u);
        auto cells = picture("cells", "radiosity"), discs = picture("discs", "radiosity");
        EXPECT_LE(count_colors(cells), n_points + 1);
        EXPECT_GT(count_colors(cells), 100u);
        // Discs have the colours of cells, or none.
        std::size_t n_black = 0, n_same = 0;
        for (std::size_t i = 0; i < cells.rgb.size(); ++i) {
            ASSERT_TRUE(discs.rgb[i] == cells.rgb[i] || discs.rgb[i] == vec3(0));
            n_same += discs.rgb[i] == cells.rgb[i] && cells.rgb[i] != vec3(0);
            n_black += discs.rgb[i] == vec3(0) && cells.rgb[i] != vec3(0);
        }
        EXPECT_GT(n_black, cells.rgb.size() / 50);
        EXPECT_GT(n_same, cells.rgb.size() / 4);
        // Irradiance lacks the walls' reflectance, so it is at least the radiosity.
        auto arriving = picture("cells", "irradiance");
        for (std::size_t i = 0; i < cells.rgb.size(); ++i)
            for (int c = 0; c < 3; ++c) ASSERT_LE(cells.rgb[i][c], arriving.rgb[i][c]);
    }
}

TEST(SeparatePoints, ASphereFromWithinIsEven) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material grey;
    grey.diffuse = vec3(0.5f, 0.25f, 0.75f);
    scene->materials = {grey};
    scene->spheres = {{{0, 0, 0}, 1, 0}};
    scene->lights = {{.kind = LightKind::point, .radiance = vec3(kPi)}};
    scene->camera = {{0.5f, -0.3f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
    scene->settings["render"]["renderer"] = "radiosity";
    scene->settings["radiosity"] = {
        {"points", "1500"}, {"bounces", "40"}, {"view", "cells"}, {"point-light", "irradiance"}};
    for (Device* device : devices()) {
        auto session = session_of(*device, scene);
        for (vec3 seen : session->film().radiance(session->stream()).rgb)
            for (int c = 0; c < 3; ++c)
                // Direct light is 1, and all bounces are added; the transport of a point to itself
                // is missing.
                ASSERT_NEAR(seen[c] * (1 - grey.diffuse[c]), 1, 0.02f) << device->name();
    }
}

TEST(TransportReport, BouncesAddUpToThoseOfAFurnace) {
    auto session = session_of(*devices()[0], box_of_points());
    auto report = session->inspection().transport()->transport_report();
    ASSERT_GE(report.bounces.size(), 3u);
    EXPECT_LE(report.bounces.size(), report.most_bounces);
    EXPECT_GT(report.direct, 0);
    double before = report.direct;
    for (double bounce : report.bounces) {
        EXPECT_GT(bounce, 0);
        EXPECT_LT(bounce, 0.8 * before);  // white walls reflect 0.7 of it, and some leaves the box
        before = bounce;
    }
    EXPECT_GT(report.n_rays, 0u);
    EXPECT_LT(report.n_terms, report.n_pairs());
    EXPECT_EQ(report.n_links_made, 1u);
    EXPECT_FALSE(report.error);
    auto version = session->inspection().transport()->transport_version();
    session->settings().set("radiosity", "check-points", "50");
    session->render_frame();
    EXPECT_NE(session->inspection().transport()->transport_version(), version);
    report = session->inspection().transport()->transport_report();
    ASSERT_TRUE(report.error);
    // The requested 0.01, and the error due to only 50 checked points.
    EXPECT_LT(*report.error, 0.02);
    EXPECT_EQ(report.n_links_made, 1u);
    session->set_renderer("path");
    session->render_frame();
    EXPECT_EQ(session->inspection().transport(), nullptr);
}

TEST(GroupLinks, BelongToThePointThatIsNearest) {
    for (Device* device : devices()) {
        auto session = session_of(*device, box_of_points());
        vec3 floor(0.278f, 0, 0.1f), up(0, 1, 0);
        auto links = [&](int above, bool with_above) {
            return session->inspection().transport()->links_at(session->scratch(), floor, up, above,
                                                               with_above);
        };
        auto found = links(0, true);
        ASSERT_TRUE(found) << device->name();
        // The group has points of the floor, at most about two point distances away.
        EXPECT_LT(found->group.lo.y, 1e-3f);
        EXPECT_LT(glm::length(glm::clamp(floor, found->group.lo, found->group.hi) - floor), 0.12f);
        auto tallies = tally(*found);
        std::size_t n = 0;
        for (auto& of : tallies.of_kind) n += of.n_links;
        EXPECT_EQ(n, found->links.size());
        n = 0;
        for (auto& of : tallies.of_level) n += of.n_links;
        EXPECT_EQ(n, found->links.size());
        EXPECT_EQ(tallies.n_above, found->links.size() - links(0, false)->links.size());
        // A line and a box for each, and the group's own box.
        EXPECT_EQ(lines_of(*found, 1u << 20).size(), 26 * found->links.size() + 24);
        EXPECT_EQ(lines_of(*found, 5).size(), 26u * 5 + 24);
        // Links of several levels and of either kind of visibility look different.
        std::set<std::uint32_t> colors;
        for (auto& end : lines_of(*found, 1u << 20)) colors.insert(end.rgba8);
        EXPECT_GT(colors.size(), 4u);
    }
    auto direct = session_of(*devices()[0], box_of_points("direct"));
    EXPECT_FALSE(direct->inspection().transport()->links_at(direct->scratch(), vec3(0.3f, 0, 0.1f),
                                                            vec3(0, 1, 0), 0, true));
}

class ExchangeViews : public OffscreenViewer {
  protected:
    void SetUp() override {
        OffscreenViewer::SetUp();
        if (!session_) return;
        session_->set_scene(box_of_points());
    }
    ViewerModel& begin() {
        auto& model = start({.stop_at = 1}).model();
        context_->push(CursorEvent{middle()});
        step_until([&] { return view().report_of_light.has_value(); });
        return model;
    }
    TransportView& view() { return viewer_->model().state<TransportView>(); }
    /// Below the middle of the picture: on a block or the floor.
    static vec2 middle() { return {32, 36}; }
    std::string setting(const char* id) {
        auto settings = session_->settings().renderer();
        return find_setting(settings, id, "radiosity").text();
    }
};

TEST_F(ExchangeViews, LinksFollowTheCursorAndArePinned) {
    auto& model = begin();
    auto without = window();
    press(Key::j);
    step_until([&] { return view().found.has_value(); });
    EXPECT_FALSE(view().lines.ends.empty());
    EXPECT_NE(window().rgba, without.rgba);
    auto node = view().found->group.node;
    // No search runs while nothing changes.
    auto n = view().searches();
    steps(8);
    EXPECT_EQ(view().searches(), n);
    press(Key::u);
    step_until([&] { return view().found && view().found->level + 1 == view().found->leaf_level; });
    EXPECT_NE(view().found->group.node, node);
    press(Key::u, {.shift = true});
    step_until([&] { return view().found && view().found->group.node == node; });
    context_->push(CursorEvent{vec2(20, kTop + 20)});
    step_until([&] { return view().found && view().found->group.node != node; });
    // A pinned group stays, wherever cursor and camera go.
    n = view().searches();
    press(Key::j, {.shift = true});
    step_until([&] { return view().searches() > n; });
    ASSERT_TRUE(model.view.pixel.pinned);
    node = view().found->group.node;
    context_->push(CursorEvent{middle()});
    steps(2);
    model.view.camera.orbit(vec2(0.3f, 0.1f));
    step_until([&] { return session_->samples() == 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    steps(4);
    EXPECT_EQ(view().found->group.node, node);
    press(Key::escape);
    step_until([&] { return view().found && view().found->group.node != node; });
    press(Key::j);
    steps(2);
    EXPECT_FALSE(view().found);
    EXPECT_TRUE(view().lines.ends.empty());
}

TEST_F(ExchangeViews, AClickPinsWhileLinksAreShown) {
    // The section is drawn where there is room for it.
    context_.reset();
    context_ = std::make_unique<EglContext>(window_for({200, 400}, 1, true));
    auto& model = begin();
    press(Key::j);
    step_until([&] { return model.view.pixel.wanted; });
    context_->push(CursorEvent{vec2(100, kTop + 250)});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    context_->push(ButtonEvent{MouseButton::left, false, {}});
    steps(4);
    EXPECT_TRUE(model.view.pixel.pinned);
    EXPECT_TRUE(model.document.selection.empty());
}

TEST_F(ExchangeViews, KeysChooseWhatIsShownOfPoints) {
    auto& model = begin();
    auto picture = [&] {
        step_until([&] { return session_->samples() == 1; });
        return radiance_of(session_->stream(), session_->film().view()).rgb;
    };
    auto first = picture();
    press(Key::o);
    steps(2);
    EXPECT_EQ(setting("view"), "cells");
    EXPECT_NE(picture(), first);
    press(Key::o, {.shift = true});
    steps(2);
    EXPECT_EQ(setting("point-light"), "irradiance");
    press(Key::o);
    press(Key::o);
    steps(2);
    EXPECT_EQ(setting("view"), "picture");
    EXPECT_EQ(picture(), first);
    choose_renderer(model, "path");
    press(Key::o);
    steps(2);
    EXPECT_NE(model.status.messages.current().find("choose radiosity"), std::string::npos);
    EXPECT_FALSE(view().report_of_light);
}

TEST_F(ExchangeViews, AKeyAndClicksChooseThePointThatOthersAreSeenFrom) {
    auto& model = begin();
    press(Key::j, {.control = true});
    step_until([&] { return view().report_of_light && view().report_of_light->seen; });
    EXPECT_EQ(setting("view"), "cells");
    EXPECT_EQ(setting("point-light"), "seen");
    auto n_points = view().report_of_light->n_points;
    auto seen = *view().report_of_light->seen;
    EXPECT_GT(seen.whole, 0u);
    EXPECT_LT(seen.whole + seen.in_part, n_points);
    auto n_made = view().report_of_light->n_links_made;
    // A pin chooses another point. Neither changes light or links.
    auto place = setting("seen-from-x") + setting("seen-from-y");
    model.view.pixel.pinned = vec2(20, kTop + 20);
    step_until([&] { return setting("seen-from-x") + setting("seen-from-y") != place; });
    step_until([&] { return session_->samples() == 1 && view().report_of_light->seen; });
    EXPECT_EQ(view().report_of_light->n_links_made, n_made);
    // The two are one step each.
    press(Key::z, {.control = true});
    step_until([&] { return setting("seen-from-x") + setting("seen-from-y") == place; });
    // A test of every point finds those that links see whole, and no others than they see in part.
    change_setting(model, "radiosity", "mode", "direct");
    step_until([&] {
        auto& report = view().report_of_light;
        return report && report->seen && report->levels.empty();
    });
    auto tested = *view().report_of_light->seen;
    EXPECT_EQ(tested.in_part, 0u);
    EXPECT_GE(tested.whole, seen.whole);
    EXPECT_LE(tested.whole, seen.whole + seen.in_part);
    press(Key::o);
    press(Key::o);
    steps(2);
    EXPECT_EQ(setting("view"), "picture");
}

TEST_F(ExchangeViews, LinksOfEveryChosenOctreeAreListed) {
    auto& model = begin();
    ASSERT_EQ(view().made.size(), 1u);
    EXPECT_EQ(view().made[0].octree.builder, "modern");
    auto n_links = view().made[0].n_links;
    change_setting(model, "radiosity", "octree-levels", "2");
    step_until([&] { return view().made.size() == 2; });
    EXPECT_LE(view().made[1].octree.n_levels, 3);
    EXPECT_LT(view().made[1].n_links, n_links);
    // A choice that is made again replaces its row.
    change_setting(model, "radiosity", "octree-levels", "");
    step_until([&] { return view().made.back().octree.most_levels == 21; });
    ASSERT_EQ(view().made.size(), 2u);
    EXPECT_EQ(view().made[1].n_links, n_links);
    session_->set_scene(box_of_points());
    step_until([&] { return view().made.size() == 1; });
}

TEST_F(ExchangeViews, IlluminationIsSavedByTheFileBrowser) {
    TempFolder folder;
    auto& model = begin();
    press(Key::i, {.control = true});
    steps(2);
    ASSERT_TRUE(model.view.browser.open);
    auto path = folder.path("light.ply");
    model.view.browser.typed = path;
    choose_typed(model);
    step_until([&] { return std::filesystem::exists(path); });
    Scene scene;
    auto cloud = read_ply_points(scene, read_file(path), path);
    EXPECT_EQ(cloud.positions.size(), view().report_of_light->n_points);
    EXPECT_NE(model.status.messages.current().find("saved as"), std::string::npos);
}

TEST_F(ExchangeViews, LampsAndMaterialsAreEditedWithoutOtherLinks) {
    auto scene = box_of_points();
    auto& model = begin();
    model.document.scene = SceneDocument{};
    model.document.scene.edited = EditedScene(scene);
    session_->set_scene(scene);
    step_until([&] { return session_->samples() == 1 && view().report_of_light; });
    auto direct = view().report_of_light->direct;
    auto n_made = view().report_of_light->n_links_made;
    edit_light(model, 0, "radiance", [](Light& light) { light.radiance *= 2.0f; });
    step_until([&] { return view().report_of_light->direct > 1.9 * direct; });
    edit_light(model, 0, "position", [](Light& light) { light.position.x += 0.05f; });
    edit_material(model, 0, "colour", [](Material& m) { m.diffuse = vec3(0.2f); });
    edit_material(model, 2, "emission", [](Material& m) { m.emission = vec3(3); });
    step_until([&] { return view().report_of_light->direct > 2.5 * direct; });
    EXPECT_EQ(view().report_of_light->n_links_made, n_made);
}

TEST_F(ExchangeViews, AFlagPinsAPixelFromTheStart) {
    ViewerOptions options;
    options.links_at = {20, 40};
    auto& model = start(options).model();
    step_until([&] { return view().found.has_value(); });
    EXPECT_TRUE(model.view.pixel.pinned);
    EXPECT_TRUE(view().links_shown);
}

}  // namespace
}  // namespace tl::transport_view_tests
