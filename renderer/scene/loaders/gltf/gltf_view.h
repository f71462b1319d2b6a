// The camera and the lights of a glTF file.
#pragma once

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

class GltfView {
  public:
    /// Both must outlive this.
    GltfView(Scene& scene, const GltfFile& file) : scene_(scene), file_(file) {}

    /// Appends a node's light to the scene, and keeps the first perspective camera. Throws
    /// UserError.
    void visit(const tinygltf::Node& node, const glm::dmat4& transform);
    /// Gives the scene the camera that was found, whose target needs all of its geometry. Returns
    /// false where there is none that can be used.
    bool place_camera();

  private:
    void find_camera(int index, const glm::dmat4& transform);
    void add_light(int index, const glm::dmat4& transform);
    void warn(const std::string& what);

    Scene& scene_;
    const GltfFile& file_;
    Camera camera_;
    glm::dvec3 forward_{0, 0, -1};
    bool found_ = false;
};

}  // namespace tl
