// The tree of a scene with the geometry that it is over: all that an update writes and rays read.
// There is one such copy, or two that take turns, so that one can be written while rays are traced
// through the other.
#pragma once

#include <vector>

#include "accel/primitives.h"
#include "accel/tree.h"

namespace tl {

/// What can be chosen of a scene's tree. The tree itself knows nothing of frames that overlap.
struct SceneTreeConfig : TreeConfig {
    bool build_ahead = true;  ///< a frame's tree is built while the frame before is traced

    [[nodiscard]] Settings settings();
};

/// One copy.
struct SceneTree {
    DeviceArray<vec3> positions, normals;  ///< of all vertices, also of those that never move
    DeviceArray<Primitive> primitives;     ///< in the tree's leaf order
    Tree tree;

    /// Device memory that it holds.
    [[nodiscard]] std::size_t bytes() const {
        return positions.bytes() + normals.bytes() + primitives.bytes() + tree.bytes();
    }
};

class SceneTrees {
  public:
    [[nodiscard]] SceneTree& newest() { return copies_[newest_]; }
    [[nodiscard]] const SceneTree& newest() const { return copies_[newest_]; }

    /// Makes the older copy the newest, to be updated; at first need a new one on `stream` with the
    /// same vertices. Throws UserError, leaving all as it was, where it does not fit.
    void take_turn(Stream& stream);
    /// Keeps the newest alone. Nothing may be reading the other.
    void end_turns();
    [[nodiscard]] bool taking_turns() const { return copies_.size() > 1; }

    /// The next update of each is a build.
    void invalidate();
    /// Device memory of all copies.
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<SceneTree> copies_ = std::vector<SceneTree>(1);
    std::size_t newest_ = 0;
};

}  // namespace tl
