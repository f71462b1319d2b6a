// The photon mapper against closed formulas and against the path tracer.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/photon_pictures.h"
#include "tests/image/room_scenes.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::photon_tests {
namespace {

using test::add_parallelogram;
using test::camera_over;
using test::diffuse;
using test::expect_near;
using test::flux_through_sphere;
using test::kPiD;
using test::kWider;
using test::lamp_over;
using test::mean_of;
using test::point_light;
using test::render;
using test::with_photons;

TEST(PhotonMapper, ASphereFromWithinDoublesTheLightOfItsCentre) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light(vec3(0), float(kPi))};
        scene->camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
        auto image = render(*device, with_photons(scene, "20000"), "photon", {48, 48}, 32);
        expect_near(mean_of(image), vec3(1), 0.005, device->name());
    }
}

TEST(PhotonMapper, AGlowingSphereFromWithinAddsUpAllItsReflections) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = with_photons(test::sphere_from_within(0.5f), "20000");
        expect_near(mean_of(render(*device, scene, "photon", {48, 48}, 32)), vec3(1), 0.005,
                    device->name());
    }
}

TEST(PhotonMapper, LightReflectedWithinASphereIsTheSameEverywhere) {
    TL_LONG_TEST();
    // rho^2 Phi / (4 pi^2 R^2 (1 - rho)), Phi = 4 pi I, wherever the source is.
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light({0.45f, 0.3f, -0.2f}, float(kPi))};
        scene->camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        auto with = render(*device, with_photons(scene, "100000"), "photon", {48, 48}, 96);
        auto without = render(*device, with_photons(scene, "1", "1"), "photon", {48, 48}, 96);
        double sum = 0, squares = 0;
        for (int block = 0; block < 16; ++block) {
            double mean = 0;
            for (int i = 0; i < 144; ++i) {
                auto at = std::size_t((block / 4 * 12 + i / 12) * 48 + block % 4 * 12 + i % 12);
                mean += (double(with.rgb[at].x) - double(without.rgb[at].x)) / 144;
            }
            sum += mean / 16;
            squares += mean * mean / 16;
        }
        EXPECT_NEAR(sum, 0.5, 0.5 * 0.003 * kWider) << device->name();
        EXPECT_LT(std::sqrt(std::max(0.0, squares - sum * sum)) / sum, 0.005 * kWider)
            << device->name();
    }
}

TEST(PhotonMapper, ALitCubeHasTheIlluminanceThatIsKnown) {
    TL_LONG_TEST();
    // A fixed radius that ends at the walls, for little noise.
    struct Known {
        double x, z, lux, tolerance;
        const char* radius;
    };
    constexpr int kSide = 70;  // the middles of pixels are at 0.5 and 0.9, edges of pixels at 0
    std::map<std::string, ImageF> pictures;
    for (Device* device : devices())
        for (auto [x, z, lux, tolerance, radius] :
             {Known{0, 0, 4207.4, 0.005, "0.3"}, Known{0.5, 0, 3622.6, 0.005, "0.3"},
              Known{0.5, 0.5, 3236.2, 0.005, "0.3"}, Known{0.9, 0, 2919.2, 0.005, "0.095"},
              Known{0.9, 0.9, 2256.8, 0.01, "0.095"}}) {
            auto& picture = pictures[device->name() + radius];
            if (picture.rgb.empty()) {
                auto cube = test::keldysh_floor();
                cube->settings["photon"]["radius"] = radius;
                cube->settings["photon"]["alpha"] = "1";
                picture = render(*device, with_photons(cube, "100000"), "photon", {kSide, kSide},
                                 std::string(radius) == "0.3" ? 12 : 48);
            }
            EXPECT_NEAR(test::lux_on_floor(picture, x, z) / lux, 1, tolerance * kWider)
                << x << ", " << z << " on " << device->name();
        }
}

TEST(PhotonMapper, FacesOfAClosedBoxAbsorbWhatItsLightEmits) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        glm::dvec3 absorbed(0);
        for (int face = 0; face < 6; ++face) {
            auto scene = test::colored_cube(face);
            glm::dvec3 seen =
                mean_of(render(*device, with_photons(scene, "100000"), "photon", {48, 48}, 6));
            glm::dvec3 albedo = scene->materials[std::size_t(face)].diffuse;
            absorbed += 4.0 * (1.0 - albedo) * seen * kPiD / albedo;
        }
        // Estimates at edges, to which only one side contributes, are a little too dark.
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(absorbed[c] / (4 * kPiD * (c + 1)), 1, 0.01 * kWider) << device->name();
    }
}

TEST(PhotonMapper, SurfacesOfAllKindsLookLikeInThePathTracer) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        auto photons = render(*device, with_photons(scene, "50000", "10"), "photon", {64, 48}, 192);
        auto paths = render(*device, *scene, "path", {64, 48}, 1536);
        expect_near(mean_of(photons), mean_of(paths), 0.01, device->name());
        if (test::kSanitized) continue;
        // Compares tiles of 8 x 8 pixels, in which the noise of both is small.
        for (int tile = 0; tile < 48; ++tile) {
            double a = 0, b = 0;
            for (int i = 0; i < 64; ++i) {
                auto at = std::size_t((tile / 8 * 8 + i / 8) * 64 + tile % 8 * 8 + i % 8);
                a += double(photons.rgb[at].y);
                b += double(paths.rgb[at].y);
            }
            EXPECT_NEAR(a / b, 1, 0.05) << "tile " << tile << " on " << device->name();
        }
    }
}

TEST(PhotonMapper, AGlassSphereFocusesTheFluxThatFresnelLetsThrough) {
    TL_LONG_TEST();
    // Both surfaces together transmit 0.8355 of the flux.
    EXPECT_NEAR(flux_through_sphere(1.5, 1.0, 1e9) / kPiD, 0.8355, 0.005);
    auto scene = std::make_shared<Scene>();
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(0);  // no reflections
    scene->materials = {diffuse(0.5f), glass};
    Mesh floor;
    floor.positions = {{-4, 0, -4}, {-4, 0, 4}, {4, 0, 4}, {4, 0, -4}};
    floor.triangles = {{0, 1, 2}, {0, 2, 3}};
    floor.material_of_triangle = {0, 0};
    scene->meshes = {floor};
    scene->spheres = {{{0, 1.4f, 0}, 1, 1}};
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = {0, -1, 0};
    scene->lights = {sun};
    // View straight down between sphere and floor, 1.2 m of the floor across. On the axis the
    // irradiance is infinite, so that few camera samples estimate its flux badly; it is left out.
    constexpr int kSide = 192;
    constexpr double kInner = 0.15, kOuter = 0.6;
    scene->camera = {{0, 0.3f, 0}, {0, 0, 0}, {0, 0, 1}, 2 * 63.43494882f};
    for (const char* radius : {"0.02", "0.1"}) {
        scene->settings["photon"]["radius"] = radius;
        for (Device* device : devices()) {
            auto image = render(*device, with_photons(scene, "50000"), "photon", {kSide, kSide}, 4);
            double flux = 0, pixel = 1.2 / kSide;
            for (int y = 0; y < kSide; ++y)
                for (int x = 0; x < kSide; ++x) {
                    double from_axis = std::hypot((x + 0.5) * pixel - 0.6, (y + 0.5) * pixel - 0.6);
                    if (from_axis >= kInner && from_axis < kOuter)
                        flux += double(image.rgb[std::size_t(y * kSide + x)].x) * kPiD / 0.5 *
                                pixel * pixel;
                }
            double known =
                flux_through_sphere(1.5, 1.4, kOuter) - flux_through_sphere(1.5, 1.4, kInner);
            EXPECT_NEAR(flux / known, 1, 0.01 * kWider) << radius << " on " << device->name();
        }
    }
}

TEST(PhotonMapper, EachSampleSeesWhatGlassReflectsAndWhatIsBehindIt) {
    // Two surfaces of a pane transmit (1 - R)^2 of the light behind it, R = 0.04. With all
    // reflections inside it is (1 - R) / (1 + R).
    auto scene = std::make_shared<Scene>();
    Material glass, glow;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    glow.diffuse = vec3(0);
    glow.emission = vec3(1);
    scene->materials = {glass, glow};
    scene->meshes.emplace_back();
    add_box(scene->meshes[0], {-1, 0.5f, -1}, {1, 0.7f, 1}, 0);
    add_parallelogram(scene->meshes[0], {-2, 0, -2}, {0, 0, 4}, {4, 0, 0}, 1);
    scene->camera = camera_over({0, 2, 0}, 0.2f);
    for (Device* device : devices())
        for (const char* mode : {"progressive", "sppm"}) {
            scene->settings["photon"]["mode"] = mode;
            auto picture = render(*device, with_photons(scene, "1000"), "photon", {16, 16}, 1);
            for (vec3 pixel : picture.rgb) {
                EXPECT_GT(double(pixel.x), 0.96 * 0.96 - 0.001) << mode;
                EXPECT_LT(double(pixel.x), 1) << mode;
            }
            expect_near(mean_of(picture), vec3(12.0f / 13), 0.01, mode);
        }
}

TEST(PhotonMapper, GuidedPhotonsArriveMoreOftenAndBringTheSameLight) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/caustics.toml")));
        auto mean = [&](const char* guide, int spp) {
            scene->settings["photon"]["guide"] = guide;
            return mean_of(
                render(*device, with_photons(scene, "20000", "12"), "photon", {48, 36}, spp));
        };
        expect_near(mean("true", 64), mean("false", 256), 0.01, device->name());
        auto n_stored = [&](const char* guide) {
            scene->settings["render"]["renderer"] = "photon";
            scene->settings["photon"]["guide"] = guide;
            scene->settings["photon"]["photons"] = "100000";
            Session session(*device);
            session.set_scene(scene);
            session.resize({32, 24});
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            return session.inspection().frame_counts().at(1).value;
        };
        if (test::kSanitized) continue;
        EXPECT_GT(n_stored("true"), 10 * n_stored("false"));
    }
}

}  // namespace
}  // namespace tl::photon_tests
