// Two sessions that render the same picture with two trees, on every device of the machine.
#include <gtest/gtest.h>

#include "app/viewer/views/comparison.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"

namespace tl {
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

TEST(Comparison, SameTreesGiveTheSamePicture) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, first->builder_id());
        for (int i = 0; i < 3; ++i) frame_of_both(*first, comparison);
        comparison.measure_difference(*first);
        EXPECT_EQ(comparison.difference()->n_differing, 0u) << device->name();
        EXPECT_EQ(comparison.difference()->largest, 0);
    }
}

TEST(Comparison, DifferencesAreCounted) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, first->builder_id());
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
        comparison.measure_difference(*first);
        EXPECT_EQ(comparison.difference()->n_differing, n_differing) << device->name();
        EXPECT_FLOAT_EQ(comparison.difference()->largest, largest);
    }
}

TEST(Comparison, FollowsEverythingButTheTree) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        first->set_setting("tree", "max-leaf-size", "2");
        Comparison comparison(*first, first->builder_id());
        auto& second = comparison.session();
        auto leaf_size = [](Session& session) {
            auto settings = session.tree_settings();
            return find_setting(settings, "max-leaf-size", "tree").text();
        };
        EXPECT_EQ(leaf_size(second), "2");
        comparison.session().set_setting("tree", "max-leaf-size", "7");
        first->set_setting("whitted", "max-depth", "1");
        first->camera.eye += vec3(1, 0, 0);
        first->time = 0.25f;
        first->resize({20, 10});
        frame_of_both(*first, comparison);
        EXPECT_EQ(second.camera.eye, first->camera.eye);
        EXPECT_EQ(second.time, 0.25f);
        EXPECT_EQ(second.film().extent(), first->film().extent());
        EXPECT_EQ(leaf_size(second), "7");
        EXPECT_EQ(leaf_size(*first), "2");
        auto settings = second.renderer_settings();
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

TEST(Comparison, GoesAlongToAnotherDevice) {
    auto first = terrain_session(*devices().front());
    Comparison comparison(*first, first->builder_id());
    comparison.session().set_setting("tree", "max-leaf-size", "7");
    frame_of_both(*first, comparison);
    first->set_device(*devices().back());
    frame_of_both(*first, comparison);
    EXPECT_EQ(&comparison.session().device(), &first->device());
    EXPECT_EQ(comparison.session().shared_stream(), first->shared_stream());
    auto settings = comparison.session().tree_settings();
    EXPECT_EQ(find_setting(settings, "max-leaf-size", "tree").text(), "7");
}

TEST(Comparison, StartsBothAnewWhenOneStartsAnew) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        Comparison comparison(*first, first->builder_id());
        for (int i = 0; i < 3; ++i) frame_of_both(*first, comparison);
        comparison.session().set_setting("tree", "max-leaf-size", "1");
        frame_of_both(*first, comparison);
        EXPECT_EQ(first->samples(), 1u);
        EXPECT_EQ(comparison.session().samples(), 1u);
        frame_of_both(*first, comparison);
        first->restart();
        frame_of_both(*first, comparison);
        EXPECT_EQ(comparison.session().samples(), 1u);
    }
}

TEST(Comparison, HeatMapsShareTheScaleOfTheFirst) {
    for (Device* device : devices()) {
        auto first = terrain_session(*device);
        first->set_renderer("heat-map");
        first->set_setting("tree", "max-leaf-size", "8");
        Comparison comparison(*first, first->builder_id());
        comparison.session().set_setting("tree", "max-leaf-size", "1");
        frame_of_both(*first, comparison);
        auto a = first->false_color()->scale(first->stream());
        auto b = comparison.session().false_color()->scale(first->stream());
        EXPECT_NE(a.mean, b.mean) << device->name();
        EXPECT_EQ(a.top, b.top);
    }
}

}  // namespace
}  // namespace tl
