// The photon mapper against closed formulas and against the path tracer.
#include <gtest/gtest.h>

#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/image/room_scenes.h"
#include "tests/sanitized.h"

namespace tl {
namespace {

using test::add_parallelogram;
using test::diffuse;
using test::lamp_over;
using test::mean_of;
using test::point_light;

constexpr double kPiD = 3.14159265358979323846;

/// How much wider tolerances are under sanitizers, which get a pass or few.
constexpr double kWider = test::kSanitized ? 100 : 1;

ImageF render(Device& device, Scene scene, const char* renderer, Extent extent, int spp) {
    scene.settings["render"]["renderer"] = renderer;
    if (test::kSanitized) {
        spp = (spp + 63) / 64;
        scene.settings["photon"]["photons"] = "1000";
    }
    return test::render_radiance(device, std::make_shared<Scene>(std::move(scene)), extent, spp);
}

Scene with_photons(const std::shared_ptr<Scene>& scene, const char* photons,
                   const char* max_depth = "64") {
    scene->settings["photon"]["photons"] = photons;
    scene->settings["photon"]["max-depth"] = max_depth;
    return *scene;
}

void expect_near(vec3 seen, vec3 expected, double tolerance, const std::string& what) {
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(seen[c]) / double(expected[c]), 1, tolerance * kWider)
            << what << ", channel " << c;
}

TEST(PhotonMapper, ASphereFromWithinDoublesTheLightOfItsCentre) {
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
    for (Device* device : devices()) {
        auto scene = with_photons(test::sphere_from_within(0.5f), "20000");
        expect_near(mean_of(render(*device, scene, "photon", {48, 48}, 32)), vec3(1), 0.005,
                    device->name());
    }
}

TEST(PhotonMapper, LightReflectedWithinASphereIsTheSameEverywhere) {
    // rho^2 Phi / (4 pi^2 R^2 (1 - rho)), Phi = 4 pi I, wherever the source is.
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light({0.45f, 0.3f, -0.2f}, float(kPi))};
        scene->camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        auto with = render(*device, with_photons(scene, "40000"), "photon", {48, 48}, 64);
        auto without = render(*device, with_photons(scene, "1", "1"), "photon", {48, 48}, 64);
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
        EXPECT_LT(std::sqrt(std::max(0.0, squares - sum * sum)) / sum, 0.01 * kWider)
            << device->name();
    }
}

TEST(PhotonMapper, ALitCubeHasTheIlluminanceThatIsKnown) {
    struct Known {
        vec2 place;
        double lux;
    };
    for (Device* device : devices())
        for (auto [place, lux] : {Known{{0, 0}, 4207.4}, Known{{0.5f, 0.5f}, 3236.2}}) {
            // A fixed radius, over which the illuminance hardly changes, for little noise.
            auto cube = test::keldysh_cube(place);
            cube->settings["photon"]["radius"] = "0.15";
            cube->settings["photon"]["alpha"] = "1";
            auto scene = with_photons(cube, "100000");
            double seen =
                double(mean_of(render(*device, scene, "photon", {16, 16}, 48)).x) * kPiD * 1.5;
            EXPECT_NEAR(seen / lux, 1, 0.01 * kWider)
                << place.x << ", " << place.y << " on " << device->name();
        }
}

TEST(PhotonMapper, FacesOfAClosedBoxAbsorbWhatItsLightEmits) {
    for (Device* device : devices()) {
        glm::dvec3 absorbed(0);
        for (int face = 0; face < 6; ++face) {
            auto scene = test::colored_cube(face);
            glm::dvec3 seen =
                mean_of(render(*device, with_photons(scene, "100000"), "photon", {48, 48}, 32));
            glm::dvec3 albedo = scene->materials[std::size_t(face)].diffuse;
            absorbed += 4.0 * (1.0 - albedo) * seen * kPiD / albedo;
        }
        // Estimates at edges, to which only one side contributes, are a little too dark.
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(absorbed[c] / (4 * kPiD * (c + 1)), 1, 0.01 * kWider) << device->name();
    }
}

TEST(PhotonMapper, EverySourceLightsLikeInThePathTracer) {
    auto scenes = test::rooms_of_sources();
    for (Device* device : devices())
        for (auto& [name, scene] : scenes) {
            auto photons =
                render(*device, with_photons(scene, "20000", "8"), "photon", {48, 36}, 96);
            auto paths = render(*device, *scene, "path", {48, 36}, 512);
            expect_near(mean_of(photons), mean_of(paths), 0.01, name + " on " + device->name());
        }
}

TEST(PhotonMapper, SurfacesOfAllKindsLookLikeInThePathTracer) {
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        auto photons = render(*device, with_photons(scene, "50000", "10"), "photon", {64, 48}, 192);
        auto paths = render(*device, *scene, "path", {64, 48}, 1536);
        expect_near(mean_of(photons), mean_of(paths), 0.01, device->name());
        if (test::kSanitized) continue;
        // Over tiles of 8 x 8 pixels, in which the noise of both is small.
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

/// The part of a parallel beam's flux that passes a glass sphere of radius 1 by two refractions and
/// meets the plane at `distance` below its centre within `radius` of the axis; and the reach of all
/// of it.
double flux_through_sphere(double n, double distance, double radius) {
    constexpr int kRings = 200'000;
    double flux = 0;
    for (int i = 0; i < kRings; ++i) {
        double h = (i + 0.5) / kRings, a = std::asin(h), b = std::asin(h / n);
        double rs = std::sin(a - b) / std::sin(a + b), rp = std::tan(a - b) / std::tan(a + b);
        double passes = 1 - (rs * rs + rp * rp) / 2;
        // The ray turns by a - b at each surface and leaves at the angle 2 b - a below the axis.
        double turned = 2 * (a - b), exit = 2 * b - a;
        double y = std::cos(exit), x = std::sin(exit);
        if (std::cos(turned) <= 0) continue;
        double at = x - (distance - y) * std::tan(turned);
        if (std::abs(at) < radius) flux += passes * passes * 2 * kPiD * h / kRings;
    }
    return flux;
}

TEST(PhotonMapper, AGlassSphereFocusesTheFluxThatFresnelLetsThrough) {
    // Through both surfaces pass 0.8355 of all the flux.
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
    // Straight down between sphere and floor, 1.2 m of the floor across.
    scene->camera = {{0, 0.3f, 0}, {0, 0, 0}, {0, 0, 1}, 2 * 63.43494882f};
    for (const char* radius : {"0.02", "0.1"}) {
        scene->settings["photon"]["radius"] = radius;
        for (Device* device : devices()) {
            auto image = render(*device, with_photons(scene, "50000"), "photon", {64, 64}, 64);
            double flux = 0, pixel = 1.2 * 1.2 / (64 * 64);
            for (int y = 0; y < 64; ++y)
                for (int x = 0; x < 64; ++x) {
                    double u = (x + 0.5) / 64 * 1.2 - 0.6, v = (y + 0.5) / 64 * 1.2 - 0.6;
                    if (u * u + v * v < 0.36)
                        flux += double(image.rgb[std::size_t(y * 64 + x)].x) * kPiD / 0.5 * pixel;
                }
            EXPECT_NEAR(flux / flux_through_sphere(1.5, 1.4, 0.6), 1, 0.01 * kWider)
                << radius << " on " << device->name();
        }
    }
}

TEST(PhotonMapper, NoLightLeaksThroughAThinWall) {
    // Two rooms with a wall of 1 mm between, one lit; the wall is seen from the dark one.
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(0.8f)};
    Mesh rooms;
    add_box(rooms, {-2, -1, -1}, {-0.001f, 1, 1}, 0);
    add_box(rooms, {0, -1, -1}, {2, 1, 1}, 0);
    scene->meshes = {rooms};
    scene->lights = {point_light({-1, 0.3f, 0.2f}, 1)};
    scene->settings["photon"]["radius"] = "0.2";
    for (Device* device : devices()) {
        auto mean_from = [&](vec3 eye, vec3 target) {
            scene->camera = {eye, target, {0, 1, 0}, 90};
            return mean_of(render(*device, with_photons(scene, "20000"), "photon", {48, 48}, 4)).x;
        };
        float lit = mean_from({-0.4f, 0, 0}, {-2, 0.1f, 0});
        float dark = mean_from({0.7f, 0, 0}, {0, 0, 0});
        EXPECT_GT(lit, 0.1f) << device->name();
        EXPECT_LT(dark, 0.001f * lit) << device->name();
    }
}

TEST(PhotonMapper, AFloorUnderGlassIsAsBrightAsInThePathTracer) {
    auto scene = test::floor_under_glass();
    for (Device* device : devices()) {
        auto photons = render(*device, with_photons(scene, "50000", "12"), "photon", {48, 36}, 96);
        auto paths = render(*device, *scene, "path", {48, 36}, 2048);
        expect_near(mean_of(photons), mean_of(paths), 0.01, device->name());
    }
}

TEST(PhotonMapper, GuidedPhotonsArriveMoreOftenAndBringTheSameLight) {
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>(load_scene(TL_SOURCE_DIR "/scenes/caustics.toml"));
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
            return session.frame_counts().at(1).value;
        };
        if (!test::kSanitized) EXPECT_GT(n_stored("true"), 10 * n_stored("false"));
    }
}

TEST(PhotonMapper, ASeedGivesTheSameBits) {
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        auto image = [&] {
            return render(*device, with_photons(scene, "30000", "8"), "photon", {48, 36}, 2).rgb;
        };
        EXPECT_EQ(image(), image()) << device->name();
    }
}

TEST(PhotonMapper, MovingTheCameraKeepsThePhotons) {
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        scene->settings["render"]["renderer"] = "photon";
        scene->settings["photon"]["photons"] = "5000";
        Session session(*device);
        session.set_scene(scene);
        session.resize({32, 24});
        auto frame = [&] {
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            session.stream().synchronize();
        };
        auto traced = [&] {
            for (int i = 0; i < 8; ++i) frame();  // times are read some frames later
            for (auto& stage : session.timer().latest())
                if (stage.name == "trace photons") return true;
            return false;
        };
        EXPECT_TRUE(traced()) << device->name();
        auto moving = [&] {
            for (int i = 0; i < 8; ++i) {
                session.camera.eye.x += 0.01f;
                frame();
            }
            for (auto& stage : session.timer().latest())
                if (stage.name == "trace photons") return true;
            return false;
        };
        (void)moving();
        EXPECT_FALSE(moving()) << device->name();
        auto counts = session.frame_counts();
        ASSERT_EQ(counts.size(), 2u);
        EXPECT_EQ(counts[0].value, 5000u);
        EXPECT_GT(counts[1].value, 2000u);
    }
}

TEST(PhotonMapper, TheErrorFallsAsItsRadiusShrinks) {
    // With alpha 2/3 the mean squared error of n passes falls as n^(-2/3) (Knaus and Zwicker) where
    // the surface goes on beyond the radius: in the middle of the face that is seen.
    auto middle_of = [](const ImageF& image) {
        ImageF middle;
        middle.extent = {12, 12};
        for (int i = 0; i < 144; ++i)
            middle.rgb.push_back(image.rgb[std::size_t((6 + i / 12) * 24 + 6 + i % 12)]);
        return middle;
    };
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    for (Device* device : devices()) {
        auto scene = test::colored_cube(0);
        auto reference = render(*device, *scene, "path", {24, 24}, 4096);
        scene->settings["sampling"]["pattern"] = "random";
        scene->settings["photon"]["radius"] = "0.4";
        (void)with_photons(scene, "400");
        scene->settings["render"]["renderer"] = "photon";
        double xy = 0, xx = 0;
        std::vector<double> x, y;
        for (int n : {4, 16, 64, 256}) {
            double error = 0;
            for (std::uint64_t seed = 1; seed <= 12; ++seed) {
                Session session(*device);
                session.set_scene(scene);
                session.resize({24, 24});
                session.seed = seed;
                for (int i = 0; i < n; ++i) {
                    session.begin_frame();
                    session.render_frame();
                    session.end_frame();
                }
                auto image = session.film().radiance(session.stream());
                error += mean_squared_error(middle_of(reference), middle_of(image));
            }
            x.push_back(std::log(double(n)));
            y.push_back(std::log(error));
        }
        double mean_x = 0, mean_y = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            mean_x += x[i] / double(x.size());
            mean_y += y[i] / double(x.size());
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            xy += (x[i] - mean_x) * (y[i] - mean_y);
            xx += (x[i] - mean_x) * (x[i] - mean_x);
        }
        EXPECT_NEAR(xy / xx, -2.0 / 3, 0.08) << device->name();
    }
}

}  // namespace
}  // namespace tl
