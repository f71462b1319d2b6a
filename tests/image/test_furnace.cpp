// Furnace tests of every picture renderer: lighting for which a formula gives each pixel's value.
#include <gtest/gtest.h>

#include "tests/image/picture.h"
#include "tests/long_test.h"

namespace tl::furnace_tests {
namespace {

using test::render_radiance;

constexpr Extent kExtent{60, 40};

TEST(Renderers, RowsSayWhatTheirFilmsHold) {
    for (auto& row : renderers())
        EXPECT_EQ(row.output == RendererOutput::picture, row.make_cpu()->false_color() == nullptr)
            << row.id;
}

class Furnace : public testing::TestWithParam<std::string> {
  protected:
    /// Expects the same value in every pixel on every device.
    static void expect_even(const std::shared_ptr<Scene>& scene, vec3 expected, float tolerance) {
        scene->settings["render"]["renderer"] = GetParam();
        scene->settings["photon"]["photons"] = "1000";
        scene->settings["radiosity"]["points"] = "100";
        for (Device* device : devices())
            for (vec3 seen : render_radiance(*device, scene, kExtent, 2).rgb)
                for (int c = 0; c < 3; ++c)
                    ASSERT_NEAR(seen[c], expected[c], tolerance) << device->name();
    }
};

TEST_P(Furnace, AMirrorShowsEvenLightTimesItsTint) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1, 0.5f, 0.25f);
    scene->materials = {mirror};
    scene->spheres = {{{0, 0, 0}, 2, 0}};
    scene->background = vec3(1, 2, 4);
    scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 20};
    expect_even(scene, vec3(1), 1e-6f);
}

TEST_P(Furnace, ASphereFromWithinIsEvenlyLitByItsCentre) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material grey;
    grey.diffuse = vec3(0.5f);
    scene->materials = {grey};
    scene->spheres = {{{0, 0, 0}, 2, 0}};
    Light light;
    light.kind = LightKind::point;
    light.radiance = vec3(kPi);
    scene->lights = {light};
    scene->camera = {{0.5f, -0.7f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 120};
    scene->settings["path"]["max-depth"] = scene->settings["photon"]["max-depth"] = "1";
    scene->settings["radiosity"]["bounces"] = "0";
    expect_even(scene, vec3(0.5f / 4), 1e-5f);  // rho I / (pi R^2)
}

TEST_P(Furnace, AWhiteObjectVanishesInEvenLightFromAllAround) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material white;
    white.diffuse = vec3(1);
    scene->materials = {white};
    scene->spheres = {{{0, 0, 0}, 1, 0}};
    scene->environment = {.extent = {64, 32}, .texels = std::vector(64 * 32, vec3(1))};
    scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 35};
    scene->settings["render"]["renderer"] = GetParam();
    scene->settings["photon"]["photons"] = scene->settings["radiosity"]["points"] = "100";
    for (Device* device : devices()) {
        auto image = render_radiance(*device, scene, kExtent, 1024);
        double sum = 0;
        for (vec3 seen : image.rgb) {
            sum += double(seen.x);
            ASSERT_NEAR(seen.x, 1, 0.1f) << device->name();
        }
        EXPECT_NEAR(sum / double(image.rgb.size()), 1, 0.002) << device->name();
    }
}

INSTANTIATE_TEST_SUITE_P(Renderers, Furnace, testing::ValuesIn(test::picture_renderers()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace tl::furnace_tests
