// A drag of a gizmo's handle: the movement, rotation and scale that follow from the cursor's path,
// and objects and lights changed by them. No GL, no ImGui.
#pragma once

#include <string>

#include "app/viewer/views/gizmo.h"
#include "renderer/scene/transform.h"

namespace tl {

/// Change of an object, or of a light, since a drag began.
struct GizmoChange {
    glm::dvec3 move{0};
    vec3 axis{0, 0, 1};  ///< of the rotation, unit length
    double degrees = 0;
    vec3 scale{1};  ///< factors along the gizmo's axes

    /// "0.12, 0, 0", "45 deg" or "1.2 x": the amount of what the mode changes.
    [[nodiscard]] std::string text(GizmoMode mode) const;
};

/// Modifier keys of a drag.
struct GizmoKeys {
    bool snaps = false;  ///< changes go in steps
    bool fine = false;   ///< the mouse moves a tenth as far
};

class GizmoDrag {
  public:
    /// Factor on the mouse's way with GizmoKeys::fine, steps of snapped angles and factors.
    static constexpr float kFine = 0.1f;
    static constexpr double kAngleStep = 15, kScaleStep = 0.1;
    /// Least and largest factor of the scale.
    static constexpr float kSmallest = 1e-3f, kLargest = 1e3f;

    /// `move_step`: step of snapped movements, in the scene's units.
    GizmoDrag(const Gizmo& gizmo, GizmoHandle handle, const PictureProjection& projection,
              vec2 cursor, double move_step);

    /// Moves the cursor by some pixels, or applies other keys; returns the change since the start.
    GizmoChange advance(vec2 moved, GizmoKeys keys);
    [[nodiscard]] const Gizmo& gizmo() const { return gizmo_; }
    [[nodiscard]] GizmoHandle handle() const { return handle_; }

  private:
    [[nodiscard]] GizmoChange movement(bool snaps) const;
    [[nodiscard]] GizmoChange rotation(bool snaps) const;
    [[nodiscard]] GizmoChange scaling(bool snaps) const;
    /// Degrees of the rotation between two positions of the cursor, which are close to each other.
    [[nodiscard]] double degrees_between(vec2 from, vec2 to) const;
    /// Position along an axis through the origin that is closest to what a pixel shows.
    [[nodiscard]] double along_axis(vec3 axis, vec2 pixel) const;
    /// Point of the plane through the origin that a pixel shows.
    [[nodiscard]] std::optional<glm::dvec3> on_plane(vec3 normal, vec2 pixel) const;

    Gizmo gizmo_;
    GizmoHandle handle_;
    PictureProjection projection_;
    vec2 start_, cursor_;  // pixels; `cursor_` lags behind the mouse after fine movements
    vec2 middle_;          // pixel of the gizmo's origin
    double move_step_;
    double degrees_ = 0;
};

/// Unit of length that suits an object of this size, divided by ten: a power of ten.
[[nodiscard]] double snap_step_for(float size);
/// Degrees about x, then y, then z of a rotation; of all such triples, the closest to `near`.
[[nodiscard]] vec3 angles_of(const glm::dmat3& rotation, vec3 near);
/// Rotation by a transform's degrees.
[[nodiscard]] glm::dmat3 rotation_of(vec3 degrees);

/// The changed object.
[[nodiscard]] Transform with_change(Transform before, const GizmoChange& change);
/// The changed light. Axes of a rectangle's scale are its edges.
[[nodiscard]] Light with_change(Light before, const GizmoChange& change);

}  // namespace tl
