// Boxes around the dielectrics of a scene. No dielectric contains a point outside all of them, so
// that no ray has to be traced there to find the enclosing media.
#pragma once

#include <optional>
#include <vector>

#include "accel/box.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Boxes that contain all dielectrics of a scene: one for each mesh, instance, set of patches and
/// sphere that has some, and one around all splats. The box of a mesh follows its rigid motion.
/// Boxes of meshes and patches contain all positions of animations by frames or waves. All other
/// motion, and any motion of an instance or its mesh, makes a box infinite.
class MediumBoxes {
  public:
    MediumBoxes() = default;
    /// Makes no boxes if the scene has only one dielectric material and it does not absorb. A ray
    /// that starts inside it needs no list of media.
    explicit MediumBoxes(const Scene& scene);

    [[nodiscard]] bool empty() const { return boxes_.empty(); }
    /// Whether `point` is in one of the boxes at `time`, in seconds.
    [[nodiscard]] bool contain(vec3 point, float time) const;

  private:
    struct MediumBox {
        Box box;  ///< at rest
        std::optional<RigidMotion> motion{};
        double period = 0;  ///< duration of one round of the motion, seconds
    };
    void add(Box box) { boxes_.push_back({box}); }
    void add_mesh(const Scene& scene, const Mesh& mesh);

    std::vector<MediumBox> boxes_;
    float duration_ = 0;  ///< Scene::duration
};

}  // namespace tl
