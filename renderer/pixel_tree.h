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
        int n_children = 0;        ///< they follow in depth-first order
        vec3 weight{1};            ///< factor of its radiance in its parent's
        vec3 in_pixel{1};          ///< factor of its radiance in the pixel's
        vec3 radiance{0};          ///< that it sends to its parent, W/(sr m^2)
        std::uint32_t n_rays = 0;  ///< of the node's subtree, shadow rays included
        /// Of a leaf's hit from its ray's origin; infinite: a miss, or a ray whose tree was too
        /// large to keep.
        float distance = 0;
    };
    std::vector<Node> nodes;  ///< the camera's ray first
};

class PixelTreeSource {
  public:
    virtual ~PixelTreeSource() = default;
    /// The shade tree of pixel (x, y), from one sample with its own random numbers. Waits.
    [[nodiscard]] virtual PixelTree pixel_tree(const Frame& frame, LiveScene& scene, Extent picture,
                                               int x, int y, Scratch& scratch) = 0;
};

}  // namespace tl
