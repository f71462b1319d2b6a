// The light tree in device memory, in the layout of that device.
#pragma once

#include <vector>

#include "core/device/array.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Writable children of all nodes, in device memory; one of the views is empty.
struct LightChildrenToWrite {
    View<LightNode> nodes;
    View<LightChild> children;

    /// Sets the bounds of a child, LightNode::kWidth * node + lane.
    TL_HD void set_bounds(std::uint32_t place, const LightBounds& bounds) const {
        std::uint32_t node = place / LightNode::kWidth, lane = place % LightNode::kWidth;
        if (children.empty())
            nodes[node].set(lane, LightChild::of(bounds, nodes[node].child[lane]));
        else
            children[place] = LightChild::of(bounds, children[place].child);
    }
};

/// Owner of a light tree's memory: nodes on the CPU, their children one by one on a GPU.
class LiveLightTree {
  public:
    void assign(Stream& stream, const std::vector<LightNode>& nodes) {
        if (stream.device().kind() == DeviceKind::cpu) return nodes_.assign(stream, nodes);
        std::vector<LightChild> children;
        for (auto& node : nodes)
            for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane)
                children.push_back(node.at(lane));
        children_.assign(stream, children);
    }
    [[nodiscard]] LightTreeView view() const { return {nodes_.data(), children_.data()}; }
    [[nodiscard]] LightChildrenToWrite to_write() { return {nodes_.view(), children_.view()}; }
    [[nodiscard]] std::size_t bytes() const { return nodes_.bytes() + children_.bytes(); }

  private:
    DeviceArray<LightNode> nodes_;
    DeviceArray<LightChild> children_;
};

}  // namespace tl
