// Deformation of a glTF primitive's vertices by morph targets and a skin.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_geometry.h"
#include "renderer/scene/loaders/gltf/gltf_pose.h"
#include "renderer/scene/scene.h"

namespace tl {

class GltfDeformation {
  public:
    /// Reads the deformation of a primitive whose vertices at rest are those of `mesh`. `skin` is
    /// the skin of the node, or -1. Throws UserError: lists that differ in length, joints that are
    /// not there.
    GltfDeformation(const GltfFile& file, const GltfGeometry& geometry,
                    const tinygltf::Primitive& source, const Mesh& mesh, int skin);

    [[nodiscard]] std::size_t n_targets() const { return targets_.size(); }
    [[nodiscard]] std::size_t n_joints() const { return joints_.size(); }
    [[nodiscard]] bool has_skin() const { return !joints_.empty(); }
    /// Whether a joint of the skin is animated.
    [[nodiscard]] bool moves(const GltfPose& pose) const;

    /// The vertices with these weights of the targets, in the mesh's space.
    [[nodiscard]] MeshFrame morphed(std::span<const float> weights) const;
    /// Moves vertices from the mesh's space to the world, as the skin's joints do in that pose;
    /// normals lose their length.
    void move_by_skin(const GltfPose& pose, MeshFrame& frame) const;
    /// Whether the skin turns the mesh inside out.
    [[nodiscard]] bool mirrors(const GltfPose& pose) const;

  private:
    struct Joint {
        int node;
        glm::dmat4 from_mesh;  ///< the inverse of its transform when it was bound
    };
    /// Weight of a joint for a vertex.
    struct Influence {
        std::uint32_t joint;
        float weight;
    };
    void read_skin(const GltfFile& file, const GltfGeometry& geometry, const Mesh& mesh, int skin);

    MeshFrame rest_;
    std::vector<MeshFrame> targets_;  ///< offsets that are added at weight 1
    std::vector<Joint> joints_;       ///< none without a skin
    std::size_t n_influences_ = 0;    ///< influences of each vertex
    std::vector<Influence> influences_;
};

}  // namespace tl
