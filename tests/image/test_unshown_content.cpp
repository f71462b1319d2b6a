// Content that a renderer leaves out of its pictures agrees with the table, and a warning names it.
#include <gtest/gtest.h>

#include "tests/image/picture.h"
#include "tests/image/scene_contents.h"

namespace tl::unshown_content_tests {
namespace {

using test::add_content;

constexpr Extent kExtent{16, 16};

/// Two small spheres beside the middle, so that rays differ in cost, and an area light beside the
/// camera.
std::shared_ptr<Scene> almost_empty_scene() {
    auto scene = std::make_shared<Scene>();
    scene->materials = {Material{}};
    scene->spheres = {{{-1.2f, -1.2f, 0}, 0.2f, 0}, {{-0.9f, -1.2f, 0.1f}, 0.2f, 0}};
    Light light;
    light.position = {1, 1, 4};
    light.radiance = vec3(30);
    scene->lights = {light};
    scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40};
    return scene;
}

ImageF picture_of(Device& device, const std::string& renderer, std::shared_ptr<Scene> scene) {
    constexpr int kMostFrames = 100;
    Session session(device);
    session.set_renderer(renderer);
    session.set_scene(std::move(scene));
    session.settings().set("photon", "photons", "1000");
    session.settings().set("radiosity", "points", "50");
    session.settings().set("heat-map", "count", "both");
    session.settings().set("heat-map", "scale", "8");
    session.resize(kExtent);
    for (int i = 0; i < kMostFrames && session.samples() == 0; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream());
}

class ContentOf : public testing::TestWithParam<std::string> {};

TEST_P(ContentOf, IsSeenUnlessTheTableSaysThatItIsLeftOut) {
    for (Device* device : devices()) {
        auto empty = picture_of(*device, GetParam(), almost_empty_scene());
        for (auto content : kSceneContents) {
            auto scene = almost_empty_scene();
            add_content(*scene, content);
            EXPECT_TRUE(holds(*scene, content));
            bool is_seen = picture_of(*device, GetParam(), scene).rgb != empty.rgb;
            EXPECT_EQ(is_seen, !leaves_out(GetParam(), content))
                << words_of(content) << " on " << device->name();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ContentOf, testing::ValuesIn([] {
                             std::vector<std::string> ids;
                             for (auto& row : renderers()) ids.push_back(row.id);
                             return ids;
                         }()),
                         [](auto& info) { return test::test_name(info.param); });

TEST(UnshownContent, WarningsNameItAndTheRenderersThatShowIt) {
    auto scene = almost_empty_scene();
    for (auto& row : renderers()) EXPECT_EQ(unshown_warning(*scene, row.id), "");
    add_content(*scene, SceneContent::gaussians);
    EXPECT_EQ(unshown_warning(*scene, "whitted"),
              "the renderer 'whitted' does not show the scene's Gaussians; the renderers path, "
              "photon and radiosity do");
    add_content(*scene, SceneContent::patches);
    EXPECT_EQ(unshown_content(*scene, "points").what, "patches and Gaussians");
    EXPECT_EQ(unshown_warning(*scene, "path"), "");
}

}  // namespace
}  // namespace tl::unshown_content_tests
