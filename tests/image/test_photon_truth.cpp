// Caustics of the photon mapper against closed formulas; and the Cornell box against the path
// tracer, wall by wall.
#include <gtest/gtest.h>

#include <array>

#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/photon_pictures.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::photon_truth_tests {
namespace {

using test::add_parallelogram;
using test::camera_over;
using test::diffuse;
using test::kPiD;
using test::kWider;
using test::mean_of;
using test::render;
using test::with_photons;

/// Albedo of floors that hardly illuminate themselves.
constexpr float kDark = 0.001f;

/// Irradiance, W/m^2, of a floor of that albedo.
double irradiance_of(vec3 radiance) {
    return double(radiance.x) * kPiD / double(kDark);
}

Light sun_along(vec3 direction) {
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = glm::normalize(direction);
    return sun;
}

/// A dark floor of side 2 `half` under a sun, and the materials glass (1), mirror (2) and black
/// (3).
std::shared_ptr<Scene> floor_in_the_sun(float half, vec3 direction) {
    auto scene = std::make_shared<Scene>();
    Material glass, mirror;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene->materials = {diffuse(kDark), glass, mirror, diffuse(0)};
    scene->meshes.emplace_back();
    add_parallelogram(scene->meshes[0], {-half, 0, -half}, {0, 0, 2 * half}, {2 * half, 0, 0}, 0);
    scene->lights = {sun_along(direction)};
    return scene;
}

TEST(PhotonTruth, APaneLetsThroughWhatAllItsReflectionsTogetherDo) {
    TL_LONG_TEST();
    // A normal beam, n = 1.5: T = 2 n / (n^2 + 1), reflections back and forth inside included.
    auto scene = floor_in_the_sun(0.6f, {0, -1, 0});
    add_box(scene->meshes[0], {-0.6f, 0.5f, -0.6f}, {0.6f, 0.7f, 0.6f}, 1);
    scene->camera = camera_over({0, 0.4f, 0}, 0.5f);
    for (Device* device : devices())
        for (const char* radius : {"0.02", "0.2"}) {
            scene->settings["photon"]["radius"] = radius;
            auto picture = render(*device, with_photons(scene, "50000"), "photon", {32, 32}, 16);
            EXPECT_NEAR(irradiance_of(mean_of(picture)), 12.0 / 13, 0.003 * kWider)
                << radius << " on " << device->name();
        }
}

TEST(PhotonTruth, AGlassSphereFocusesANarrowBeamWhereOpticsSays) {
    // Rays near the axis of a sphere of n = 1.5 cross it 1.5 radii behind the centre; those at a
    // tenth of the radius, where a stop ends the beam, at 1.4958.
    auto beam_on = [](float distance) {
        auto scene = floor_in_the_sun(1.2f, {0, -1, 0});
        scene->spheres = {{{0, distance, 0}, 1, 1}};
        Mesh stop;
        constexpr int kCorners = 64;
        for (int i = 0; i < kCorners; ++i)
            for (float radius : {0.1f, 2.0f}) {
                float angle = 2 * kPi * float(i) / kCorners;
                stop.positions.emplace_back(radius * std::cos(angle), distance + 1.2f,
                                            radius * std::sin(angle));
            }
        for (std::uint32_t i = 0; i < kCorners; ++i) {
            std::uint32_t a = 2 * i, b = 2 * ((i + 1) % kCorners);
            add_quad(stop, a, b, b + 1, a + 1, 3);
        }
        scene->meshes.push_back(stop);
        scene->camera = camera_over({0, 0.2f, 0}, 0.001f);
        scene->settings["photon"]["radius"] = "0.004";
        scene->settings["photon"]["alpha"] = "1";
        return scene;
    };
    if (test::kSanitized) GTEST_SKIP() << "looks for a peak, which takes photons";
    for (Device* device : devices()) {
        double best = 0, at = 0;
        for (float distance = 1.38f; distance < 1.63f; distance += 0.02f) {
            auto picture =
                render(*device, with_photons(beam_on(distance), "20000"), "photon", {4, 4}, 4);
            double seen = irradiance_of(mean_of(picture));
            if (seen > best) {
                best = seen;
                at = double(distance);
            }
        }
        EXPECT_NEAR(at, 1.498, 0.03) << device->name();
        EXPECT_GT(best, 500) << device->name();
    }
}

TEST(PhotonTruth, TheCuspOfAMirroringCylinderLiesAtHalfItsRadius) {
    TL_LONG_TEST();
    // A wall along half a circle of radius 1 around the origin, in the sun: its caustic on the
    // floor is a nephroid, whose cusp lies half way between axis and wall.
    auto scene = floor_in_the_sun(1.1f, {1, -1, 0});
    Mesh wall;
    constexpr int kParts = 512;
    for (int i = 0; i <= kParts; ++i)
        for (float y : {0.0f, 1.0f}) {
            float angle = kPi * (float(i) / kParts - 0.5f);
            vec3 out(std::cos(angle), 0, std::sin(angle));
            wall.positions.push_back(out + vec3(0, y, 0));
            wall.normals.push_back(-out);
        }
    for (std::uint32_t i = 0; i < kParts; ++i)
        add_quad(wall, 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1, 2);
    scene->meshes.push_back(wall);
    // A hundred pixels along the axis, from 0.2 to 0.8.
    constexpr Extent kStrip{100, 3};
    scene->camera = camera_over({0.5f, 0.6f, 0}, 0.018f);
    scene->settings["photon"]["radius"] = "0.012";
    scene->settings["photon"]["alpha"] = "1";
    if (test::kSanitized) GTEST_SKIP() << "looks for a peak, which takes photons";
    for (Device* device : devices()) {
        auto picture = render(*device, with_photons(scene, "100000"), "photon", kStrip, 32);
        int best = 0;
        for (int x = 0; x < kStrip.width; ++x)
            if (picture.rgb[std::size_t(kStrip.width + x)].x >
                picture.rgb[std::size_t(kStrip.width + best)].x)
                best = x;
        EXPECT_NEAR(0.2 + 0.6 * (best + 0.5) / kStrip.width, 0.5, 0.02) << device->name();
        // Closer to the axis, rays that hit the wall near its middle cross. They form a beam
        // focused at half the radius, spread by |distance - 1/2| / (1/2), in addition to the sun.
        double seen = 0, known = 0;
        for (int x = 0; x < 25; ++x) {
            double beyond = 0.5 - (0.2 + 0.6 * (x + 0.5) / kStrip.width);
            seen += irradiance_of(picture.rgb[std::size_t(kStrip.width + x)]) / 25;
            known += std::sqrt(0.5) * (1 + 0.5 / beyond) / 25;
        }
        EXPECT_NEAR(seen / known, 1, 0.03) << device->name();
    }
}

/// Surface of the Cornell box at the middle of a pixel: floor, ceiling, back, left or right wall.
/// -1 for the spheres and for pixels within a pixel of another surface.
int wall_at(const Scene& scene, Extent extent, int x, int y) {
    auto at = [&](double u, double v) {
        double tan_y = std::tan(glm::radians(double(scene.camera.vertical_fov)) / 2);
        double aspect = double(extent.width) / extent.height;
        glm::dvec3 eye(scene.camera.eye);
        glm::dvec3 d = glm::normalize(glm::dvec3(-(2 * u / extent.width - 1) * tan_y * aspect,
                                                 -(2 * v / extent.height - 1) * tan_y, 1));
        for (auto& sphere : scene.spheres) {
            glm::dvec3 c = glm::dvec3(sphere.center) - eye;
            double along = glm::dot(c, d);
            if (glm::dot(c, c) - along * along < std::pow(double(sphere.radius), 2)) return -1;
        }
        double t[5] = {-eye.y / d.y, (0.5488 - eye.y) / d.y, (0.5592 - eye.z) / d.z,
                       (0.5515 - eye.x) / d.x, -eye.x / d.x};
        int nearest = -1;
        for (int k = 0; k < 5; ++k)
            if (t[k] > 0 && (nearest < 0 || t[k] < t[nearest])) nearest = k;
        return eye.z + t[nearest] * d.z < 0 ? -1 : nearest;
    };
    int seen = at(x + 0.5, y + 0.5);
    for (int k = 0; k < 4; ++k)
        if (at(x + 2 * (k % 2) - 0.5, y + 2 * (k / 2) - 0.5) != seen) return -1;
    return seen;
}

TEST(PhotonTruth, TheCornellBoxIsThatOfThePathTracerWallByWall) {
    TL_LONG_TEST();
    constexpr Extent kExtent{64, 48};
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
    for (Device* device : devices()) {
        auto photons = render(*device, with_photons(scene, "25000", "12"), "photon", kExtent, 200);
        scene->settings["path"]["max-depth"] = "12";
        auto paths = render(*device, *scene, "path", kExtent, 1024);
        auto others = render(*device, *scene, "path", kExtent, 1024, 1);
        if (test::kSanitized) continue;
        // The mean of two pictures has a quarter of their squared difference as its variance.
        double noise = relative_squared_errors(paths, others).mean() / 4;
        for (std::size_t i = 0; i < paths.rgb.size(); ++i)
            paths.rgb[i] = (paths.rgb[i] + others.rgb[i]) / 2.0f;
        double error = relative_squared_errors(paths, photons).mean();
        EXPECT_LT(error - noise, 1e-3) << device->name();
        EXPECT_LT(noise, 2e-3) << device->name();
        std::array<glm::dvec3, 5> a{}, b{};
        std::array<int, 5> n{};
        for (int i = 0; i < kExtent.pixels(); ++i) {
            int wall = wall_at(*scene, kExtent, i % kExtent.width, i / kExtent.width);
            if (wall < 0) continue;
            a[std::size_t(wall)] += photons.rgb[std::size_t(i)];
            b[std::size_t(wall)] += paths.rgb[std::size_t(i)];
            ++n[std::size_t(wall)];
        }
        for (std::size_t wall = 0; wall < 5; ++wall) {
            EXPECT_GT(n[wall], 60);
            for (int c = 0; c < 3; ++c)
                EXPECT_NEAR(a[wall][c] / b[wall][c], 1, 0.01)
                    << "wall " << wall << ", channel " << c << " on " << device->name();
        }
    }
}

TEST(PhotonTruth, AFloorIsAsBrightAtItsEndAsInItsMiddle) {
    TL_LONG_TEST();
    // A spot light shines up at a mirror and lights the floor as if from its image above the
    // origin. The origin lies in the middle of the floor, at an edge, or at a corner. Without a
    // correction half of the photons are missing at the edge, three quarters at the corner.
    struct End {
        vec2 least;
        double share;
    };
    for (Device* device : devices())
        for (auto [least, share] : {End{{-1, -1}, 1}, End{{0, -1}, 0.5}, End{{0, 0}, 0.25}})
            for (bool edges : {false, true}) {
                auto scene = floor_in_the_sun(1, {0, -1, 0});
                scene->meshes.clear();
                Mesh room;
                add_parallelogram(room, {least.x, 0, least.y}, {0, 0, 1 - least.y},
                                  {1 - least.x, 0, 0}, 0);
                add_parallelogram(room, {-3, 1, -3}, {6, 0, 0}, {0, 0, 6}, 2);
                scene->meshes = {room};
                scene->lights = {test::even_spot({0, 0.5f, 0}, {0, 1, 0})};
                scene->camera = camera_over({0.001f, 0.25f, 0.001f}, 0.002f);
                scene->settings["photon"]["radius"] = "0.2";
                scene->settings["photon"]["caustic-radius"] = "1";
                scene->settings["photon"]["alpha"] = "1";
                scene->settings["photon"]["edges"] = edges ? "true" : "false";
                auto picture =
                    render(*device, with_photons(scene, "30000"), "photon", {24, 24}, 24);
                // The kernel's blur takes a hundredth.
                EXPECT_NEAR(irradiance_of(mean_of(picture)) * 2.25, edges ? 1 : share,
                            0.03 * kWider)
                    << share << (edges ? " corrected" : " as it is") << " on " << device->name();
            }
}

TEST(PhotonTruth, NoLightLeaksAlongAFloorThatGoesOnUnderAWall) {
    TL_LONG_TEST();
    // No light leaks to another room, beside the lit one or touching it at an edge. Floor, ceiling
    // and walls of both continue in the same planes.
    for (Device* device : devices())
        for (float shift : {0.0f, 1.0f}) {
            auto scene = std::make_shared<Scene>();
            scene->materials = {diffuse(0.8f)};
            Mesh rooms;
            add_box(rooms, {-1, 0, 0}, {-0.001f, 1, 1}, 0);
            add_box(rooms, {0.001f, 0, shift + 0.001f * shift}, {1, 1, 1 + shift}, 0);
            scene->meshes = {rooms};
            scene->lights = {test::point_light({-0.5f, 0.7f, 0.5f}, 1)};
            scene->settings["photon"]["radius"] = "0.15";
            auto mean_over = [&](vec3 eye, float side, const char* edges) {
                scene->camera = camera_over(eye, side);
                scene->settings["photon"]["edges"] = edges;
                return mean_of(render(*device, with_photons(scene, "20000"), "photon", {48, 48}, 4))
                    .x;
            };
            float lit = mean_over({-0.5f, 0.9f, 0.5f}, 0.98f, "true");
            // The room's corner beside the lit one.
            vec3 eye(0.16f, 0.3f, shift + 0.16f);
            EXPECT_GT(mean_over(eye, 0.3f, "false"), 0.001f * lit) << "the leak to be stopped";
            EXPECT_LT(mean_over(eye, 0.3f, "true"), 0.0003f * lit) << device->name();
        }
}

}  // namespace
}  // namespace tl::photon_truth_tests
