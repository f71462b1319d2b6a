// Bunny and dragon: a bunny leaps at a dragon, which bursts into its triangles and reassembles. A
// tree built for one time does not fit another. Substitutes Zeidan's (2011) scene of that name.
#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/figures.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

// Parts of the duration: the bunny leaps, hits the dragon, is back, and hops once more.
constexpr float kLeap = 0.08f, kImpact = 0.22f, kBack = 0.5f, kHop = 0.62f, kHopEnd = 0.7f;
constexpr vec3 kSeat{1.1f, 0, 1.75f}, kHit{0.12f, 0.3f, 0.62f};
constexpr float kSize = 0.75f;
constexpr float kMiddle = 0.4f;  // the bunny's centre of rotation, as a fraction of its height

/// A point of the path from `a` to `b`, which rises by `height` between them.
vec3 arc(vec3 a, vec3 b, float height, float t) {
    return glm::mix(a, b, t) + vec3(0, 4 * height * t * (1 - t), 0);
}

vec3 bunny_at(float phase) {
    auto part = [&](float from, float to) { return (phase - from) / (to - from); };
    if (phase < kLeap || phase >= kHopEnd) return kSeat;
    if (phase < kImpact) return arc(kSeat, kHit, 0.45f, part(kLeap, kImpact));
    if (phase < kBack) return arc(kHit, kSeat, 1.5f, part(kImpact, kBack));
    if (phase < kHop) return kSeat;
    return arc(kSeat, kSeat, 0.25f, part(kHop, kHopEnd));
}

/// The bunny's angle about its x axis: it leans into the leap and turns over once on its way back.
float tumble_at(float phase) {
    if (phase < kLeap || phase >= kBack) return 0;
    float t = phase < kImpact ? (phase - kLeap) / (kImpact - kLeap)
                              : (phase - kImpact) / (kBack - kImpact);
    if (phase < kImpact) return -0.35f * std::cos(kPi * t) * std::sin(kPi * t);
    return -2 * kPi * t;
}

RigidMotion bunny_motion(float duration) {
    constexpr int kKeys = 200;
    vec3 way = kHit - kSeat;
    Joint place, turn;
    for (int i = 0; i <= kKeys; ++i) {
        float phase = static_cast<float>(i % kKeys) / kKeys;
        float time = duration * static_cast<float>(i) / kKeys;
        add_key(place.translation, time, bunny_at(phase));
        add_key(turn.rotation, time, glm::angleAxis(tumble_at(phase), vec3(1, 0, 0)));
    }
    place.rotation = {{0}, {glm::angleAxis(std::atan2(way.x, way.z), vec3(0, 1, 0))}};
    place.scale = {{0}, {vec3(kSize)}};
    turn.translation = {{0}, {{0, kMiddle, 0}}};
    return {{place, turn}};
}

void add_bunny_dragon(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer<double>("triangles", 92'000, 20'000, 4'000'000);
    scene.duration = arguments.number("duration", 8, 1e-3f, 1e6f);
    DragonColors dragon_colors = add_dragon_colors(scene);
    BunnyColors bunny_colors = add_bunny_colors(scene);

    Mesh dragon = dragon_figure(dragon_colors).polygons("dragon", 0.78 * n_triangles);
    dragon.animation.kind = AnimationKind::explode;
    dragon.animation.center = kHit + vec3(-0.1f, 0.1f, -0.3f);
    dragon.animation.distance = 2.2f;
    dragon.animation.start = kImpact;
    scene.meshes.push_back(std::move(dragon));

    Mesh bunny = bunny_figure(bunny_colors).polygons("bunny", 0.22 * n_triangles);
    for (auto& p : bunny.positions) p.y -= kMiddle;
    set_in_motion(bunny, bunny_motion(scene.duration), scene.duration);
    scene.meshes.push_back(std::move(bunny));
    add_dragon_ground(scene);

    scene.camera = {.eye = {-0.9f, 2.3f, 5.6f}, .target = {0.2f, 0.75f, 0}, .vertical_fov = 38};
}

}  // namespace

Generator bunny_dragon_generator() {
    return {"bunny-dragon",
            "A bunny leaps at a dragon, which bursts and comes together again: triangles (about; "
            "default 92,000), duration (default 8 s)",
            {"triangles", "duration"},
            &add_bunny_dragon};
}

}  // namespace tl
