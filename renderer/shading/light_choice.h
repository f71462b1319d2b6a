// Importance sampling of one light among many at a shading point, by a light tree (Conty Estevez &
// Kulla 2018). At every node, one of its four children is sampled in proportion to an estimate of
// its contribution. The CPU advances two traversals at once (light_choice8.h).
#pragma once

#include "core/base/inverse_root.h"
#include "core/device/vectorized_copy.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/chosen_light.h"
#if !defined(__CUDACC__)
#include "renderer/shading/light_choice8.h"
#endif

TL_DEVICE_BEGIN

/// The sine of an angle from its cosine, of the same accuracy.
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

/// A node's child.
TL_HD inline LightChild child_of(const LightTreeView& tree, std::uint32_t node,
                                 std::uint32_t lane) {
#if defined(__CUDA_ARCH__)
    return load_vectorized(tree.children[LightNode::kWidth * node + lane]);
#else
    return tree.nodes[node].at(lane);
#endif
}

/// Estimated contribution of a child's lights at point `p` of a surface with unit `normal`; 0 only
/// if none can arrive. `two_sided`: light from below the surface counts, too.
TL_HD inline float light_importance(const LightChild& child, vec3 p, vec3 normal, bool two_sided) {
    constexpr float kRounding = 1e-5f;
    vec3 way = p - child.center;
    float distance2 = maximum(glm::dot(way, way), 1e-30f), inverse = inverse_root(distance2);
    // Within the bounding sphere light may come from any direction.
    float sin_seen = minimum(child.radius * inverse, 1.0f);
    float cos_seen = sin_seen < 1 ? sine_of(sin_seen) : -1.0f;
    if (cos_seen < 0) sin_seen = 0;
    vec3 from = way * inverse;
    float cos_axis = glm::dot(child.axis, from), sin_axis = sine_of(cos_axis);
    float cos_beyond = cos_of_difference(cos_axis, sin_axis, child.cos_cone, child.sin_cone);
    float sin_beyond = sin_of_difference(cos_axis, sin_axis, child.cos_cone, child.sin_cone);
    float cos_least = cos_of_difference(cos_beyond, sin_beyond, cos_seen, sin_seen);
    float cos_surface = -glm::dot(normal, from);
    if (two_sided) cos_surface = fabsf(cos_surface);
    float arrives = cos_of_difference(cos_surface, sine_of(cos_surface), cos_seen, sin_seen);
    float nearness = minimum(inverse * inverse, 1 / maximum(child.radius * child.radius, 1e-30f));
    float reaches = child.power * maximum(cos_least, 0.05f) * (arrives + kRounding) * nearness;
    return cos_least + kRounding < child.cos_falloff ? 0.0f : maximum(0.0f, reaches);
}

/// LightChild::child of a node's child.
TL_HD inline std::uint32_t below(const LightTreeView& tree, std::uint32_t node,
                                 std::uint32_t lane) {
#if defined(__CUDA_ARCH__)
    return tree.children[LightNode::kWidth * node + lane].child;
#else
    return tree.nodes[node].child[lane];
#endif
}

/// light_importance of all children of a node.
struct LightImportances {
    float of[LightNode::kWidth];

    TL_HD LightImportances(const LightTreeView& tree, std::uint32_t node, vec3 p, vec3 normal,
                           bool two_sided) {
        // Without branches between them, so that a GPU overlaps the children's memory accesses.
        for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane)
            of[lane] = light_importance(child_of(tree, node, lane), p, normal, two_sided);
    }
    [[nodiscard]] TL_HD float sum() const { return (of[0] + of[1]) + (of[2] + of[3]); }
};

/// Samples a light of the tree by a number in [0, 1), testing a node's children one after the
/// other.
TL_HD inline ChosenLight choose_light_by_children(const LightTreeView& tree, vec3 p, vec3 normal,
                                                  bool two_sided, float r) {
    float probability = 1;
    std::uint32_t at = 0;
    while (!(at & LightChild::kLeaf)) {
        LightImportances children(tree, at, p, normal, two_sided);
        float sum = children.sum();
        if (!(sum > 0)) return {0, 0};
        // The last child whose interval starts at or before `r` and whose importance is above 0.
        float scale = probability / sum, end = 0, begin = 0;
        std::uint32_t way = 0;
        probability = 0;
        for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane) {
            float share = children.of[lane] * scale;
            if (share > 0 && r >= end) way = lane, begin = end, probability = share;
            end += share;
        }
        r -= begin;
        at = below(tree, at, way);
    }
    return {at & ~LightChild::kLeaf, probability};
}

/// Probability that choose_light_by_children chooses the light with that path from the root
/// (LightTree::trails).
TL_HD inline float probability_of_light_by_children(const LightTreeView& tree, std::uint64_t trail,
                                                    vec3 p, vec3 normal, bool two_sided) {
    float probability = 1;
    for (std::uint32_t at = 0; !(at & LightChild::kLeaf); trail >>= 2) {
        LightImportances children(tree, at, p, normal, two_sided);
        auto way = static_cast<std::uint32_t>(trail % LightNode::kWidth);
        float taken = 0, sum = children.sum();
        for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane)
            if (lane == way) taken = children.of[lane];
        if (!(taken > 0)) return 0;
        probability *= taken / sum;
        at = below(tree, at, way);
    }
    return probability;
}

#if defined(__CUDACC__)
TL_HD inline ChosenLight choose_light(const LightTreeView& tree, vec3 p, vec3 normal,
                                      bool two_sided, float r) {
    return choose_light_by_children(tree, p, normal, two_sided, r);
}
TL_HD inline float probability_of_light(const LightTreeView& tree, std::uint64_t trail, vec3 p,
                                        vec3 normal, bool two_sided) {
    return probability_of_light_by_children(tree, trail, p, normal, two_sided);
}
#else
/// Samples a light of the tree by a number in [0, 1); chooses as choose_light_by_children, to
/// rounding.
inline ChosenLight choose_light(const LightTreeView& tree, vec3 p, vec3 normal, bool two_sided,
                                float r) {
    LightWalk walk(p, normal, two_sided, r);
    while (walk.continues()) step_by_number(tree.nodes, walk, walk);
    return walk.end();
}

/// Probability that choose_light chooses the light with that path from the root
/// (LightTree::trails).
inline float probability_of_light(const LightTreeView& tree, std::uint64_t trail, vec3 p,
                                  vec3 normal, bool two_sided) {
    LightWalk walk(p, normal, two_sided, 0);
    for (; walk.continues(); trail >>= 2)
        LightChances(tree.nodes, walk, walk)
            .take(tree.nodes, walk, 0, static_cast<unsigned>(trail % LightNode::kWidth));
    return walk.end().probability;
}
#endif

/// Whether any ray may hit an emissive surface, or a background.
TL_HD inline bool any_may_meet_light(const SceneView& scene) {
    return scene.search.has_all_in_tree ? scene.search.tree.exists() : scene.has_visible_light;
}
/// Whether a ray may hit an emissive surface, or a background. False only where it misses the
/// bounding spheres of the light tree's root.
TL_HD inline bool may_meet_light(const SceneView& scene, vec3 origin, vec3 direction) {
    if (!scene.search.has_all_in_tree) return scene.has_visible_light;
    if (!scene.search.tree.exists()) return false;
    constexpr float kRounding = 1e-6f, kWider = 1.001f;  // relative to squares
    for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane) {
        LightChild child = child_of(scene.search.tree, 0, lane);
        if (!(child.power > 0)) continue;
        vec3 way = child.center - origin;
        float along = glm::dot(way, direction), square = glm::dot(way, way);
        float reach = kWider * child.radius * child.radius + kRounding * square;
        if (square <= reach || (along > 0 && square - along * along <= reach)) return true;
    }
    return false;
}

/// Tests choose_any_light's choices before the tree. True where `chosen` is known without traversal
/// of the tree; else `r` is rescaled for the tree.
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
    if (search.only_in_tree != LightSearch::kSeveral) {
        chosen = {search.only_in_tree, 1 / static_cast<float>(n)};
        return true;
    }
    r = minimum(place - static_cast<float>(choice), 1 - 0x1p-24f);
    return false;
}

/// Samples one of all lights by a number in [0, 1): each far light, and the tree, with the same
/// probability.
TL_HD inline ChosenLight choose_any_light(const LightSearch& search, vec3 p, vec3 normal,
                                          bool two_sided, float r) {
    ChosenLight chosen;
    if (is_beside_light_tree(search, r, chosen)) return chosen;
    chosen = choose_light(search.tree, p, normal, two_sided, r);
    chosen.probability /= static_cast<float>(search.n_choices());
    return chosen;
}

#if !defined(__CUDACC__)
/// A shading point: the arguments of choose_any_light.
struct LightChoicePoint {
    vec3 position, normal;
    bool two_sided;
    float r;
};

/// choose_any_light for `n` shading points, at most kMost. The steps of a traversal are sequential,
/// those of different traversals are independent. All advance in an interleaved manner, two at a
/// time, which hides latency.
template <int kMost>
void choose_any_lights(const LightSearch& search, const LightChoicePoint* places, int n,
                       ChosenLight* chosen) {
    LightWalk walks[kMost];
    int walking[kMost], n_walking = 0, in_tree[kMost];
    for (int i = 0; i < n; ++i) {
        const LightChoicePoint& at = places[i];
        float r = at.r;
        if (is_beside_light_tree(search, r, chosen[i])) continue;
        walks[i] = LightWalk(at.position, at.normal, at.two_sided, r);
        in_tree[n_walking] = walking[n_walking] = i;
        ++n_walking;
    }
    const int n_in_tree = n_walking;
    while (n_walking > 0) {
        for (int k = 0; k < n_walking; k += 2)
            step_by_number(search.tree.nodes, walks[walking[k]],
                           walks[walking[k + 1 < n_walking ? k + 1 : k]]);
        int n_left = 0;
        for (int k = 0; k < n_walking; ++k)
            if (walks[walking[k]].continues()) walking[n_left++] = walking[k];
        n_walking = n_left;
    }
    for (int k = 0; k < n_in_tree; ++k) {
        ChosenLight& to = chosen[in_tree[k]];
        to = walks[in_tree[k]].end();
        to.probability /= static_cast<float>(search.n_choices());
    }
}
#endif

/// Probability that choose_any_light chooses the light that a ray from `p` has hit.
TL_HD inline float probability_of_any_light(const SceneView& scene, std::uint32_t light, vec3 p,
                                            vec3 normal, bool two_sided) {
    const LightSearch& search = scene.search;
    auto n = static_cast<float>(search.n_choices());
    LightKind kind = scene.lights[light].kind;
    if (kind == LightKind::environment || kind == LightKind::directional ||
        search.only_in_tree != LightSearch::kSeveral)
        return 1 / n;
    return probability_of_light(search.tree, search.trails[light], p, normal, two_sided) / n;
}

TL_DEVICE_END
