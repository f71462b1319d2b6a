// Renders pictures by photon mapping for tests, with reference values in closed form.
#pragma once

#include <gtest/gtest.h>

#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/sanitized.h"

namespace tl::test {

inline constexpr double kPiD = 3.14159265358979323846;

/// Factor for tolerances under sanitizers, where only one or few passes are run.
inline constexpr double kWider = kSanitized ? 100 : 1;

inline ImageF render(Device& device, Scene scene, const char* renderer, Extent extent, int spp,
                     std::uint64_t seed = 0) {
    scene.settings["render"]["renderer"] = renderer;
    if (kSanitized) {
        spp = (spp + 63) / 64;
        scene.settings["photon"]["photons"] = "1000";
    }
    return render_radiance(device, std::make_shared<Scene>(std::move(scene)), extent, spp, seed);
}

inline Scene with_photons(const std::shared_ptr<Scene>& scene, const char* photons,
                          const char* max_depth = "64") {
    scene->settings["photon"]["photons"] = photons;
    scene->settings["photon"]["max-depth"] = max_depth;
    return *scene;
}

inline void expect_near(vec3 seen, vec3 expected, double tolerance, const std::string& what) {
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(seen[c]) / double(expected[c]), 1, tolerance * kWider)
            << what << ", channel " << c;
}

/// A spot light of intensity 1 W/sr to all directions within 30 degrees of its axis.
inline Light even_spot(vec3 position, vec3 direction) {
    Light spot = point_light(position, 1);
    spot.kind = LightKind::spot;
    spot.direction = direction;
    spot.inner_angle = spot.outer_angle = 30;
    return spot;
}

/// A camera at `eye` that looks down on the plane y = 0. It shows the square of side `side` around
/// the point below it, with +x to the right and -z upwards.
inline Camera camera_over(vec3 eye, float side) {
    return {eye, {eye.x, 0, eye.z}, {0, 0, -1}, 2 * glm::degrees(std::atan(side / 2 / eye.y))};
}

/// The cube of keldysh_cube, seen from its centre: its floor fills the picture.
inline std::shared_ptr<Scene> keldysh_floor() {
    auto cube = keldysh_cube({0, 0});
    cube->camera = {vec3(0), {0, -1, 0}, {0, 0, 1}, 90};
    return cube;
}

/// Illuminance of that floor at (x, z), lx. Averages the eight positions that are equal by
/// symmetry, at the nearest pixel centres of a square picture.
inline double lux_on_floor(const ImageF& picture, double x, double z) {
    int side = picture.extent.width;
    auto pixel_at = [&](double place) { return static_cast<int>((place + 1) * side / 2); };
    double lux = 0;
    for (int k = 0; k < 8; ++k) {
        double u = (k & 1 ? -1 : 1) * x, v = (k & 2 ? -1 : 1) * z;
        // At coordinate 0, alternates between the two adjacent pixels.
        int i = pixel_at(u - (x == 0 && k & 1 ? 1e-6 : 0)),
            j = pixel_at(v - (z == 0 && k & 2 ? 1e-6 : 0));
        if (k & 4) std::swap(i, j);
        lux += double(picture.rgb[std::size_t(j * side + i)].x) * kPiD * 1.5 / 8;
    }
    return lux;
}

/// Flux, W, of a parallel beam of 1 W/m^2 behind a glass sphere of radius 1. Counts light that
/// passes by two refractions and hits the plane at `distance` below the centre within `radius` of
/// the axis.
inline double flux_through_sphere(double n, double distance, double radius) {
    constexpr int kRings = 200'000;
    double flux = 0;
    for (int i = 0; i < kRings; ++i) {
        double h = (i + 0.5) / kRings, a = std::asin(h), b = std::asin(h / n);
        double rs = std::sin(a - b) / std::sin(a + b), rp = std::tan(a - b) / std::tan(a + b);
        double passes = 1 - (rs * rs + rp * rp) / 2;
        // The ray is deflected by a - b at each surface and leaves at the angle 2 b - a below the
        // axis.
        double turned = 2 * (a - b), exit = 2 * b - a;
        double y = std::cos(exit), x = std::sin(exit);
        if (std::cos(turned) <= 0) continue;
        double at = x - (distance - y) * std::tan(turned);
        if (std::abs(at) < radius) flux += passes * passes * 2 * kPiD * h / kRings;
    }
    return flux;
}

}  // namespace tl::test
