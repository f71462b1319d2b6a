// Meshes of glTF whose vertices move by morph targets or a skin, sampled as a sequence of frames.
#pragma once

#include "renderer/scene/loaders/gltf/gltf_deformation.h"

namespace tl {

class GltfFrames {
  public:
    /// All must outlive this.
    GltfFrames(const GltfFile& file, const GltfAnimation& animation);

    /// Sets the transform of the whole scene, initially the identity.
    void place(const glm::dmat4& root) { pose_.place(root); }
    /// Whether the mesh of a node, or of none (-1), differs from the file's: it has a skin, or
    /// weights of its own.
    [[nodiscard]] bool deforms(int node) const;
    /// The skin of a node; -1: none.
    [[nodiscard]] int skin_of(int node) const;
    /// Whether the vertices of a mesh move relative to each other.
    [[nodiscard]] bool moves(const GltfDeformation& deformation, int node) const;

    /// Gives a mesh of a node its frames, evenly spaced in the animation, in world space. Returns
    /// false where those would take too much memory or time; the mesh stays as it is then. Throws
    /// UserError: a position that a scene may not have.
    [[nodiscard]] bool sample(Mesh& mesh, const GltfDeformation& deformation,
                              const tinygltf::Mesh& owner, int node);
    /// Moves the mesh's vertices to where they are at rest: by a skin to world space, else in its
    /// own space.
    void rest(Mesh& mesh, const GltfDeformation& deformation, const tinygltf::Mesh& owner,
              int node);

  private:
    [[nodiscard]] std::vector<float> weights(const GltfDeformation& deformation,
                                             const tinygltf::Mesh& owner, int node,
                                             std::optional<double> seconds) const;
    /// The vertices at a time, or at rest.
    [[nodiscard]] MeshFrame vertices(const GltfDeformation& deformation,
                                     const tinygltf::Mesh& owner, int node,
                                     std::optional<double> seconds);

    const GltfFile& file_;
    const GltfAnimation& animation_;
    GltfPose pose_;
    std::size_t bytes_ = 0;    ///< bytes of all frames
    std::size_t n_poses_ = 0;  ///< poses of single nodes and joints, for all frames
};

}  // namespace tl
