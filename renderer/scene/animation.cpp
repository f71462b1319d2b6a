#include "renderer/scene/animation.h"

#include <cmath>

namespace tl {

double phase_of(float time, float duration) {
    if (!(duration > 0) || !std::isfinite(time)) return 0;
    double turns = double(time) / double(duration);
    double phase = turns - std::floor(turns);
    return phase < 1 ? phase : 0;
}

Explosion explosion_at(const Animation& animation, double phase) {
    double sine = std::sin(double(kPi) * phase);
    // Out and back, slow at both ends.
    auto way = static_cast<float>(phase > 0 && phase < 1 ? sine * sine : 0);
    return {animation.center, animation.distance * way, 2 * kPi * animation.turns * way};
}

WaveSum waves_at(const Animation& animation, double phase) {
    // Four waves of their own direction and length. Short ones travel slower, as on deep water
    // (frequency by the root of the wave number), in whole periods to the duration.
    constexpr double kDirection[] = {0.35, 1.45, -0.6, 2.5};  // radians
    constexpr double kLength[] = {1, 0.63, 0.41, 0.27};       // of the longest
    constexpr double kAmplitude[] = {0.5, 0.26, 0.15, 0.09};  // of the height
    constexpr double kPeriods[] = {2, 3, 3, 4};
    WaveSum waves;
    waves.lift = animation.lift;
    vec3 across = std::abs(animation.lift.y) > 0.5f ? vec3(1, 0, 0) : vec3(0, 1, 0);
    vec3 v = glm::normalize(glm::cross(across, animation.lift));
    vec3 u = glm::cross(animation.lift, v);
    for (int k = 0; k < WaveSum::kWaves; ++k) {
        double number = 2 * double(kPi) / (double(animation.wavelength) * kLength[k]);
        waves.wave_vector[k] = static_cast<float>(number * std::cos(kDirection[k])) * u +
                               static_cast<float>(number * std::sin(kDirection[k])) * v;
        waves.amplitude[k] = static_cast<float>(kAmplitude[k]) * animation.height;
        double turns = kPeriods[k] * phase;
        waves.shift[k] = static_cast<float>(2 * double(kPi) * (turns - std::floor(turns)));
    }
    return waves;
}

void Animator::set(Stream& stream, std::vector<MovingMesh> meshes, std::span<const vec3> positions,
                   std::span<const vec3> normals) {
    meshes_ = std::move(meshes);
    std::vector<vec3> at_rest, normals_at_rest;
    for (auto& mesh : meshes_) {
        auto p = positions.subspan(mesh.first_vertex, mesh.n_vertices);
        auto n = normals.subspan(mesh.first_vertex, mesh.n_vertices);
        at_rest.insert(at_rest.end(), p.begin(), p.end());
        normals_at_rest.insert(normals_at_rest.end(), n.begin(), n.end());
    }
    positions_.assign(stream, at_rest);
    normals_.assign(stream, normals_at_rest);
}

void Animator::run(Stream& stream, double phase, View<vec3> positions, View<vec3> normals) const {
    std::size_t first = 0;
    for (auto& mesh : meshes_) {
        std::size_t n = mesh.n_vertices;
        VertexMotion vertices{{positions_.data() + first, n},
                              {normals_.data() + first, n},
                              {positions.data + mesh.first_vertex, n},
                              {normals.data + mesh.first_vertex, n}};
        first += n;
        if (mesh.animation.kind == AnimationKind::explode)
            TL_DISPATCH(stream.device(),
                        explode(stream, explosion_at(mesh.animation, phase), vertices));
        else
            TL_DISPATCH(stream.device(), wave(stream, waves_at(mesh.animation, phase), vertices));
    }
}

}  // namespace tl
