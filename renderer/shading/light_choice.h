// The choice of one light among many at a point, by a light tree: at every node one child is taken
// by chance, in proportion to an upper bound of what its lights may bring. The CPU takes two nodes
// in one step (light_choice8.h).
#pragma once

#include "renderer/scene/light_tree.h"
#include "renderer/scene/live/scene_view.h"
#if !defined(__CUDACC__)
#include "renderer/shading/light_choice8.h"
#endif

TL_DEVICE_BEGIN

/// A light and the probability with which it is chosen.
struct ChosenLight {
    std::uint32_t index;
    float probability;  ///< 0: no light reaches the point
};

/// 1 / sqrt(x) for x > 0, to a few units in the last place.
TL_HD inline float inverse_root(float x) {
#if defined(__CUDA_ARCH__)
    return rsqrtf(x);
#else
    return 1 / sqrtf(x);
#endif
}
/// The sine of an angle from its cosine, in the same way.
TL_HD inline float sine_of(float cosine) {
    float square = maximum(1 - cosine * cosine, 1e-20f);
    return square * inverse_root(square);
}
/// The cosine of max(0, a - b), from the angles' cosines and sines.
TL_HD inline float cos_of_difference(float cos_a, float sin_a, float cos_b, float sin_b) {
    return cos_a > cos_b ? 1.0f : cos_a * cos_b + sin_a * sin_b;
}
/// The sine of max(0, a - b).
TL_HD inline float sin_of_difference(float cos_a, float sin_a, float cos_b, float sin_b) {
    return cos_a > cos_b ? 0.0f : sin_a * cos_b - cos_a * sin_b;
}

/// About how much light of a node reaches point `p` of a surface with unit `normal`; 0 only if none
/// does. `two_sided`: light from below the surface counts, too.
TL_HD inline float light_importance(const LightNode& node, vec3 p, vec3 normal, bool two_sided) {
    constexpr float kRounding = 1e-5f;
    vec3 way = p - node.center;
    float distance2 = maximum(glm::dot(way, way), 1e-30f), inverse = inverse_root(distance2);
    // Within the bounding sphere light may come from anywhere.
    float sin_seen = minimum(node.radius * inverse, 1.0f);
    float cos_seen = sin_seen < 1 ? sine_of(sin_seen) : -1.0f;
    if (cos_seen < 0) sin_seen = 0;
    vec3 from = way * inverse;
    float cos_axis = glm::dot(node.axis, from), sin_axis = sine_of(cos_axis);
    float cos_beyond = cos_of_difference(cos_axis, sin_axis, node.cos_cone, node.sin_cone);
    float sin_beyond = sin_of_difference(cos_axis, sin_axis, node.cos_cone, node.sin_cone);
    float cos_least = cos_of_difference(cos_beyond, sin_beyond, cos_seen, sin_seen);
    if (cos_least + kRounding < node.cos_falloff) return 0;
    float cos_surface = -glm::dot(normal, from);
    if (two_sided) cos_surface = fabsf(cos_surface);
    float arrives = cos_of_difference(cos_surface, sine_of(cos_surface), cos_seen, sin_seen);
    float nearness = minimum(inverse * inverse, 1 / maximum(node.radius * node.radius, 1e-30f));
    return maximum(0.0f, node.power * maximum(cos_least, 0.05f) * (arrives + kRounding) * nearness);
}

/// The probability of the first of a node's two children; below 0 where neither sends light.
TL_HD inline float first_child_share(const LightNode* nodes, std::uint32_t child, vec3 p,
                                     vec3 normal, bool two_sided) {
    float first = light_importance(nodes[child], p, normal, two_sided);
    float second = light_importance(nodes[child + 1], p, normal, two_sided);
    return first + second > 0 ? first / (first + second) : -1.0f;
}

/// The probability of the root, before any choice.
TL_HD inline float root_share(const LightNode* nodes, vec3 p, vec3 normal, bool two_sided) {
    return light_importance(nodes[0], p, normal, two_sided) > 0 ? 1.0f : 0.0f;
}

/// Chooses a light of the tree by a number in [0, 1), node by node.
TL_HD inline ChosenLight choose_light_by_nodes(const LightNode* nodes, vec3 p, vec3 normal,
                                               bool two_sided, float r) {
    ChosenLight chosen{0, root_share(nodes, p, normal, two_sided)};
    std::uint32_t at = nodes[0].child;
    while (!(at & LightNode::kLeaf)) {
        float share = first_child_share(nodes, at, p, normal, two_sided);
        if (share < 0) return {0, 0};
        bool first = r < share;
        r = first ? r / share : (r - share) / (1 - share);
        chosen.probability *= first ? share : 1 - share;
        at = nodes[at + (first ? 0 : 1)].child;
    }
    chosen.index = at & ~LightNode::kLeaf;
    return chosen;
}

/// The probability with which choose_light_by_nodes chooses the light with that trail.
TL_HD inline float probability_of_light_by_nodes(const LightNode* nodes, std::uint64_t trail,
                                                 vec3 p, vec3 normal, bool two_sided) {
    float probability = root_share(nodes, p, normal, two_sided);
    for (std::uint32_t at = nodes[0].child; !(at & LightNode::kLeaf); trail >>= 1) {
        float share = first_child_share(nodes, at, p, normal, two_sided);
        if (share < 0) return 0;
        bool second = trail & 1;
        probability *= second ? 1 - share : share;
        at = nodes[at + (second ? 1 : 0)].child;
    }
    return probability;
}

#if defined(__CUDACC__)
TL_HD inline ChosenLight choose_light(const LightNode* nodes, vec3 p, vec3 normal, bool two_sided,
                                      float r) {
    return choose_light_by_nodes(nodes, p, normal, two_sided, r);
}
TL_HD inline float probability_of_light(const LightNode* nodes, std::uint64_t trail, vec3 p,
                                        vec3 normal, bool two_sided) {
    return probability_of_light_by_nodes(nodes, trail, p, normal, two_sided);
}
#else
/// A way down the tree to a leaf, two levels in a step.
class LightWalk8 {
  public:
    LightWalk8() = default;
    TL_ALWAYS_INLINE LightWalk8(const LightNode* nodes, vec3 p, vec3 normal, bool two_sided)
        : nodes_(nodes), p_(p), normal_(normal), at_(nodes[0].child), two_sided_(two_sided) {
        if (at_ & LightNode::kLeaf && !(light_importance(nodes[0], p, normal, two_sided) > 0))
            probability_ = 0;
    }
    /// Whether the walk is not at a leaf; it ends early where no light arrives at all.
    [[nodiscard]] bool goes_on() const { return !(at_ & LightNode::kLeaf) && probability_ > 0; }
    /// The light of the leaf, and the chance of all decisions together.
    [[nodiscard]] ChosenLight end() const { return {at_ & ~LightNode::kLeaf, probability_}; }
    /// choose(LightChances) returns which of the four ways is taken.
    template <class Choose>
    TL_ALWAYS_INLINE void step(Choose&& choose) {
        LightStep8 step(nodes_, at_);
        LightChances chances;
        step.chances(p_, normal_, two_sided_, probability_, chances);
        int way = choose(chances);
        probability_ = chances.own[way];
        at_ = step.child(way);
        if (goes_on()) LightStep8::prefetch(nodes_, at_);
    }
    /// A step by a number that is even in [0, the chance so far), and is then in that after it.
    TL_ALWAYS_INLINE void step_by(float& r) {
        step([&r](const LightChances& chances) {
            int way = chances.way(r);
            r -= chances.before[way];
            return way;
        });
    }

  private:
    const LightNode* nodes_;
    vec3 p_, normal_;
    float probability_ = 1;
    std::uint32_t at_;
    bool two_sided_;
};

/// Chooses a light of the tree by a number in [0, 1): the one that choose_light_by_nodes chooses,
/// to rounding.
inline ChosenLight choose_light(const LightNode* nodes, vec3 p, vec3 normal, bool two_sided,
                                float r) {
    LightWalk8 walk(nodes, p, normal, two_sided);
    while (walk.goes_on()) walk.step_by(r);
    return walk.end();
}

/// The probability with which choose_light chooses the light with that trail.
inline float probability_of_light(const LightNode* nodes, std::uint64_t trail, vec3 p, vec3 normal,
                                  bool two_sided) {
    LightWalk8 walk(nodes, p, normal, two_sided);
    for (; walk.goes_on(); trail >>= 2)
        walk.step([trail](const LightChances&) {
            // The first decision is the lower bit.
            return static_cast<int>((trail & 1) << 1 | (trail >> 1 & 1));
        });
    return walk.end().probability;
}
#endif

/// The first part of choose_any_light: true where no light of the tree is to be chosen, but
/// `chosen`; else `r` becomes the tree's number.
TL_HD inline bool is_beside_light_tree(const LightSearch& search, float& r, ChosenLight& chosen) {
    std::uint32_t n = search.n_choices();
    chosen = {0, 0};
    if (n == 0) return true;
    float place = r * static_cast<float>(n);
    auto choice = static_cast<std::uint32_t>(place);
    if (choice >= n) choice = n - 1;
    if (choice < search.n_far) {
        chosen = {search.far_lights[choice], 1 / static_cast<float>(n)};
        return true;
    }
    r = minimum(place - static_cast<float>(choice), 1 - 0x1p-24f);
    return false;
}

/// Chooses one of all lights by a number in [0, 1): each far one, and the tree, with the same
/// probability.
TL_HD inline ChosenLight choose_any_light(const LightSearch& search, vec3 p, vec3 normal,
                                          bool two_sided, float r) {
    ChosenLight chosen;
    if (is_beside_light_tree(search, r, chosen)) return chosen;
    chosen = choose_light(search.nodes, p, normal, two_sided, r);
    chosen.probability /= static_cast<float>(search.n_choices());
    return chosen;
}

#if !defined(__CUDACC__)
/// A place that gets light: the arguments of choose_any_light.
struct PlaceToLight {
    vec3 position, normal;
    bool two_sided;
    float r;
};

/// choose_any_light for `n` places, kMost or fewer. A step of a walk waits for the one before, but
/// not for those of other walks, so that all of them take steps in turns.
template <int kMost>
void choose_any_lights(const LightSearch& search, const PlaceToLight* places, int n,
                       ChosenLight* chosen) {
    LightWalk8 walks[kMost];
    float r[kMost];
    unsigned walking = 0;
    for (int i = 0; i < n; ++i) {
        const PlaceToLight& at = places[i];
        r[i] = at.r;
        if (is_beside_light_tree(search, r[i], chosen[i])) continue;
        walks[i] = LightWalk8(search.nodes, at.position, at.normal, at.two_sided);
        walking |= 1u << i;
    }
    const unsigned in_tree = walking;
    while (walking)
        for (unsigned rest = walking; rest; rest &= rest - 1) {
            int i = std::countr_zero(rest);
            if (walks[i].goes_on())
                walks[i].step_by(r[i]);
            else
                walking &= ~(1u << i);
        }
    for (unsigned rest = in_tree; rest; rest &= rest - 1) {
        int i = std::countr_zero(rest);
        chosen[i] = walks[i].end();
        chosen[i].probability /= static_cast<float>(search.n_choices());
    }
}
#endif

/// The probability with which choose_any_light chooses the light that a ray from `p` has met.
TL_HD inline float probability_of_any_light(const SceneView& scene, std::uint32_t light, vec3 p,
                                            vec3 normal, bool two_sided) {
    const LightSearch& search = scene.search;
    auto n = static_cast<float>(search.n_choices());
    LightKind kind = scene.lights[light].kind;
    if (kind == LightKind::environment || kind == LightKind::directional) return 1 / n;
    return probability_of_light(search.nodes, search.trails[light], p, normal, two_sided) / n;
}

TL_DEVICE_END
