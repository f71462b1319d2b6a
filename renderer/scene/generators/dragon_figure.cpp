#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/scene/generators/figures.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr float kBlend = 0.05f;
constexpr float kTip = 0.013f;  // least radius: the lattice would miss thinner parts

// The spine, from the nape to the end of the tail, with the radius of the body in w.
constexpr std::array kSpine{vec4(-1.12f, 1.22f, 0.10f, 0.125f), vec4(-0.97f, 1.02f, 0.03f, 0.15f),
                            vec4(-0.88f, 0.72f, -0.06f, 0.19f), vec4(-0.58f, 0.52f, -0.03f, 0.245f),
                            vec4(-0.18f, 0.60f, 0.08f, 0.255f), vec4(0.22f, 0.70f, 0.03f, 0.25f),
                            vec4(0.60f, 0.54f, -0.10f, 0.235f), vec4(0.95f, 0.31f, -0.06f, 0.175f),
                            vec4(1.27f, 0.17f, 0.13f, 0.13f),   vec4(1.55f, 0.20f, 0.22f, 0.10f),
                            vec4(1.73f, 0.40f, 0.12f, 0.08f),   vec4(1.68f, 0.65f, -0.04f, 0.062f),
                            vec4(1.49f, 0.77f, -0.09f, 0.046f), vec4(1.34f, 0.68f, -0.03f, 0.03f)};

class Dragon {
  public:
    explicit Dragon(const DragonColors& colors) : colors_(colors) {}

    ImplicitSurface build() {
        surface_.add_tube(kSpine, 60, kBlend, colors_.skin);
        add_back_and_belly();
        for (float side : {-1.0f, 1.0f}) {
            add_head_side(side);
            vec3 chest(-0.58f, 0.5f, -0.03f), hip(0.6f, 0.5f, -0.1f);
            add_leg(chest, {{{-0.02f, 0, 0.2f}, {0.16f, -0.2f, 0.36f}, {-0.04f, -0.38f, 0.4f}}},
                    0.125f, side);
            add_leg(hip, {{{-0.02f, 0, 0.17f}, {-0.26f, -0.16f, 0.36f}, {0.02f, -0.38f, 0.38f}}},
                    0.165f, side);
        }
        add_head();
        return std::move(surface_);
    }

  private:
    void cone(vec3 a, float radius_a, vec3 b, float radius_b, std::int32_t material,
              float blend = kBlend) {
        surface_.add({a, b, radius_a, radius_b}, blend, material);
    }

    /// Adds ridged plates below the spine and spikes above it; `up` is transported along it without
    /// twist.
    void add_back_and_belly() {
        constexpr int kSteps = 96;
        vec3 up(1, 0.4f, 0);
        for (int i = 0; i < kSteps; ++i) {
            float t = (static_cast<float>(i) + 0.5f) / kSteps;
            vec4 here = spline_at(kSpine, t), ahead = spline_at(kSpine, t + 0.004f);
            vec3 spine(here), along = glm::normalize(vec3(ahead) - spine);
            up = glm::normalize(up - along * glm::dot(up, along));
            float r = here.w;
            if (t < 0.85f) {
                vec3 plate = spine - 0.36f * r * up;
                cone(plate, 0.79f * r, plate, 0.79f * r, colors_.belly, 0.012f);
            }
            if (i % 3 != 1 || t > 0.9f) continue;
            float size = 0.06f + 0.5f * r * (0.75f + 0.25f * std::cos(0.5f * kPi * (i / 3 % 2)));
            vec3 foot = spine + 0.9f * r * up, tip = spine + (r + size) * up + 0.6f * size * along;
            cone(foot - 0.2f * size * along, 0.26f * size, tip, kTip, colors_.horn, 0.02f);
            cone(foot + 0.25f * size * along, 0.22f * size, tip, kTip, colors_.horn, 0.02f);
        }
        vec3 end(kSpine.back());
        for (vec3 way :
             {vec3(-0.2f, -0.12f, 0.02f), vec3(-0.1f, -0.1f, 0.12f), vec3(-0.12f, -0.06f, -0.12f)})
            cone(end, 0.03f, end + way, kTip, colors_.horn, 0.02f);
    }

    /// Transforms from the head's axes (ahead, up, to the side) to the figure's.
    static vec3 in_head(vec3 p) {
        const vec3 nape(kSpine.front());
        const vec3 ahead = glm::normalize(vec3(-0.93f, -0.1f, 0.32f));
        const vec3 side = glm::normalize(glm::cross(ahead, vec3(0, 1, 0)));
        return nape + p.x * ahead + p.y * glm::cross(side, ahead) + p.z * side;
    }
    void in_head_cone(vec3 a, float radius_a, vec3 b, float radius_b, std::int32_t material,
                      float blend = 0.03f) {
        cone(in_head(a), radius_a, in_head(b), radius_b, material, blend);
    }

    void add_head() {
        in_head_cone({0, 0.02f, 0}, 0.15f, {0.14f, 0.03f, 0}, 0.14f, colors_.skin, kBlend);
        in_head_cone({0.14f, 0, 0}, 0.115f, {0.43f, 0, 0}, 0.078f, colors_.skin, kBlend);
        in_head_cone({0.05f, -0.1f, 0}, 0.075f, {0.36f, -0.2f, 0}, 0.045f, colors_.belly);
        in_head_cone({0.1f, -0.07f, 0}, 0.035f, {0.36f, -0.13f, 0}, 0.025f, colors_.eye, 0.01f);
        in_head_cone({0.36f, -0.23f, 0}, 0.025f, {0.34f, -0.34f, 0}, kTip, colors_.horn, 0.02f);
    }

    /// Adds one side of the head: nostril, brow, eye, horn, cheek spikes and teeth.
    void add_head_side(float side) {
        auto at = [&](float x, float y, float z) { return vec3(x, y, side * z); };
        in_head_cone(at(0.44f, 0.05f, 0.035f), 0.034f, at(0.46f, 0.03f, 0.05f), 0.03f,
                     colors_.skin);
        in_head_cone(at(0.06f, 0.13f, 0.075f), 0.045f, at(0.22f, 0.1f, 0.085f), 0.028f,
                     colors_.skin, 0.02f);
        in_head_cone(at(0.175f, 0.065f, 0.1f), 0.036f, at(0.175f, 0.065f, 0.1f), 0.036f,
                     colors_.eye, 0.004f);
        std::array<vec4, 4> horn{vec4(in_head(at(0.02f, 0.12f, 0.07f)), 0.046f),
                                 vec4(in_head(at(-0.14f, 0.24f, 0.12f)), 0.038f),
                                 vec4(in_head(at(-0.32f, 0.28f, 0.17f)), 0.027f),
                                 vec4(in_head(at(-0.47f, 0.38f, 0.18f)), kTip)};
        surface_.add_tube(horn, 10, 0.02f, colors_.horn);
        in_head_cone(at(0, -0.01f, 0.12f), 0.04f, at(-0.17f, 0.02f, 0.27f), kTip, colors_.skin);
        in_head_cone(at(0.02f, -0.08f, 0.1f), 0.035f, at(-0.1f, -0.14f, 0.23f), kTip, colors_.skin);
        std::array<vec4, 4> whisker{vec4(in_head(at(0.43f, 0, 0.06f)), 0.022f),
                                    vec4(in_head(at(0.5f, -0.03f, 0.17f)), 0.017f),
                                    vec4(in_head(at(0.42f, 0, 0.29f)), 0.015f),
                                    vec4(in_head(at(0.4f, 0.12f, 0.36f)), kTip)};
        surface_.add_tube(whisker, 10, 0.02f, colors_.horn);
        for (int i = 0; i < 4; ++i) {
            float x = 0.43f - 0.07f * static_cast<float>(i);
            in_head_cone(at(x, -0.06f, 0.05f), 0.02f, at(x - 0.01f, -0.115f, 0.055f), kTip,
                         colors_.horn, 0.005f);
        }
    }

    /// Adds a leg. `joints`: shoulder, elbow, wrist; `from` lies in the middle of the body.
    void add_leg(vec3 from, const std::array<vec3, 3>& joints, float radius, float side) {
        auto at = [&](vec3 p) { return from + vec3(p.x, p.y, side * p.z); };
        cone(at(joints[0]), radius, at(joints[1]), 0.6f * radius, colors_.skin);
        cone(at(joints[1]), 0.6f * radius, at(joints[2]), 0.055f, colors_.skin);
        cone(at(joints[1]), 0.04f, at(joints[1] + vec3(0.12f, 0.05f, 0.06f)), kTip, colors_.horn,
             0.02f);
        vec3 wrist = at(joints[2]), foot(wrist.x - 0.06f, 0.045f, wrist.z);
        cone(wrist, 0.055f, foot, 0.045f, colors_.skin);
        for (float spread : {-0.6f, 0.0f, 0.6f}) {
            vec3 way(-std::cos(spread), 0, std::sin(spread));
            vec3 knuckle = foot + 0.08f * way + vec3(0, 0.012f, 0);
            vec3 toe = foot + 0.14f * way - vec3(0, 0.015f, 0);
            cone(foot, 0.04f, knuckle, 0.034f, colors_.skin, 0.02f);
            cone(knuckle, 0.034f, toe, 0.026f, colors_.skin, 0.02f);
            cone(toe, 0.022f, toe + 0.075f * way - vec3(0, 0.016f, 0), kTip, colors_.horn, 0.01f);
        }
    }

    DragonColors colors_;
    ImplicitSurface surface_;
};

}  // namespace

DragonColors add_dragon_colors(Scene& scene) {
    return {add_glossy(scene, "dragon skin", {0.07f, 0.3f, 0.13f}, 0.09f, 40),
            add_glossy(scene, "dragon belly", {0.62f, 0.5f, 0.22f}, 0.06f, 25),
            add_glossy(scene, "horn", {0.7f, 0.62f, 0.46f}, 0.08f, 40),
            add_glossy(scene, "dragon eye", {0.65f, 0.08f, 0.02f}, 0.2f, 120)};
}

ImplicitSurface dragon_figure(const DragonColors& colors) {
    return Dragon(colors).build();
}

void add_dragon_ground(Scene& scene) {
    auto stone = add_material(scene, "stone", MaterialKind::diffuse, {0.42f, 0.4f, 0.37f});
    add_ground(scene, "ground", 40, 0, stone);
    add_directional_light(scene, {-0.45f, -1, -0.75f}, vec3(2.9f, 2.7f, 2.4f));
    add_directional_light(scene, {0.9f, -0.45f, -0.1f}, vec3(0.55f, 0.65f, 0.85f));
    scene.background = {0.3f, 0.36f, 0.45f};
}

}  // namespace tl
