// Light transport through glass: absorption, nested dielectrics and shadows of glass, compared with
// closed formulas on every device.
#include <gtest/gtest.h>

#include "renderer/optics/fresnel.h"
#include "tests/image/picture.h"

namespace tl::dielectrics_tests {
namespace {

using test::mean_of;
using test::render_radiance;

/// Glass without reflection, so that all light that arrives was transmitted directly.
Material clear_glass(float ior) {
    Material m;
    m.kind = MaterialKind::dielectric;
    m.ior = ior;
    m.specular = vec3(0);
    return m;
}

/// A white environment seen along -z.
std::shared_ptr<Scene> along_z() {
    auto scene = std::make_shared<Scene>();
    scene->background = vec3(1);
    scene->camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 1};
    scene->camera.vertical_fov = 1;
    scene->settings["whitted"] = {{"max-depth", "32"}, {"cutoff", "0"}};
    return scene;
}

float passes(float from, float to) {
    return 1 - fresnel_dielectric(1.0f, 1.0f, from / to);
}

void expect_mean(std::shared_ptr<const Scene> scene, vec3 expected, float relative) {
    for (Device* device : devices()) {
        vec3 mean = mean_of(render_radiance(*device, scene, {16, 16}, 1));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(mean[c], expected[c], relative * expected[c]) << device->name();
    }
}

}  // namespace

TEST(Dielectrics, AbsorbByBeerAndLambert) {
    auto scene = along_z();
    Material m = clear_glass(1);
    m.absorption = vec3(0.5f, 1, 0.1f);
    scene->materials = {m};
    scene->spheres = {{vec3(0), 1, 0}};
    // The widest ray passes 0.04 beside the centre.
    expect_mean(scene, glm::exp(-2.0f * m.absorption), 2e-3f);
}

TEST(Dielectrics, OfHigherPriorityFillsWhatTheyShare) {
    for (bool inner_wins : {true, false}) {
        auto scene = along_z();
        Material liquid = clear_glass(1.33f), glass = clear_glass(1.5f);
        glass.absorption = vec3(1);
        (inner_wins ? glass : liquid).priority = 1;
        scene->materials = {liquid, glass};
        // Along the axis the glass reaches from 1.4 to 0.4, and the liquid from 1 on.
        scene->spheres = {{vec3(0), 1, 0}, {vec3(0, 0, 0.9f), 0.5f, 1}};
        float in_glass = inner_wins ? 1.0f : 0.4f;
        float expected =
            std::exp(-in_glass) * passes(1, 1.5f) * passes(1.5f, 1.33f) * passes(1.33f, 1);
        expect_mean(scene, vec3(expected), 4e-3f);
    }
}

TEST(Dielectrics, OfTheSameStuffWithinEachOtherHaveNoSurfaceBetween) {
    auto scene = along_z();
    scene->materials = {clear_glass(1.5f)};
    scene->spheres = {{vec3(0), 1, 0}, {vec3(0), 0.5f, 0}};
    expect_mean(scene, vec3(passes(1, 1.5f) * passes(1.5f, 1)), 1e-3f);
}

TEST(Dielectrics, TintTheirShadows) {
    auto scene = std::make_shared<Scene>();
    Material floor, pane = clear_glass(1.5f);
    pane.transmission = vec3(0.5f, 0.25f, 1);
    pane.absorption = vec3(0, 0, 2);
    scene->materials = {floor, pane};
    auto square = [&](float y, bool up, std::int32_t material) {
        Mesh mesh;
        mesh.positions = {{-10, y, -10}, {-10, y, 10}, {10, y, 10}, {10, y, -10}};
        mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
        if (!up)
            for (auto& t : mesh.triangles) std::swap(t.y, t.z);
        mesh.material_of_triangle = {material, material};
        scene->meshes.push_back(mesh);
    };
    square(0, true, 0);
    square(1.5f, true, 1);
    square(1, false, 1);
    scene->camera = {{0, 0.9f, 0}, {0, 0, 0}, {0, 0, -1}, 0.5f};
    Light light;
    light.position = vec3(0, 2, 0);
    light.radiance = vec3(4);
    scene->lights = {light};
    vec3 once = pane.transmission * passes(1, 1.5f);
    vec3 lit = floor.diffuse / kPi * light.radiance / 4.0f;
    expect_mean(scene, lit * once * once * glm::exp(-0.5f * pane.absorption), 2e-3f);
    scene->settings["whitted"]["glass-shadows"] = "false";
    expect_mean(scene, vec3(0), 1e-6f);
}

TEST(Dielectrics, SchlicksReflectanceIsCloseToFresnels) {
    for (float eta : {1 / 1.5f, 1.5f, 1 / 1.33f}) {
        float largest = 0;
        for (float angle = 0; angle < kPi / 2; angle += 0.01f) {
            float cos_i = std::cos(angle);
            float sin2_t = eta * eta * (1 - cos_i * cos_i);
            if (sin2_t >= 1) continue;
            float cos_t = std::sqrt(1 - sin2_t);
            largest = std::max(largest, std::abs(fresnel_schlick(cos_i, cos_t, eta) -
                                                 fresnel_dielectric(cos_i, cos_t, eta)));
        }
        EXPECT_LT(largest, 0.07f) << eta;
        EXPECT_FLOAT_EQ(fresnel_schlick(1, 1, eta), fresnel_dielectric(1.0f, 1.0f, eta));
    }
}

}  // namespace tl::dielectrics_tests
