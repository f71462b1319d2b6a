#include "renderer/scene/live/animation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tl {

double phase_of(float time, float duration) {
    if (!(duration > 0) || !std::isfinite(time)) return 0;
    double turns = double(time) / double(duration);
    double phase = turns - std::floor(turns);
    return phase < 1 ? phase : 0;
}

double phase_of_round(double phase, float period, float duration) {
    double rounds = period > 0 ? std::max(1.0, std::round(double(duration) / double(period))) : 1;
    return phase * rounds - std::floor(phase * rounds);
}

Explosion explosion_at(const Animation& animation, double phase) {
    double start = double(animation.start);
    phase = std::max(0.0, phase - start) / (1 - start);
    double sine = std::sin(double(kPi) * phase);
    // Out and back, with zero speed at both ends.
    auto way = static_cast<float>(phase > 0 && phase < 1 ? sine * sine : 0);
    return {animation.center, animation.distance * way, 2 * kPi * animation.turns * way};
}

WaveSum waves_at(const Animation& animation, double phase) {
    // Four waves, each with its own direction and length. Short ones travel slower, as on deep
    // water (frequency by the root of the wave number), in whole periods per duration.
    constexpr double kDirection[] = {0.35, 1.45, -0.6, 2.5};  // radians
    constexpr double kLength[] = {1, 0.63, 0.41, 0.27};       // relative to the longest
    constexpr double kAmplitude[] = {0.5, 0.26, 0.15, 0.09};  // relative to the height
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

FramePair frames_at(const Animation& animation, std::size_t n_frames, double phase) {
    auto last = static_cast<double>(n_frames - 1);
    double place = animation.returns ? last * (1 - std::abs(1 - 2 * phase))
                                     : phase * static_cast<double>(n_frames);
    double from = std::min(std::floor(place), last);
    auto index = static_cast<std::uint32_t>(from);
    auto after = animation.returns ? std::min(index + 1, static_cast<std::uint32_t>(n_frames - 1))
                                   : (index + 1) % static_cast<std::uint32_t>(n_frames);
    return {index, after, static_cast<float>(place - from)};
}

void Animator::set(Stream& stream, std::vector<MovingMesh> meshes, std::span<const vec3> positions,
                   std::span<const vec3> normals) {
    auto is_rigid = [](auto& mesh) { return mesh.animation.kind == AnimationKind::rigid; };
    auto others = std::ranges::stable_partition(meshes, is_rigid);
    n_rigid_ = meshes.size() - others.size();
    std::vector<vec3> at_rest, normals_at_rest;
    auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    parts_.clear();
    for (auto& mesh : meshes) {
        auto frames = std::exchange(mesh.frames, {});
        auto* simulation = std::exchange(mesh.simulation, nullptr);
        parts_.push_back({mesh, at_rest.size(), std::max<std::size_t>(1, frames.size()),
                          simulation ? simulation->start(stream) : nullptr});
        if (mesh.animation.kind == AnimationKind::simulated) continue;  // has no rest state
        for (auto& frame : frames) {
            append(at_rest, frame.positions);
            append(normals_at_rest, frame.normals);
            normals_at_rest.resize(at_rest.size(), vec3(0));
        }
        if (!frames.empty()) continue;
        append(at_rest, positions.subspan(mesh.first_vertex, mesh.n_vertices));
        append(normals_at_rest, normals.subspan(mesh.first_vertex, mesh.n_vertices));
    }
    positions_.assign(stream, at_rest);
    normals_.assign(stream, normals_at_rest);
}

void Animator::run(Stream& stream, double phase, float duration, View<vec3> positions,
                   View<vec3> normals) const {
    run_rigid(stream, phase, duration, positions, normals);
    for (std::size_t i = n_rigid_; i < parts_.size(); ++i) {
        auto& [mesh, first, n_frames, simulation] = parts_[i];
        std::size_t n = mesh.n_vertices;
        VertexMotion vertices{{positions_.data() + first, n * n_frames},
                              {normals_.data() + first, n * n_frames},
                              {positions.data + mesh.first_vertex, n},
                              {normals.data + mesh.first_vertex, n}};
        auto& animation = mesh.animation;
        if (animation.kind == AnimationKind::simulated) {
            if (simulation)
                simulation->run(stream, phase * double(duration), vertices.positions,
                                vertices.normals);
        } else if (animation.kind == AnimationKind::explode) {
            TL_DISPATCH(stream.device(), explode(stream, explosion_at(animation, phase), vertices));
        } else if (animation.kind == AnimationKind::wave) {
            TL_DISPATCH(stream.device(), wave(stream, waves_at(animation, phase), vertices));
        } else {
            double in_round = phase_of_round(phase, animation.period, duration);
            TL_DISPATCH(stream.device(),
                        blend_frames(stream, frames_at(animation, n_frames, in_round), vertices));
        }
    }
}

std::size_t Animator::bytes() const {
    std::size_t bytes = positions_.bytes() + normals_.bytes();
    for (auto& part : parts_)
        if (part.simulation) bytes += part.simulation->bytes();
    return bytes;
}

void Animator::run_rigid(Stream& stream, double phase, float duration, View<vec3> positions,
                         View<vec3> normals) const {
    for (std::size_t first = 0; first < n_rigid_; first += RigidBatch::kMost) {
        RigidBatch batch;
        std::size_t n = 0, n_meshes = std::min(RigidBatch::kMost, n_rigid_ - first);
        std::size_t rest = parts_[first].first;
        for (std::size_t i = 0; i < n_meshes; ++i) {
            auto& mesh = parts_[first + i].mesh;
            auto& animation = mesh.animation;
            double in_round = phase_of_round(phase, animation.period, duration);
            double length = double(animation.period > 0 ? animation.period : duration);
            glm::dmat4 m = animation.rigid.at(in_round * length);
            glm::dvec3 x(m[0]), y(m[1]), z(m[2]);
            glm::dmat3 cofactors(glm::cross(y, z), glm::cross(z, x), glm::cross(x, y));
            auto shift = static_cast<std::uint32_t>(mesh.first_vertex - n);
            n += mesh.n_vertices;
            batch.meshes[i] = {glm::mat4x3(m), glm::mat3(cofactors), static_cast<std::uint32_t>(n),
                               shift};
        }
        VertexMotion vertices{
            {positions_.data() + rest, n}, {normals_.data() + rest, n}, positions, normals};
        TL_DISPATCH(stream.device(), move_rigidly(stream, batch, vertices));
    }
}

}  // namespace tl
