// A tree in blossom as a cloud of Gaussians, like those that 3D Gaussian splatting fits to
// photographs: flat petals, elongated bits of bark and petals on the ground, with the light of a
// sunny day in their colours.
#include <algorithm>
#include <cmath>
#include <glm/gtc/packing.hpp>

#include "core/base/random.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

/// Radiance of the harmonic of degree 0, by which a set's first coefficients are multiplied.
constexpr float kFirstHarmonic = 0.28209479f;

/// A part of the trunk or of a branch, m.
struct Bough {
    vec3 from, to;
    float radius;  ///< at `from`; it shrinks to kTaper of it
};
constexpr float kTaper = 0.7f;

class BlossomTree {
  public:
    BlossomTree(std::size_t n, std::uint64_t seed) : n_(n), random_(seed, 0, 0) {
        set_.name = "tree in blossom";
        set_.shadowed = 0.3f;
    }

    GaussianSet grow() {
        branch({{0, -0.05f, 0}, {0.05f, 0.62f, 0.03f}, 0.085f}, 0);
        auto n_bark = n_ / 5, n_fallen = n_ / 25;
        add_bark(n_bark);
        add_petals(n_ - n_bark - n_fallen);
        add_fallen_petals(n_fallen);
        return std::move(set_);
    }

  private:
    float between(float low, float high) { return low + (high - low) * random_.next(); }
    vec3 direction() {
        float z = between(-1, 1), angle = between(0, 2 * kPi), ring = std::sqrt(1 - z * z);
        return {ring * std::cos(angle), z, ring * std::sin(angle)};
    }

    /// Grows a bough and, up to the fourth generation, two or three from its end.
    void branch(const Bough& bough, int generation) {
        constexpr int kGenerations = 5;
        boughs_.push_back(bough);
        if (generation >= 2) tips_.push_back(bough.to);
        if (generation + 1 == kGenerations) return;
        vec3 ahead = glm::normalize(bough.to - bough.from);
        float length = glm::distance(bough.from, bough.to);
        int n_twigs = generation == 0 || random_.next() < 0.5f ? 3 : 2;
        float first = between(0, 2 * kPi);
        for (int k = 0; k < n_twigs; ++k) {
            float angle = first + 2 * kPi * static_cast<float>(k) / static_cast<float>(n_twigs);
            vec3 aside(std::cos(angle), 0.15f, std::sin(angle));
            vec3 way = glm::normalize(ahead + between(0.6f, 1) * aside + vec3(0, 0.12f, 0));
            branch(
                {bough.to, bough.to + between(0.62f, 0.85f) * length * way, kTaper * bough.radius},
                generation + 1);
        }
    }

    /// Adds a Gaussian whose third axis is `axis`. `srgb`: its colour in full light.
    void add(vec3 center, vec3 deviations, vec3 axis, float opacity, vec3 srgb, float light) {
        // The rotation from the z axis to `axis`; opposite ones look the same.
        if (axis.z < 0) axis = -axis;
        vec4 quaternion = glm::normalize(vec4(1 + axis.z, -axis.y, axis.x, 0));
        set_.centers.push_back(center);
        set_.covariances.push_back(GaussianCovariance::of(deviations, quaternion));
        set_.opacities.push_back(opacity);
        for (int c = 0; c < 3; ++c) {
            float value = std::clamp(srgb[c] * light, 0.0f, 1.0f);
            set_.harmonics.push_back(glm::packHalf1x16((value - 0.5f) / kFirstHarmonic));
        }
    }

    /// Light on a surface with this normal: the sun's and the sky's.
    static float light_on(vec3 normal) {
        const vec3 sun = glm::normalize(vec3(-0.5f, 0.75f, 0.45f));
        return 0.55f + 0.1f * normal.y + 0.4f * std::max(glm::dot(normal, sun), 0.0f);
    }

    void add_bark(std::size_t n) {
        std::vector<float> until;  // of each bough: areas up to its end
        float area = 0;
        for (auto& bough : boughs_)
            until.push_back(area += bough.radius * glm::distance(bough.from, bough.to));
        for (std::size_t i = 0; i < n; ++i) {
            auto found = std::ranges::upper_bound(until, area * random_.next());
            auto& bough = boughs_[std::min(static_cast<std::size_t>(found - until.begin()),
                                           boughs_.size() - 1)];
            float t = random_.next(), radius = bough.radius * (1 - (1 - kTaper) * t);
            vec3 along = glm::normalize(bough.to - bough.from);
            vec3 out = direction();
            out = glm::normalize(out - glm::dot(out, along) * along);
            float thick = 0.12f * radius;
            float tone = between(0.7f, 1.15f);
            add(glm::mix(bough.from, bough.to, t) + radius * out,
                {thick, thick, std::min(0.03f, 2.5f * radius)}, along, 0.9f,
                vec3(0.42f, 0.32f, 0.27f) * tone, light_on(out));
        }
    }

    void add_petals(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            auto tip = tips_[std::min(
                static_cast<std::size_t>(random_.next() * static_cast<float>(tips_.size())),
                tips_.size() - 1)];
            // More of them outside, as flowers are.
            float away = std::sqrt(random_.next());
            vec3 out = direction();
            vec3 normal = glm::normalize(out + 0.8f * direction());
            vec3 pink = glm::mix(vec3(0.98f, 0.88f, 0.91f), vec3(0.93f, 0.5f, 0.63f),
                                 random_.next() * random_.next());
            float size = between(0.006f, 0.012f);
            float shade = 0.65f + 0.35f * away;
            add(tip + away * vec3(0.16f, 0.12f, 0.16f) * out, {size, 0.8f * size, 0.15f * size},
                normal, between(0.75f, 0.97f), pink, shade * light_on(normal) * 1.05f);
        }
    }

    void add_fallen_petals(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            float r = 1.5f * std::sqrt(random_.next()), angle = between(0, 2 * kPi);
            float size = between(0.007f, 0.012f);
            vec3 normal = glm::normalize(vec3(0, 1, 0) + 0.25f * direction());
            add({r * std::cos(angle), 0.004f, r * std::sin(angle)},
                {size, 0.8f * size, 0.15f * size}, normal, 0.9f, {0.93f, 0.74f, 0.79f},
                0.9f * light_on(normal));
        }
    }

    std::size_t n_;
    RandomStream random_;
    GaussianSet set_;
    std::vector<Bough> boughs_;
    std::vector<vec3> tips_;
};

void add_gaussian_tree(Scene& scene, const GeneratorArguments& arguments) {
    auto n = arguments.integer<std::size_t>("gaussians", 200'000, 1'000, 20'000'000);
    auto seed = arguments.integer<std::uint64_t>("seed", 1, 0, 1LL << 53);
    constexpr std::size_t kBytes = sizeof(vec3) + sizeof(GaussianCovariance) + 10;
    require_memory(2 * n * kBytes, std::to_string(n) + " Gaussians");
    scene.gaussians.push_back(BlossomTree(n, seed).grow());
    if (arguments.flag("ground", true)) {
        auto grass = add_material(scene, "ground", MaterialKind::diffuse, {0.3f, 0.33f, 0.22f});
        add_ground(scene, "ground", 12, 0, grass);
    }
    add_directional_light(scene, {0.5f, -0.75f, -0.45f}, vec3(2.6f, 2.4f, 2.1f));
    scene.background = {0.45f, 0.6f, 0.85f};
    scene.camera = {.eye = {0.4f, 1.25f, 4.6f}, .target = {0, 0.95f, 0}, .vertical_fov = 36};
    scene.settings["render"].try_emplace("renderer", "path");  // whitted does not show Gaussians
}

}  // namespace

Generator gaussian_tree_generator() {
    return {"gaussian-tree",
            "A tree in blossom of Gaussians, as 3D Gaussian splatting makes them of photographs: "
            "gaussians (default 200,000), ground (default true), seed (default 1)",
            {"gaussians", "ground", "seed"},
            &add_gaussian_tree};
}

}  // namespace tl
