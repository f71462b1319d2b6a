#include "renderer/scene/live/moving_lights.h"

namespace tl {

MovingLights::MovingLights(Stream& stream, std::vector<MovingLight> moving, const LightTree& tree,
                           std::span<const LightBounds> bounds) {
    if (moving.empty()) return;
    auto& nodes = tree.nodes;
    std::vector<std::uint32_t> leaf_of(bounds.size(), 0);
    std::vector<LightBounds> of_node(nodes.size());
    std::vector<LightNodeParent> parents(nodes.size());
    std::vector<bool> moves(nodes.size(), false), light_moves(bounds.size(), false);
    for (auto& light : moving) light_moves[light.light] = true;
    // Children come after their parents.
    for (std::size_t i = nodes.size(); i-- > 0;) {
        std::uint32_t child = nodes[i].child;
        if (child & LightNode::kLeaf) {
            std::uint32_t light = child & ~LightNode::kLeaf;
            leaf_of[light] = static_cast<std::uint32_t>(i);
            of_node[i] = bounds[light];
            moves[i] = light_moves[light];
            continue;
        }
        of_node[i] = LightBounds::united(of_node[child], of_node[child + 1]);
        moves[i] = moves[child] || moves[child + 1];
        std::uint32_t both = moves[child] && moves[child + 1] ? LightNodeParent::kBothMove : 0;
        for (std::uint32_t side = 0; side < 2; ++side)
            parents[child + side].bits = static_cast<std::uint32_t>(i) | both;
    }
    for (auto& light : moving) light.node = leaf_of[light.light];
    moving_.assign(stream, moving);
    bounds_.assign(stream, of_node);
    parents_.assign(stream, parents);
    arrived_.resize_discard(stream, nodes.size());
    arrived_.fill_zero(stream);
}

void MovingLights::update(Stream& stream, const SceneView& scene, View<LightData> lights,
                          View<LightNode> nodes) {
    if (in_update_) arrived_.fill_zero(stream);
    in_update_ = true;
    LightRefit refit{moving_.view(), lights,          nodes,
                     bounds_.view(), parents_.view(), arrived_.view()};
    TL_DISPATCH(stream.device(), move_lights(stream, scene, refit));
    in_update_ = false;
}

std::size_t MovingLights::bytes() const {
    return moving_.bytes() + bounds_.bytes() + parents_.bytes() + arrived_.bytes();
}

}  // namespace tl
