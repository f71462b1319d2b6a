// Post order, one thread a pixel (Zeidan 2011, listing 5.9): a node waits on one stack until the
// colours of its children lie on the other.
#include "renderer/whitted/shade_tree.h"

TL_DEVICE_BEGIN

namespace {

template <class Tracer>
struct PostOrder {
    const Tracer& tracer;
    const WhittedFrame& frame;
    const ShadeTreeView& trees;

    struct Waiting {
        std::uint32_t node;
        std::uint32_t children_done;
    };

    TL_D vec4 leaf(std::uint32_t reference) const {
        WhittedRay ray = trees.leaf_rays[reference];
        Hit hit = trees.leaf_hits[reference];
        std::uint32_t n_rays = 0;
        vec3 radiance;
        if (hit.t >= 0) {
            n_rays = 1;
            radiance = radiance_at(tracer, frame, ray, hit, n_rays);
        } else {
            vec3 in_pixel = ray.weight;
            ray.weight = vec3(1);
            radiance = follow_depth_first(tracer, frame, ray, in_pixel, n_rays);
        }
        return vec4(radiance, static_cast<float>(n_rays));
    }

    TL_D vec4 evaluate(std::uint32_t root) const {
        // Along a path to a leaf every node waits, with at most one sibling of the next.
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
                    colors[n_colors++] = vec4(frame.scene.background, 1);
                    break;
                case ShadeNode::kLeaf:
                    colors[n_colors++] = leaf(reference);
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

struct PostOrderPass {
    Stream& stream;
    const WhittedFrame& frame;
    const ShadeTreeView& trees;
    View<vec4> roots;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        constexpr std::uint32_t kGrain = 256;
        // Copies, since a lambda for the device captures no members.
        WhittedFrame frame = this->frame;
        ShadeTreeView trees = this->trees;
        View<vec4> roots = this->roots;
        parallel_for(
            stream, "evaluate in post order", static_cast<std::uint32_t>(roots.size),
            TL_LAMBDA(std::uint32_t i) {
                roots[i] = PostOrder<Tracer>{tracer, frame, trees}.evaluate(i);
            },
            kGrain);
    }
};

}  // namespace

void evaluate_post_order(Stream& stream, const WhittedFrame& frame, const ShadeTreeView& trees,
                         View<vec4> roots) {
    visit_tracer(frame.scene.tree, PostOrderPass{stream, frame, trees, roots});
}

TL_DEVICE_END
