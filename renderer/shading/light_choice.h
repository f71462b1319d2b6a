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
/// Walks down the tree to a leaf, two levels in a step, and returns that leaf's LightNode::child.
/// `choose` decides at every node; where no light arrives at `p` at all, the walk ends early and
/// `probability` is 0.
///
/// `probability`: 1 at first, in the end that of all decisions together.
/// choose(shares, first, probability) returns which of two siblings is next, 0 or 1: shares[first]
/// and shares[first + 1] are the parts that they have of `probability`, which is that of having
/// come to their parent. (LightStep8 tells which sibling has which place in `shares`.)
template <class Choose>
TL_ALWAYS_INLINE std::uint32_t walk_light_tree(const LightNode* nodes, vec3 p, vec3 normal,
                                               bool two_sided, float& probability,
                                               Choose&& choose) {
    std::uint32_t at = nodes[0].child;
    if (at & LightNode::kLeaf && !(light_importance(nodes[0], p, normal, two_sided) > 0))
        probability = 0;
    while (!(at & LightNode::kLeaf) && probability > 0) {
        LightStep8 step(nodes, at);
        alignas(32) float shares[8];
        step.shares(p, normal, two_sided, shares);
        int side = choose(shares, 0, probability);
        probability *= shares[side];
        int first = 2 + 2 * side, lane = first + choose(shares, first, probability);
        probability *= shares[lane];
        at = step.child(lane);
    }
    return at;
}

/// Chooses a light of the tree by a number in [0, 1): the one that choose_light_by_nodes chooses,
/// to rounding.
inline ChosenLight choose_light(const LightNode* nodes, vec3 p, vec3 normal, bool two_sided,
                                float r) {
    float probability = 1;
    std::uint32_t leaf = walk_light_tree(nodes, p, normal, two_sided, probability,
                                         [&r](const float* shares, int first, float before) {
                                             // r is even in [0, before).
                                             float of_first = before * shares[first];
                                             // Without branches, which nobody could foretell.
                                             int second = static_cast<int>(r >= of_first) &
                                                          static_cast<int>(shares[first + 1] > 0);
                                             r -= of_first * static_cast<float>(second);
                                             return second;
                                         });
    return {leaf & ~LightNode::kLeaf, probability};
}

/// The probability with which choose_light chooses the light with that trail.
inline float probability_of_light(const LightNode* nodes, std::uint64_t trail, vec3 p, vec3 normal,
                                  bool two_sided) {
    float probability = 1;
    walk_light_tree(nodes, p, normal, two_sided, probability, [&trail](const float*, int, float) {
        int second = static_cast<int>(trail & 1);
        trail >>= 1;
        return second;
    });
    return probability;
}
#endif

/// Chooses one of all lights by a number in [0, 1): each far one, and the tree, with the same
/// probability.
TL_HD inline ChosenLight choose_any_light(const LightSearch& search, vec3 p, vec3 normal,
                                          bool two_sided, float r) {
    std::uint32_t n = search.n_choices();
    if (n == 0) return {0, 0};
    float place = r * static_cast<float>(n);
    auto choice = static_cast<std::uint32_t>(place);
    if (choice >= n) choice = n - 1;
    if (choice < search.n_far) return {search.far_lights[choice], 1 / static_cast<float>(n)};
    float rest = minimum(place - static_cast<float>(choice), 1 - 0x1p-24f);
    ChosenLight chosen = choose_light(search.nodes, p, normal, two_sided, rest);
    chosen.probability /= static_cast<float>(n);
    return chosen;
}

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
