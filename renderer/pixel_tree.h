// The shade tree of one pixel, for display.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/frame_context.h"

namespace tl {

struct PixelTree {
    enum class State { miss, leaf, reflection, refraction };
    struct Node {
        State state = State::miss;
        int depth = 0;             ///< bounces from the camera
        int n_children = 0;        ///< children, which follow in depth-first order
        vec3 weight{1};            ///< factor of its radiance in its parent's radiance
        vec3 in_pixel{1};          ///< factor of its radiance in the pixel's radiance
        vec3 radiance{0};          ///< radiance sent to its parent, W/(sr m^2)
        std::uint32_t n_rays = 0;  ///< rays of the node's subtree, shadow rays included
        /// Distance of a leaf's hit along its ray. Infinite for a miss, or for a ray whose tree was
        /// too large to keep.
        float distance = 0;
    };
    std::vector<Node> nodes;  ///< the camera ray's node first
};

class PixelTreeSource {
  public:
    virtual ~PixelTreeSource() = default;
    /// The shade tree of pixel (x, y), from one sample with its own random numbers. Waits.
    [[nodiscard]] virtual PixelTree pixel_tree(const Frame& frame, LiveScene& scene, Extent picture,
                                               int x, int y, Scratch& scratch) = 0;
};

}  // namespace tl
