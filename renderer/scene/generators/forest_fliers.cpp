#include <array>
#include <cmath>
#include <functional>

#include "renderer/scene/generators/forest_parts.h"
#include "renderer/scene/generators/implicit_surface.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// A closed flight path, flown once in the scene's duration.
struct Flight {
    std::function<vec3(float phase)> place;
    float size;
    float pitch;  ///< lean forward, radians
};

constexpr float kStep = 1e-3f;

/// The joint of a flier, which faces its direction of flight.
Joint flight_joint(const Flight& flight, float duration) {
    constexpr int kKeys = 72;
    Joint joint;
    for (int i = 0; i <= kKeys; ++i) {
        float phase = static_cast<float>(i % kKeys) / kKeys;
        vec3 way = flight.place(phase + kStep) - flight.place(phase - kStep);
        float time = duration * static_cast<float>(i) / kKeys;
        add_key(joint.translation, time, flight.place(phase));
        add_key(joint.rotation, time,
                glm::angleAxis(std::atan2(way.x, way.z), vec3(0, 1, 0)) *
                    glm::angleAxis(flight.pitch, vec3(1, 0, 0)));
    }
    joint.scale = {{0}, {vec3(flight.size)}};
    return joint;
}

/// A hinge at the root of a wing that beats about `axis`, between two angles in radians.
struct Hinge {
    vec3 root, axis;
    float rest, swing, beats_per_second, phase;
};

Joint hinge_joint(const Hinge& hinge, float side, float duration) {
    constexpr int kKeys = 8;  // in a beat
    int n = kKeys * std::max(1, static_cast<int>(std::lround(hinge.beats_per_second * duration)));
    Joint joint;
    joint.translation = {{0}, {hinge.root * vec3(side, 1, 1)}};
    for (int i = 0; i <= n; ++i) {
        float beat = static_cast<float>(i % kKeys) / kKeys + hinge.phase;
        float angle = hinge.rest + hinge.swing * std::sin(2 * kPi * beat);
        add_key(joint.rotation, duration * static_cast<float>(i) / static_cast<float>(n),
                glm::angleAxis(side * angle, hinge.axis));
    }
    return joint;
}

/// A flat wing from the origin to its end `tip`, with a sine outline, in the plane of `tip` and
/// `back`.
Mesh wing(const char* name, float side, vec3 tip, vec3 back, std::int32_t material) {
    constexpr int kRows = 14;
    Mesh mesh = named_mesh(name);
    for (int i = 0; i <= kRows; ++i) {
        float t = static_cast<float>(i) / kRows, bulge = std::pow(t, 0.8f);
        float width = std::sin(kPi * bulge) * (0.6f + 0.6f * t);
        vec3 middle = t * tip, half = 0.5f * width * back;
        for (float k : {-0.55f, 0.0f, 1.0f})
            mesh.positions.push_back(
                (middle + k * half + 0.02f * glm::length(back) * vec3(0, k == 0, 0)) *
                vec3(side, 1, 1));
    }
    for (std::uint32_t row = 0; row < kRows; ++row)
        for (std::uint32_t k = 0; k < 2; ++k) {
            std::uint32_t a = 3 * row + k, b = a + 1, c = a + 4, d = a + 3;
            if (side > 0) std::swap(b, d);
            add_quad(mesh, a, b, c, d, material);
        }
    add_normals(mesh);
    return mesh;
}

class Flier {
  public:
    Flier(Scene& scene, const Flight& flight)
        : scene_(scene), body_(flight_joint(flight, scene.duration)) {}

    void take_body(Mesh mesh) { take(std::move(mesh), {body_}); }
    void take_wings(const char* name, const Hinge& hinge, vec3 tip, vec3 back,
                    std::int32_t material) {
        for (float side : {-1.0f, 1.0f})
            take(wing(name, side, tip, back, material),
                 {body_, hinge_joint(hinge, side, scene_.duration)});
    }

  private:
    void take(Mesh mesh, std::vector<Joint> joints) {
        set_in_motion(mesh, {std::move(joints)}, scene_.duration);
        scene_.meshes.push_back(std::move(mesh));
    }
    Scene& scene_;
    Joint body_;
};

struct FairyColors {
    std::int32_t skin, dress, hair, eye, shoe;
};

/// The fairy, half a metre high, looking along z.
ImplicitSurface fairy_figure(const FairyColors& colors) {
    ImplicitSurface body;
    auto cone = [&](vec3 a, float ra, vec3 b, float rb, std::int32_t material,
                    float blend = 0.01f) {
        body.add({a, b, ra, rb}, blend, material);
    };
    cone({0, 0.35f, 0}, 0.034f, {0, 0.275f, 0}, 0.027f, colors.dress);
    cone({0, 0.27f, 0}, 0.03f, {0, 0.18f, -0.01f}, 0.066f, colors.dress, 0.02f);
    cone({0, 0.38f, 0}, 0.016f, {0, 0.4f, 0}, 0.016f, colors.skin);
    cone({0, 0.44f, 0.004f}, 0.054f, {0, 0.425f, 0.008f}, 0.045f, colors.skin);
    cone({0, 0.455f, -0.012f}, 0.056f, {0, 0.43f, -0.02f}, 0.052f, colors.hair, 0.004f);
    cone({0, 0.51f, -0.03f}, 0.028f, {0, 0.5f, -0.03f}, 0.026f, colors.hair, 0.01f);
    std::size_t first = body.size();
    cone({0.021f, 0.437f, 0.052f}, 0.0085f, {0.021f, 0.432f, 0.052f}, 0.0085f, colors.eye, 0.001f);
    cone({0.044f, 0.44f, -0.02f}, 0.024f, {0.05f, 0.37f, -0.035f}, 0.012f, colors.hair);
    cone({0.036f, 0.355f, 0}, 0.014f, {0.09f, 0.31f, 0.015f}, 0.011f, colors.skin);
    cone({0.09f, 0.31f, 0.015f}, 0.011f, {0.135f, 0.355f, 0.05f}, 0.009f, colors.skin);
    cone({0.135f, 0.355f, 0.05f}, 0.009f, {0.145f, 0.37f, 0.056f}, 0.011f, colors.skin);
    cone({0.024f, 0.18f, 0}, 0.021f, {0.03f, 0.1f, 0.012f}, 0.016f, colors.skin);
    cone({0.03f, 0.1f, 0.012f}, 0.016f, {0.026f, 0.02f, -0.03f}, 0.011f, colors.skin);
    cone({0.026f, 0.02f, -0.03f}, 0.013f, {0.026f, -0.004f, -0.008f}, 0.01f, colors.shoe);
    body.mirror(first);
    return body;
}

ImplicitSurface dragonfly_figure(std::int32_t body_color, std::int32_t eye_color) {
    ImplicitSurface body;
    std::array<vec4, 4> abdomen{vec4(0, 0, 0, 0.03f), vec4(0, 0.01f, -0.1f, 0.018f),
                                vec4(0, 0.01f, -0.25f, 0.016f), vec4(0, -0.01f, -0.42f, 0.02f)};
    body.add_tube(abdomen, 14, 0.01f, body_color);
    for (int i = 1; i < 8; ++i) {
        vec3 ring = vec3(spline_at(abdomen, 0.3f + 0.1f * static_cast<float>(i)));
        body.add({ring, ring, 0.0185f, 0.0185f}, 0.002f, body_color);
    }
    body.add({{0, 0.01f, 0.02f}, {0, 0, 0.09f}, 0.046f, 0.036f}, 0.02f, body_color);
    std::size_t first = body.size();
    body.add({{0.022f, 0.005f, 0.145f}, {0.022f, 0.015f, 0.145f}, 0.03f, 0.03f}, 0.006f, eye_color);
    body.mirror(first);
    return body;
}

}  // namespace

void add_fairy(Scene& scene) {
    FairyColors colors{add_glossy(scene, "skin", {0.78f, 0.5f, 0.36f}, 0.04f, 20),
                       add_glossy(scene, "dress", {0.75f, 0.2f, 0.42f}, 0.06f, 30),
                       add_glossy(scene, "hair", {0.62f, 0.34f, 0.08f}, 0.12f, 40),
                       add_glossy(scene, "fairy's eye", {0.03f, 0.06f, 0.12f}, 0.3f, 120),
                       add_glossy(scene, "shoe", {0.1f, 0.35f, 0.16f}, 0.1f, 40)};
    auto gauze = add_glossy(scene, "gauze", {0.72f, 0.86f, 0.92f}, 0.08f, 30);
    Flier fairy(scene, {[](float phase) {
                            float a = 2 * kPi * phase;
                            return vec3(-0.1f + 0.95f * std::sin(a),
                                        1.05f + 0.16f * std::sin(3 * a),
                                        0.75f + 0.6f * std::cos(a));
                        },
                        1.35f, 0.3f});
    fairy.take_body(fairy_figure(colors).polygons("fairy", 12'000));
    fairy.take_wings("upper wing", {{0.012f, 0.35f, -0.035f}, {0, 1, 0}, 0.55f, 0.4f, 5, 0},
                     {0.2f, 0.16f, 0}, {0.05f, -0.13f, 0}, gauze);
    fairy.take_wings("lower wing", {{0.012f, 0.33f, -0.035f}, {0, 1, 0}, 0.7f, 0.35f, 5, 0.15f},
                     {0.13f, -0.12f, 0}, {-0.07f, -0.09f, 0}, gauze);
}

void add_dragonfly(Scene& scene) {
    auto blue = add_glossy(scene, "dragonfly", {0.05f, 0.3f, 0.55f}, 0.3f, 60);
    auto eye = add_glossy(scene, "dragonfly's eye", {0.35f, 0.1f, 0.05f}, 0.3f, 100);
    auto film = add_glossy(scene, "wing film", {0.75f, 0.8f, 0.82f}, 0.18f, 40);
    Flier dragonfly(scene, {[](float phase) {
                                float a = 2 * kPi * (phase + 0.12f);
                                return vec3(1.7f * std::sin(2 * a), 1.15f + 0.22f * std::sin(3 * a),
                                            0.6f + 1.3f * std::cos(a));
                            },
                            0.8f, 0});
    dragonfly.take_body(dragonfly_figure(blue, eye).polygons("dragonfly", 4'000));
    dragonfly.take_wings("fore wing", {{0.02f, 0.04f, 0.05f}, {0, 0, 1}, 0.15f, 0.5f, 10, 0},
                         {0.42f, 0, 0.06f}, {0, 0, -0.09f}, film);
    dragonfly.take_wings("hind wing", {{0.02f, 0.04f, 0}, {0, 0, 1}, 0.15f, 0.5f, 10, 0.5f},
                         {0.38f, 0, -0.06f}, {0, 0, -0.11f}, film);
}

}  // namespace tl
