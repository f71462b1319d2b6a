// The path tracer against closed formulas for multiple scattering.
#include <gtest/gtest.h>

#include "renderer/images/metrics.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::path_tests {
namespace {

using test::colored_cube;
using test::diffuse;
using test::floor_under_instances;
using test::floor_under_lamp;
using test::floor_under_picture;
using test::keldysh_cube;
using test::mean_of;
using test::point_light;
using test::sphere_from_within;
using test::white_object;

/// Factor for tolerances under sanitizers, where only one or few samples are taken.
constexpr double kWider = test::kSanitized ? 100 : 1;

ImageF render_radiance(Device& device, const std::shared_ptr<Scene>& scene, Extent extent,
                       int spp) {
    return test::render_radiance(device, scene, extent, test::kSanitized ? (spp + 127) / 128 : spp);
}

/// Expects the mean of the picture, and in addition of its four quarters, within `tolerance` of 1.
void expect_even_light(Device& device, const std::shared_ptr<Scene>& scene, vec3 expected, int spp,
                       double tolerance) {
    scene->settings["render"]["renderer"] = "path";
    auto image = render_radiance(device, scene, {48, 48}, spp);
    tolerance *= kWider;
    vec3 mean = mean_of(image);
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(mean[c]) / double(expected[c]), 1, tolerance) << device.name();
    for (int quarter = 0; quarter < 4; ++quarter) {
        double sum = 0;
        for (int y = 0; y < 24; ++y)
            for (int x = 0; x < 24; ++x)
                sum += double(
                    image.rgb[std::size_t((y + quarter / 2 * 24) * 48 + x + quarter % 2 * 24)].x);
        EXPECT_NEAR(sum / 576 / double(expected.x), 1, 2 * tolerance) << quarter;
    }
}

TEST(PathTracer, ASphereFromWithinDoublesTheLightOfItsCentre) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light(vec3(0), kPi)};
        scene->camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
        scene->settings["path"]["max-depth"] = "64";
        expect_even_light(*device, scene, vec3(1), 64, 0.005);  // rho I / (pi R^2 (1 - rho))
    }
}

TEST(PathTracer, AGlowingSphereFromWithinAddsUpAllItsReflections) {
    for (Device* device : devices())
        expect_even_light(*device, sphere_from_within(0.5f), vec3(1), 64, 0.005);
}

TEST(PathTracer, LightReflectedWithinASphereIsTheSameEverywhere) {
    // Within a sphere all surface points have equal form factors, so that indirect light is uniform
    // wherever the source is: rho^2 Phi / (4 pi^2 R^2 (1 - rho)), Phi = 4 pi I.
    for (Device* device : devices()) {
        auto direct = std::make_shared<Scene>();
        direct->materials = {diffuse(0.5f)};
        direct->spheres = {{{0, 0, 0}, 1, 0}};
        direct->lights = {point_light({0.45f, 0.3f, -0.2f}, kPi)};
        direct->camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        direct->settings["render"]["renderer"] = "path";
        auto all = std::make_shared<Scene>(*direct);
        direct->settings["path"]["max-depth"] = "1";
        all->settings["path"]["max-depth"] = "64";
        auto with = render_radiance(*device, all, {48, 48}, 256);
        auto without = render_radiance(*device, direct, {48, 48}, 256);
        double sum = 0, squares = 0;
        constexpr int kBlock = 12;
        for (int by = 0; by < 48; by += kBlock)
            for (int bx = 0; bx < 48; bx += kBlock) {
                double block = 0;
                for (int y = by; y < by + kBlock; ++y)
                    for (int x = bx; x < bx + kBlock; ++x) {
                        auto i = std::size_t(y * 48 + x);
                        block += double(with.rgb[i].x) - double(without.rgb[i].x);
                    }
                block /= kBlock * kBlock;
                sum += block;
                squares += block * block;
            }
        double mean = sum / 16, deviation = std::sqrt(squares / 16 - mean * mean);
        EXPECT_NEAR(mean, 0.5, 0.5 * 0.003 * kWider) << device->name();
        EXPECT_LT(deviation / mean, 0.005 * kWider) << device->name();
    }
}

TEST(PathTracer, ALitCubeHasTheIlluminanceThatIsKnown) {
    TL_LONG_TEST();
    // Illuminance in lux by collocation of the integral equation, refined to 1e-4.
    struct Known {
        vec2 place;
        double lux;
    };
    constexpr double kPiD = 3.14159265358979323846;
    for (Device* device : devices())
        for (auto [place, lux] : {Known{{0, 0}, 4207.4}, Known{{0.5f, 0}, 3622.6},
                                  Known{{0.5f, 0.5f}, 3236.2}, Known{{0.9f, 0}, 2919.2}}) {
            auto image = render_radiance(*device, keldysh_cube(place), {32, 32}, 128);
            double seen = double(mean_of(image).x) * kPiD * 1.5;
            EXPECT_NEAR(seen / lux, 1, 0.005 * kWider)
                << place.x << ", " << place.y << " on " << device->name();
        }
}

TEST(PathTracer, FacesOfAClosedBoxAbsorbWhatItsLightEmits) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        glm::dvec3 absorbed(0);
        for (int face = 0; face < 6; ++face) {
            auto scene = colored_cube(face);
            glm::dvec3 seen = mean_of(render_radiance(*device, scene, {48, 48}, 128));
            glm::dvec3 albedo = scene->materials[std::size_t(face)].diffuse;
            absorbed += 4.0 * (1.0 - albedo) * seen * 3.14159265358979323846 / albedo;
        }
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(absorbed[c] / (4 * 3.14159265358979323846 * (c + 1)), 1, 0.005 * kWider)
                << device->name();
    }
}

TEST(PathTracer, TheErrorOfRandomSamplesFallsWithTheirNumber) {
    TL_LONG_TEST();
    // The mean squared difference of two independent pictures of n samples is twice the variance of
    // one, and falls as 1/n.
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    constexpr int kCounts[] = {2, 8, 32, 128};
    for (Device* device : devices()) {
        std::vector<double> x, y;
        for (int n : kCounts) {
            ImageF pictures[2];
            for (std::uint64_t seed : {1, 2}) {
                Session session(*device);
                auto scene = colored_cube(0);  // no path has a much larger contribution than others
                scene->settings["sampling"]["pattern"] = "random";
                session.set_scene(scene);
                session.resize({96, 64});
                session.seed = seed * 1000 + static_cast<std::uint64_t>(n);
                for (int i = 0; i < n; ++i) {
                    session.begin_frame();
                    session.render_frame();
                    session.end_frame();
                }
                pictures[seed - 1] = session.film().radiance(session.stream());
            }
            x.push_back(std::log(double(n)));
            y.push_back(std::log(mean_squared_error(pictures[0], pictures[1])));
        }
        double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            mean_x += x[i] / double(x.size());
            mean_y += y[i] / double(x.size());
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            xy += (x[i] - mean_x) * (y[i] - mean_y);
            xx += (x[i] - mean_x) * (x[i] - mean_x);
        }
        EXPECT_NEAR(xy / xx, -1, 0.05) << device->name();
    }
}

TEST(PathTracer, ObjectsThatAbsorbNothingVanishInEvenLight) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (bool with_map : {false, true})
            for (auto kind :
                 {MaterialKind::diffuse, MaterialKind::mirror, MaterialKind::dielectric})
                for (float roughness : {0.0f, 0.3f, 0.8f}) {
                    if (kind == MaterialKind::diffuse && roughness > 0) continue;
                    Material m = diffuse(1);
                    m.kind = kind;
                    m.specular = vec3(kind == MaterialKind::diffuse ? 0 : 1);
                    m.roughness = roughness;
                    SCOPED_TRACE("kind " + std::to_string(int(kind)) + " roughness " +
                                 std::to_string(roughness) + (with_map ? " map" : ""));
                    expect_even_light(*device, white_object(m, with_map), vec3(1), 256, 0.002);
                }
}

TEST(PathTracer, GlowingMeshesLightLikeLampsOfTheirShape) {
    for (Device* device : devices()) {
        auto lamp = render_radiance(*device, floor_under_lamp(0), {60, 40}, 512);
        auto other = render_radiance(*device, floor_under_lamp(0), {60, 40}, 32);
        for (int n : {1, 30}) {
            auto mesh = render_radiance(*device, floor_under_lamp(n), {60, 40}, 512);
            vec3 a = mean_of(lamp), b = mean_of(mesh);
            for (int c = 0; c < 3; ++c)
                EXPECT_NEAR(double(b[c] / a[c]), 1, 0.005 * kWider) << n << device->name();
            // Points on 1800 triangles are spread less evenly than on one rectangle: twice the
            // noise was seen.
            auto noisy = render_radiance(*device, floor_under_lamp(n), {60, 40}, 32);
            EXPECT_LT(test::mean_difference(noisy, mesh),
                      2.5 * kWider * test::mean_difference(other, lamp))
                << n << device->name();
        }
    }
}

TEST(PathTracer, EveryWayToFindLightsGivesTheSameMean) {
    TL_LONG_TEST();
    struct Case {
        const char* name;
        std::shared_ptr<Scene> (*make)();
    };
    for (Device* device : devices())
        for (auto [name, make] :
             {Case{"a light", [] { return floor_under_lamp(0); }},
              Case{"a mesh", [] { return floor_under_lamp(4); }},
              Case{"a picture", floor_under_picture}, Case{"instances", floor_under_instances}}) {
            auto image_by = [&, make = make](const char* technique, int spp) {
                auto scene = make();
                scene->settings["path"]["find-lights"] = technique;
                return render_radiance(*device, scene, {60, 40}, spp);
            };
            auto both = image_by("both", 512);
            for (auto* technique : {"lights", "surfaces"}) {
                vec3 mean = mean_of(image_by(technique, 512)), expected = mean_of(both);
                for (int c = 0; c < 3; ++c)
                    EXPECT_NEAR(double(mean[c] / expected[c]), 1, 0.0085 * kWider)
                        << technique << name << device->name();
            }
            if (test::kSanitized) continue;
            // Next-event estimation has less noise than BSDF sampling.
            EXPECT_LT(2 * test::mean_difference(image_by("both", 16), both),
                      test::mean_difference(image_by("surfaces", 16), both))
                << name << device->name();
        }
}

TEST(PathTracer, NearLightsFarFromTheOriginAreNotBehindThemselves) {
    auto lifted = [](std::shared_ptr<Scene> scene) {
        // Rays start 256 units of float rounding (ulps) above their surface, here 2 mm.
        vec3 high(0, 100, 0);
        for (auto& mesh : scene->meshes)
            for (auto& p : mesh.positions) p += high;
        for (auto& light : scene->lights) light.position += high;
        scene->camera.eye += high;
        scene->camera.target += high;
        return scene;
    };
    auto mean_by = [&](Device& device, const char* technique) {
        auto scene = lifted(floor_under_lamp(4));
        scene->settings["path"]["find-lights"] = technique;
        return mean_of(render_radiance(device, scene, {60, 40}, 512)).x;
    };
    auto mean_of_whitted = [](Device& device, std::shared_ptr<Scene> scene) {
        scene->settings["render"]["renderer"] = "whitted";
        return mean_of(render_radiance(device, scene, {60, 40}, 64)).x;
    };
    for (Device* device : devices()) {
        float surfaces = mean_by(*device, "surfaces");
        for (auto* technique : {"lights", "both"})
            EXPECT_NEAR(double(mean_by(*device, technique) / surfaces), 1, 0.01 * kWider)
                << technique << device->name();
        float low = mean_of_whitted(*device, floor_under_lamp(0));
        EXPECT_NEAR(double(mean_of_whitted(*device, lifted(floor_under_lamp(0))) / low), 1,
                    0.01 * kWider)
            << device->name();
    }
}

TEST(PathTracer, ShowsWhatTheWhittedTracerShowsWhereLightIsScatteredOnce) {
    Material gloss = diffuse(0.3f), mirror, glass;
    gloss.kind = MaterialKind::phong;
    gloss.specular = vec3(0.4f);
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(0.9f, 0.8f, 0.7f);
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    glass.absorption = vec3(0.4f, 0.1f, 0.2f);
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(0.6f), gloss, mirror, glass};
    Mesh floor;
    floor.positions = {{-4, -1, -4}, {-4, -1, 4}, {4, -1, 4}, {4, -1, -4}};
    floor.triangles = {{0, 1, 2}, {0, 2, 3}};
    floor.material_of_triangle = {0, 0};
    scene->meshes = {floor};
    scene->spheres = {
        {{-1.2f, 0, 0}, 0.8f, 1}, {{0.4f, 0, -0.8f}, 0.8f, 2}, {{1, -0.2f, 1.2f}, 0.6f, 3}};
    scene->lights = {point_light({1, 4, 3}, 30), point_light({-3, 5, 1}, 20)};
    scene->camera = {{0, 2, 6}, {0, -0.2f, 0}, {0, 1, 0}, 40};
    scene->settings["whitted"]["max-depth"] = "16";
    scene->settings["whitted"]["glass-shadows"] = "false";
    scene->settings["whitted"]["cutoff"] = "0";
    auto paths = std::make_shared<Scene>(*scene);
    paths->settings.erase("whitted");
    paths->settings["render"]["renderer"] = "path";
    paths->settings["path"]["max-depth"] = "17";
    paths->settings["path"]["max-scattered"] = "1";
    for (Device* device : devices()) {
        vec3 whitted = mean_of(render_radiance(*device, scene, {60, 40}, 64));
        vec3 path = mean_of(render_radiance(*device, paths, {60, 40}, 512));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(double(path[c] / whitted[c]), 1, 0.005 * kWider) << device->name();
    }
}

}  // namespace
}  // namespace tl::path_tests
