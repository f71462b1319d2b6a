// The tree of a scene with its geometry: all data that an update writes and rays read. It is
// double-buffered on demand: one copy can be written while rays are traced through the other.
#pragma once

#include <vector>

#include "accel/primitives.h"
#include "accel/tree.h"

namespace tl {

/// Settings of a scene's tree: those of the tree itself, and whether frames overlap.
struct SceneTreeConfig : TreeConfig {
    bool build_ahead = true;  ///< a frame's tree is built while the last one is traced

    [[nodiscard]] static const SettingsOf<SceneTreeConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// One copy of a scene's tree and vertices.
struct SceneTree {
    DeviceArray<vec3> positions, normals;  ///< all vertices, static ones included
    DeviceArray<Primitive> primitives;     ///< in the tree's leaf order
    Tree tree;

    /// Bytes of device memory in use.
    [[nodiscard]] std::size_t bytes() const {
        return positions.bytes() + normals.bytes() + primitives.bytes() + tree.bytes();
    }
};

class SceneTrees {
  public:
    [[nodiscard]] SceneTree& newest() { return copies_[newest_]; }
    [[nodiscard]] const SceneTree& newest() const { return copies_[newest_]; }

    /// Makes the older copy the newest, to be updated. The first call makes that copy on `stream`,
    /// with the same vertices. Where it does not fit, throws UserError and changes nothing.
    void take_turn(Stream& stream);
    /// Keeps only the newest copy. No work may be reading the other.
    void end_turns();
    [[nodiscard]] bool taking_turns() const { return copies_.size() > 1; }

    /// Makes the next update of each copy a build.
    void invalidate();
    /// Device memory of all copies.
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<SceneTree> copies_ = std::vector<SceneTree>(1);
    std::size_t newest_ = 0;
};

}  // namespace tl
