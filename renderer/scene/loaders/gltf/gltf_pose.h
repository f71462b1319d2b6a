// Where the nodes of a glTF file are at a moment of its animation.
#pragma once

#include <optional>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_animation.h"
#include "renderer/scene/loaders/gltf/gltf_file.h"

namespace tl {

/// The transform of a node at rest, to the node above it.
[[nodiscard]] glm::dmat4 local_transform(const tinygltf::Node& node);

class GltfPose {
  public:
    /// At rest; both must outlive this.
    GltfPose(const GltfFile& file, const GltfAnimation& animation);

    /// Places the whole scene; at first it is where the file has it.
    void place(const glm::dmat4& root);
    /// Moves all nodes to where they are at that time, seconds; none: at rest.
    void set_time(std::optional<double> seconds);
    /// The transform of a node to world space; the identity for a node that is in no tree.
    [[nodiscard]] const glm::dmat4& of(int node) const;
    /// Whether a node or one above it is animated.
    [[nodiscard]] bool moves(int node) const;

    /// The nodes that no other node has as a child.
    [[nodiscard]] static std::vector<int> roots(const GltfFile& file);

  private:
    void pose();

    const GltfFile& file_;
    glm::dmat4 root_{1};
    std::optional<double> seconds_;
    std::vector<int> order_;                          ///< each node after the one above it
    std::vector<int> parent_;                         ///< of each node; -1: none
    std::vector<std::optional<RigidMotion>> motion_;  ///< of each node in the one above it
    std::vector<char> moves_;
    std::vector<glm::dmat4> transform_;
};

}  // namespace tl
