// A second session that follows a first one, on every device of the machine.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "app/viewer/views/compare_figures.h"
#include "app/viewer/views/comparison.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/source_path.h"

namespace tl::comparison_tests {
namespace {

void frame_of(Session& session) {
    session.begin_frame();
    session.render_frame();
    session.end_frame();
}

std::unique_ptr<Session> terrain_session(Device& device) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(load_scene("generate:terrain,triangles=2000")));
    session->resize({40, 30});
    return session;
}

void frame_of_both(Session& first, Comparison& comparison) {
    comparison.follow(first);
    frame_of(first);
    frame_of(comparison.session());
}

SideChoices with_leaves_of(const std::string& size) {
    SideChoices choices;
    choices.set("tree", "max-leaf-size", size);
    return choices;
}

std::string leaf_size(Session& session) {
    auto settings = session.settings().tree();
    return find_setting(settings, "max-leaf-size", "tree").text();
}

/// The figures of both films, without a background job.
CompareFigures& figures_of(CompareFigures& figures, Session& first, Comparison& comparison) {
    figures.find_now(first, comparison.session());
    return figures;
}

TEST(Comparison, SameTreesGiveTheSamePicture) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, {});
        for (int i = 0; i < 3; ++i) frame_of_both(*first, comparison);
        CompareFigures figures;
        auto& found = *figures_of(figures, *first, comparison).figures();
        EXPECT_EQ(found.n_differing, 0u) << device->name();
        EXPECT_EQ(found.largest, 0);
        EXPECT_EQ(figures.flip()->mean, 0);
    }
}

TEST(Comparison, DifferencesAreCounted) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, {});
        frame_of_both(*first, comparison);
        comparison.session().camera.eye += vec3(0.1f);
        frame_of(comparison.session());
        auto a = first->film().radiance(first->stream());
        auto b = comparison.session().film().radiance(first->stream());
        std::uint32_t n_differing = 0;
        float largest = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) {
            vec3 d = glm::abs(a.rgb[i] - b.rgb[i]);
            float most = std::max({d.x, d.y, d.z});
            n_differing += most > 0;
            largest = std::max(largest, most);
        }
        EXPECT_GT(n_differing, 0u);
        CompareFigures figures;
        auto& found = *figures_of(figures, *first, comparison).figures();
        EXPECT_EQ(found.n_differing, n_differing) << device->name();
        EXPECT_FLOAT_EQ(found.largest, largest);
    }
}

TEST(Comparison, FiguresFoundBesideFramesAreTheSame) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        SideChoices choices;
        choices.seed = 5;
        Comparison comparison(*first, choices);
        for (int i = 0; i < 2; ++i) frame_of_both(*first, comparison);
        CompareFigures beside, now;
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!beside.flip() && std::chrono::steady_clock::now() < end)
            (void)beside.advance(*first, comparison.session(), true);
        ASSERT_TRUE(beside.flip());
        now.find_now(*first, comparison.session());
        EXPECT_GT(now.figures()->relative_mse, 0);
        EXPECT_EQ(beside.figures()->relative_mse, now.figures()->relative_mse) << device->name();
        EXPECT_EQ(beside.figures()->psnr, now.figures()->psnr);
        EXPECT_EQ(beside.flip()->map.values, now.flip()->map.values);
        EXPECT_FALSE(beside.busy());
        (void)beside.advance(*first, comparison.session(), true);
        EXPECT_FALSE(beside.busy()) << "nothing has changed";
    }
}

TEST(Comparison, PixelsThatAreNotFiniteAreToldInWords) {
    auto first = terrain_session(*devices().front());
    Comparison comparison(*first, {});
    frame_of_both(*first, comparison);
    auto view = comparison.session().film().view();
    view.radiance_sum[7].y = std::numeric_limits<float>::quiet_NaN();
    CompareFigures figures;
    figures.find_now(*first, comparison.session());
    EXPECT_EQ(figures.figures()->fault, "1 pixel of side B is not finite: no figures");
    EXPECT_FALSE(figures.flip());
}

TEST(Comparison, FollowsEverythingThatWasNotChosen) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        first->settings().set("tree", "max-leaf-size", "2");
        Comparison comparison(*first, {});
        auto& second = comparison.session();
        EXPECT_EQ(leaf_size(second), "2");
        comparison.choose(*first, with_leaves_of("7"));
        first->settings().set("whitted", "max-depth", "1");
        first->camera.eye += vec3(1, 0, 0);
        first->time = 0.25f;
        first->resize({20, 10});
        frame_of_both(*first, comparison);
        EXPECT_EQ(second.camera.eye, first->camera.eye);
        EXPECT_EQ(second.time, 0.25f);
        EXPECT_EQ(second.extent(), first->extent());
        EXPECT_EQ(leaf_size(second), "7");
        EXPECT_EQ(leaf_size(*first), "2");
        auto settings = second.settings().renderer();
        EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "1");
        first->set_scene(std::make_shared<Scene>(load_scene("generate:cornell-box")));
        first->set_renderer("heat-map");
        frame_of_both(*first, comparison);
        EXPECT_EQ(&second.scene(), &first->scene());
        EXPECT_EQ(second.renderer_id(), "heat-map");
        EXPECT_EQ(leaf_size(second), "7");
        EXPECT_EQ(second.samples(), first->samples());
    }
}

TEST(Comparison, TakesTheTreeSettingsOfTheFirstRatherThanTheSceneFiles) {
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
    auto initial = find_declared("tree", "max-leaf-size").default_text;
    scene->settings["tree"]["max-leaf-size"] = "7";
    ASSERT_NE(initial, "7");
    Session first(find_device("cpu"));
    first.set_scene(scene);
    first.settings().set("tree", "max-leaf-size", initial);
    SideChoices choices;
    choices.builder = "lbvh";
    Comparison comparison(first, choices);
    EXPECT_EQ(leaf_size(comparison.session()), initial);
    EXPECT_EQ(comparison.session().builder_id(), "lbvh");
}

TEST(Comparison, GoesAlongToAnotherDeviceUnlessItHasItsOwn) {
    for (bool own : {false, true}) {
        auto first = terrain_session(*devices().front());
        auto choices = with_leaves_of("7");
        if (own) choices.device = devices().front()->id();
        Comparison comparison(*first, choices);
        frame_of_both(*first, comparison);
        first->set_device(*devices().back());
        // If the device stayed, samples would be kept.
        first->restart();
        comparison.session().restart();
        frame_of_both(*first, comparison);
        auto& second = comparison.session();
        EXPECT_EQ(second.samples(), first->samples());
        EXPECT_EQ(&second.device(), own ? devices().front() : &first->device());
        EXPECT_EQ(second.shared_stream() == first->shared_stream(),
                  &second.device() == &first->device());
        EXPECT_EQ(leaf_size(second), "7");
        CompareFigures figures;
        auto& found = *figures_of(figures, *first, comparison).figures();
        // Devices round differently: at edges a few rays hit another triangle.
        const auto& a = found.films->a;
        const auto& b = found.films->b;
        std::size_t n_apart = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) {
            vec3 apart = glm::abs(a.rgb[i] - b.rgb[i]);
            n_apart += !(std::max({apart.x, apart.y, apart.z}) <= 1e-3f);
        }
        EXPECT_LE(double(n_apart), 0.01 * double(a.rgb.size()));
    }
}

TEST(Comparison, AChangeClearsTheSecondFilmOnly) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, {});
        for (int i = 0; i < 3; ++i) frame_of_both(*first, comparison);
        comparison.choose(*first, with_leaves_of("1"));
        frame_of_both(*first, comparison);
        EXPECT_EQ(first->samples(), 4u);
        EXPECT_EQ(comparison.session().samples(), 1u);
        first->restart();
        frame_of_both(*first, comparison);
        EXPECT_EQ(first->samples(), 1u);
        EXPECT_EQ(comparison.session().samples(), 2u);
        first->camera.eye += vec3(0.1f, 0, 0);
        frame_of_both(*first, comparison);
        EXPECT_EQ(first->samples(), 1u);
        EXPECT_EQ(comparison.session().samples(), 1u);
    }
}

TEST(Comparison, RefusedChoicesLeaveTheOldOnes) {
    auto first = terrain_session(*devices().front());
    auto choices = with_leaves_of("3");
    Comparison comparison(*first, choices);
    frame_of_both(*first, comparison);
    auto wrong = choices;
    wrong.renderer = "no-such-renderer";
    EXPECT_THROW(comparison.choose(*first, wrong), UserError);
    EXPECT_EQ(comparison.choices(), choices);
    EXPECT_EQ(comparison.session().samples(), 1u);
    frame_of_both(*first, comparison);
    EXPECT_EQ(comparison.session().samples(), 2u);
    EXPECT_THROW(Comparison(*first, wrong), UserError);
}

TEST(Comparison, HeatMapsShareTheScaleOfTheFirst) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        first->set_renderer("heat-map");
        first->settings().set("tree", "max-leaf-size", "8");
        Comparison comparison(*first, with_leaves_of("1"));
        frame_of_both(*first, comparison);
        auto a = first->renderer().false_color()->scale(first->stream());
        auto b = comparison.session().renderer().false_color()->scale(first->stream());
        EXPECT_NE(a.mean, b.mean) << device->name();
        EXPECT_EQ(a.top, b.top);
    }
}

}  // namespace
}  // namespace tl::comparison_tests
