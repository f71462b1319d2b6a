// Transforms of the nodes of a glTF file, and the animated nodes that move them.
#pragma once

#include <optional>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_animation.h"
#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

/// The placement of a node at rest, and the innermost animated node that moves it.
struct GltfPlacement {
    glm::dmat4 transform{1};  ///< to world space
    int mover = -1;           ///< the node itself or one above it; -1: it stands still
    glm::dmat4 within{1};     ///< from the node to the mover
    int node = -1;            ///< -1: a copy of the mesh

    [[nodiscard]] bool moves() const { return mover >= 0; }
    /// Transform of a moving mesh at rest. It is the identity where the scale is 0, so that the
    /// mesh stays in its own space.
    [[nodiscard]] glm::dmat4 rest() const;
};

class GltfMovers {
  public:
    GltfMovers(const GltfFile& file, const GltfAnimation& animation)
        : file_(file), animation_(animation) {}

    /// Placement of a node of the file, within that of its parent.
    [[nodiscard]] GltfPlacement place_of(int node, const GltfPlacement& parent);

    /// Motion of a mesh from GltfPlacement::rest(), for a placement that moves. None where all
    /// meshes together have too many keys, since each has its own copy of the keys of its nodes.
    [[nodiscard]] std::optional<RigidMotion> motion_at(const GltfPlacement& place);

  private:
    /// An animated node; its index in movers_ counts it.
    struct Mover {
        int node;
        int outer;           ///< the next animated node above it; -1: none
        glm::dmat4 between;  ///< from the node's parent to `outer`, or to the world
    };

    const GltfFile& file_;
    const GltfAnimation& animation_;
    std::vector<Mover> movers_{};
    std::size_t n_bytes_ = 0;  ///< bytes of the joints of all meshes
};

}  // namespace tl
