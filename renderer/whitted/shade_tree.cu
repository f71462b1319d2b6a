// Post-order evaluation, one thread per pixel (Zeidan 2011, listing 5.9). A node stays on one stack
// until the colours of its children are on the other. Unlike in the listing, leaves were shaded
// beforehand.
#include "renderer/whitted/shade_tree.h"

TL_DEVICE_BEGIN

namespace {

struct PostOrder {
    vec3 background;
    ShadeTreeView trees;
    View<const vec4> leaf_values;

    struct Waiting {
        std::uint32_t node;
        std::uint32_t children_done;
    };

    TL_D vec4 evaluate(std::uint32_t root) const {
        // Every node on the path to a leaf is on the stack, each with at most one sibling of its
        // child.
        Waiting nodes[2 * kWavefrontLevels];
        vec4 colors[kWavefrontLevels + 1];
        int n_nodes = 0, n_colors = 0;
        nodes[n_nodes++] = {root, 0};
        while (n_nodes > 0) {
            Waiting w = nodes[--n_nodes];
            ShadeNode node = trees.nodes[w.node];
            std::uint32_t reference = node.reference();
            switch (node.state()) {
                case ShadeNode::kMiss:
                    colors[n_colors++] = vec4(background, 1);
                    break;
                case ShadeNode::kLeaf:
                    colors[n_colors++] = leaf_values[reference];
                    break;
                case ShadeNode::kReflection: {
                    Reflection r = trees.reflections[reference];
                    if (w.children_done) {
                        vec4& color = colors[n_colors - 1];
                        color = vec4(r.emitted, 1) + vec4(r.weight, 1) * color;
                    } else {
                        nodes[n_nodes++] = {w.node, 1};
                        nodes[n_nodes++] = {r.child, 0};
                    }
                    break;
                }
                case ShadeNode::kRefraction: {
                    Refraction r = trees.refractions[reference];
                    if (w.children_done) {
                        vec4 first = colors[--n_colors];
                        vec4& second = colors[n_colors - 1];
                        second = vec4(r.emitted, 1) + vec4(r.weight0, 1) * first +
                                 vec4(r.weight1, 1) * second;
                    } else {
                        nodes[n_nodes++] = {w.node, 1};
                        nodes[n_nodes++] = {r.child, 0};
                        nodes[n_nodes++] = {r.child + 1, 0};
                    }
                    break;
                }
            }
        }
        return colors[0];
    }
};

}  // namespace

void evaluate_post_order(Stream& stream, const SceneView& scene, const ShadeTreeView& trees,
                         View<const vec4> leaf_values, View<vec4> roots) {
    constexpr std::uint32_t kGrain = 256;
    PostOrder walk{scene.background, trees, leaf_values};
    parallel_for(
        stream, "evaluate in post order", static_cast<std::uint32_t>(roots.size),
        TL_LAMBDA(std::uint32_t i) { roots[i] = walk.evaluate(i); }, kGrain);
}

TL_DEVICE_END
