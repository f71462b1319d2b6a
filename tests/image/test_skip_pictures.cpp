// Every renderer makes the same picture with the layout skip as with bvh2, on every device.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/source_path.h"

namespace tl::skip_pictures_tests {
namespace {

constexpr Extent kExtent{32, 24};

ImageF picture(Device& device, const std::string& renderer, const std::string& path,
               const char* layout) {
    auto scene = std::make_shared<Scene>(load_scene(source_path(path)));
    scene->settings["render"]["renderer"] = renderer;
    scene->settings["tree"]["layout"] = layout;
    scene->settings["photon"]["photons"] = "1000";
    scene->settings["radiosity"]["points"] = "100";
    return test::render_radiance(device, scene, kExtent, 1);
}

}  // namespace

class SkipPictures : public ::testing::TestWithParam<std::string> {};

TEST_P(SkipPictures, AreThoseOfTwoBoxNodes) {
    for (Device* device : devices())
        for (const char* path : {"scenes/cornell-box.toml", "scenes/teapot.toml"}) {
            auto bvh2 = picture(*device, GetParam(), path, "bvh2");
            auto skip = picture(*device, GetParam(), path, "skip");
            vec3 mean = test::mean_of(bvh2);
            double light = double(mean.x + mean.y + mean.z) / 3;
            EXPECT_GT(light, 0) << path;
            // Rays through edges may hit either side, and photons then go elsewhere.
            EXPECT_LT(test::mean_difference(bvh2, skip), 0.02 * light) << path;
        }
}

INSTANTIATE_TEST_SUITE_P(Renderers, SkipPictures, ::testing::ValuesIn(test::picture_renderers()),
                         [](auto& info) { return test::test_name(info.param); });

}  // namespace tl::skip_pictures_tests
