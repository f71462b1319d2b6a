// The shade tree of one pixel, for people to look at.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/renderer.h"

namespace tl {

struct PixelTree {
    enum class State { miss, leaf, reflection, refraction };
    struct Node {
        State state = State::miss;
        int depth = 0;             ///< bounces from the camera
        int n_children = 0;        ///< which follow, each with its own before the next
        vec3 weight{1};            ///< of its radiance in its parent's
        vec3 in_pixel{1};          ///< of its radiance in the pixel's
        vec3 radiance{0};          ///< that it sends to its parent, W/(sr m^2)
        std::uint32_t n_rays = 0;  ///< of it and of all below, shadow rays included
        float distance = 0;        ///< of a leaf's hit from where its ray starts; infinite: none
    };
    std::vector<Node> nodes;  ///< the camera's ray first
};

class PixelTreeSource {
  public:
    virtual ~PixelTreeSource() = default;
    /// The tree of pixel (x, y) of a picture, by one sample with numbers of its own. Waits.
    [[nodiscard]] virtual PixelTree pixel_tree(const Frame& frame, LiveScene& scene, Extent picture,
                                               int x, int y, Scratch& scratch) = 0;
};

}  // namespace tl
