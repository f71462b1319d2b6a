#include <array>
#include <cmath>

#include "renderer/scene/generators/forest_parts.h"

namespace tl {
namespace {

constexpr int kBranches = 9, kTwigs = 3, kLeavesOfTwig = 48;

/// A unit vector at an angle above the horizon, radians.
vec3 direction(float around, float above) {
    return {std::cos(above) * std::cos(around), std::sin(above),
            std::cos(above) * std::sin(around)};
}

class Tree {
  public:
    Tree(Mesh& wood, Mesh& leaves, vec3 foot, float height, RandomStream& random,
         const TreeColors& colors)
        : wood_(wood),
          leaves_(leaves),
          foot_(foot),
          height_(height),
          random_(random),
          colors_(colors) {}

    void grow() {
        constexpr int kRings = 12;
        std::array<vec4, kRings> trunk;
        vec3 lean = 0.06f * direction(2 * kPi * random_.next(), 0);
        float bow = 2 * kPi * random_.next();
        auto along = [&](float t) {
            vec3 sway = t * t * lean +
                        0.025f * t * std::sin(4 * t + bow) * vec3(lean.z, 0, -lean.x) / 0.06f;
            return foot_ + height_ * (vec3(0, 0.8f * t, 0) + sway);
        };
        auto radius = [&](float t) {
            return height_ * (0.032f * (1 - 0.8f * t) + 0.035f * std::exp(-14 * t));
        };
        for (int i = 0; i < kRings; ++i) {
            float t = static_cast<float>(i) / (kRings - 1);
            t *= 0.4f + 0.6f * t;  // closer rings where the roots flare
            trunk[static_cast<std::size_t>(i)] =
                vec4(along(t) - vec3(0, 0.05f * height_ * (i == 0), 0), radius(t));
        }
        add_tube(wood_, trunk, 14, colors_.bark);
        float turn = 2 * kPi * random_.next();
        for (int i = 0; i < kBranches; ++i) {
            float t = 0.42f + 0.56f * (static_cast<float>(i) + random_.next()) / kBranches;
            float around = turn + 2.4f * static_cast<float>(i);  // the golden angle
            grow_branch(along(t), 0.6f * radius(t), around, 0.25f + 0.9f * t * t,
                        height_ * (0.42f - 0.24f * t) * (0.8f + 0.4f * random_.next()));
        }
    }

  private:
    void grow_branch(vec3 from, float radius, float around, float above, float length) {
        std::array<vec4, 5> branch;
        for (int i = 0; i < 5; ++i) {
            float t = 0.25f * static_cast<float>(i);
            vec3 place = from + length * t * direction(around + 0.3f * t, above + 0.35f * t);
            branch[static_cast<std::size_t>(i)] = vec4(place, radius * (1 - 0.75f * t));
        }
        add_tube(wood_, branch, 7, colors_.bark);
        for (int i = 0; i < kTwigs; ++i) {
            vec4 at = branch[static_cast<std::size_t>(i) + 2];
            float side = i == 1 ? -0.8f : i == 0 ? 0.8f : 0.1f;
            grow_twig(vec3(at), 0.6f * at.w, around + side, above + 0.3f, 0.45f * length);
        }
    }
    void grow_twig(vec3 from, float radius, float around, float above, float length) {
        std::array<vec4, 3> twig;
        for (int i = 0; i < 3; ++i) {
            float t = 0.5f * static_cast<float>(i);
            twig[static_cast<std::size_t>(i)] = vec4(
                from + length * t * direction(around, above + 0.4f * t), radius * (1 - 0.7f * t));
        }
        add_tube(wood_, twig, 4, colors_.bark);
        add_foliage(vec3(twig[2]), 0.5f * length + 0.05f * height_);
    }
    /// Adds leaves in a flattened ball, which face outwards and hang down.
    void add_foliage(vec3 center, float radius) {
        auto tone = static_cast<int>(random_.next_uint() % 3);
        for (int i = 0; i < kLeavesOfTwig; ++i) {
            float y = 2 * random_.next() - 1;
            vec3 out = direction(2 * kPi * random_.next(), std::asin(y));
            vec3 place =
                center + radius * std::cbrt(random_.next()) * vec3(out.x, 0.7f * out.y, out.z);
            float size = height_ * (0.018f + 0.014f * random_.next());
            vec3 ahead = glm::normalize(direction(2 * kPi * random_.next(), -0.5f) + 0.5f * out);
            vec3 aside = glm::normalize(glm::cross(ahead, out + vec3(0, 1.1f, 0)));
            int shade = random_.next() < 0.75f ? tone : static_cast<int>(random_.next_uint() % 3);
            add_leaf(leaves_, place, 2.2f * size * ahead, 0.75f * size * aside,
                     out + vec3(0, 1.1f, 0), colors_.leaves[shade]);
        }
    }

    Mesh& wood_;
    Mesh& leaves_;
    vec3 foot_;
    float height_;
    RandomStream& random_;
    const TreeColors& colors_;
};

}  // namespace

void grow_tree(Mesh& wood, Mesh& leaves, vec3 foot, float height, RandomStream& random,
               const TreeColors& colors) {
    Tree(wood, leaves, foot, height, random, colors).grow();
}

void add_leaf(Mesh& mesh, vec3 stalk, vec3 ahead, vec3 aside, vec3 up, std::int32_t material) {
    if (glm::dot(glm::cross(aside, ahead), up) < 0) aside = -aside;
    vec3 fold = 0.15f * glm::length(aside) * glm::normalize(glm::cross(aside, ahead));
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    vec3 widest = stalk + 0.45f * ahead + fold;
    mesh.positions.insert(mesh.positions.end(),
                          {stalk, widest + aside, stalk + ahead, widest - aside});
    add_quad(mesh, first, first + 1, first + 2, first + 3, material);
}

}  // namespace tl
