#include "renderer/scene/live/lights/moving_lights.h"

namespace tl {

MovingLights::MovingLights(Stream& stream, std::vector<MovingLight> moving, const LightTree& tree,
                           std::span<const LightBounds> bounds) {
    if (moving.empty()) return;
    auto& splits = tree.splits;
    std::vector<std::uint32_t> split_of(bounds.size(), 0);
    std::vector<LightBounds> of_split(splits.size());
    std::vector<LightAscent> ascents(splits.size());
    std::vector<bool> moves(splits.size(), false), light_moves(bounds.size(), false);
    for (auto& light : moving) light_moves[light.light] = true;
    // Children come after their parents.
    for (std::size_t i = splits.size(); i-- > 0;) {
        ascents[i].lane = splits[i].lane;
        std::uint32_t child = splits[i].child;
        if (child & LightChild::kLeaf) {
            std::uint32_t light = child & ~LightChild::kLeaf;
            split_of[light] = static_cast<std::uint32_t>(i);
            of_split[i] = bounds[light];
            moves[i] = light_moves[light];
            continue;
        }
        of_split[i] = LightBounds::united(of_split[child], of_split[child + 1]);
        moves[i] = moves[child] || moves[child + 1];
        std::uint32_t both = moves[child] && moves[child + 1] ? LightAscent::kBothMove : 0;
        for (std::uint32_t side = 0; side < 2; ++side)
            ascents[child + side].bits = static_cast<std::uint32_t>(i) | both;
    }
    for (auto& light : moving) light.split = split_of[light.light];
    moving_.assign(stream, moving);
    bounds_.assign(stream, of_split);
    ascents_.assign(stream, ascents);
    arrived_.resize_discard(stream, splits.size());
    arrived_.fill_zero(stream);
}

void MovingLights::update(Stream& stream, const SceneView& scene, View<LightData> lights,
                          const LightChildrenToWrite& tree) {
    if (in_update_) arrived_.fill_zero(stream);
    in_update_ = true;
    LightRefit refit{moving_.view(), lights,          tree,
                     bounds_.view(), ascents_.view(), arrived_.view()};
    TL_DISPATCH(stream.device(), move_lights(stream, scene, refit));
    in_update_ = false;
}

std::size_t MovingLights::bytes() const {
    return moving_.bytes() + bounds_.bytes() + ascents_.bytes() + arrived_.bytes();
}

}  // namespace tl
