// Boxes around the dielectrics of a scene, so that what is outside all of them need not look for
// the media around it.
#pragma once

#include <optional>
#include <vector>

#include "accel/box.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Boxes that contain all dielectrics of a scene: one for each mesh, instance, set of patches,
/// sphere and splat that has some. Boxes follow rigid motion; they hold all positions of frames and
/// waves, and are infinite for all other motion.
class MediumBoxes {
  public:
    MediumBoxes() = default;
    /// No boxes where media do not change light that starts within them: none absorbs, and there is
    /// one, so that no other index of refraction is needed.
    explicit MediumBoxes(const Scene& scene);

    [[nodiscard]] bool empty() const { return boxes_.empty(); }
    /// Whether `point` is in one of the boxes at a time, seconds.
    [[nodiscard]] bool contain(vec3 point, float time) const;

  private:
    struct MediumBox {
        Box box;  ///< at rest
        std::optional<RigidMotion> motion{};
        double period = 0;  ///< of the motion, seconds
    };
    void add(Box box) { boxes_.push_back({box}); }
    void add_mesh(const Scene& scene, const Mesh& mesh);

    std::vector<MediumBox> boxes_;
    float duration_ = 0;  ///< Scene::duration
};

}  // namespace tl
