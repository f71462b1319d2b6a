// Shade trees (Zeidan 2011, section 5.1.2): the hits of a pixel's rays and the rays that each
// spawned, in four-byte nodes. The first nodes are those of the camera rays; the children of a node
// are adjacent.
#pragma once

#include "renderer/whitted/wavefront_kernels.h"

namespace tl {

/// Two bits of state, and an index into the array that the state selects.
struct ShadeNode {
    static constexpr std::uint32_t kStateShift = 30;
    enum State : std::uint32_t {
        kMiss,        ///< no reference
        kLeaf,        ///< index into ShadeTreeView::leaf_rays and leaf_hits
        kReflection,  ///< one child; index into reflections
        kRefraction,  ///< two children; index into refractions
    };
    std::uint32_t bits = 0;

    TL_HD static ShadeNode of(State state, std::uint32_t reference) {
        return {state << kStateShift | reference};
    }
    [[nodiscard]] TL_HD State state() const { return static_cast<State>(bits >> kStateShift); }
    [[nodiscard]] TL_HD std::uint32_t reference() const { return bits & ((1u << kStateShift) - 1); }
};
static_assert(sizeof(ShadeNode) == 4);

/// A hit that spawns one ray: the surface's emission, and the weight of the ray's radiance.
struct alignas(16) Reflection {
    vec3 emitted;
    std::uint32_t child;  ///< node index
    vec3 weight;
    std::uint32_t unused;
};
static_assert(sizeof(Reflection) == 32);

/// A hit that spawns two rays.
struct alignas(16) Refraction {
    vec3 emitted;
    std::uint32_t child;  ///< node index of the first; the second is the next one
    vec3 weight0;
    std::uint32_t unused0;
    vec3 weight1;
    std::uint32_t unused1;
};
static_assert(sizeof(Refraction) == 48);

/// The trees of one chunk. Leaves are compacted over all levels. Leaves whose children exceeded the
/// capacity are allocated from the end of the arrays.
struct ShadeTreeView {
    View<ShadeNode> nodes;
    View<PathRay> leaf_rays;
    View<Hit> leaf_hits;
    View<std::uint32_t> overflows;  ///< leaves whose rays are traced depth first to their end
    View<Reflection> reflections;
    View<Refraction> refractions;
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Computes the radiance of the trees at nodes [0, roots.size) from that of the leaves; one thread
/// walks each tree in post order with explicit stacks. w counts the rays.
void evaluate_post_order(Stream& stream, const SceneView& scene, const ShadeTreeView& trees,
                         View<const vec4> leaf_values, View<vec4> roots);

TL_DEVICE_END
