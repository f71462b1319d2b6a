// A drag of a gizmo's handle: computes movement, rotation or scale from the cursor's path, and
// applies them to objects and lights. No GL, no ImGui.
#pragma once

#include <string>

#include "app/viewer/views/gizmo.h"
#include "renderer/scene/transform.h"

namespace tl {

/// Change of an object, or of a light, since a drag began.
struct GizmoChange {
    glm::dvec3 move{0};  ///< translation in the scene's units
    vec3 axis{0, 0, 1};  ///< axis of the rotation, of unit length
    double degrees = 0;  ///< counterclockwise where the axis points to the viewer
    vec3 scale{1};       ///< factors along the gizmo's axes

    /// Amount of the change that the mode makes: "0.12, 0, 0", "45 deg" or "1.2 x".
    [[nodiscard]] std::string text(GizmoMode mode) const;
};

/// Modifier keys of a drag.
struct GizmoKeys {
    bool snaps = false;  ///< rounds the change to whole steps
    bool fine = false;   ///< reduces the mouse's movement to a tenth
};

/// A drag from the press of the mouse on a handle to its release.
class GizmoDrag {
  public:
    /// Factor of the mouse's movement with GizmoKeys::fine.
    static constexpr float kFine = 0.1f;
    /// Steps with GizmoKeys::snaps: degrees of a rotation, and difference of scale factors.
    static constexpr double kAngleStep = 15, kScaleStep = 0.1;
    /// Smallest and largest factor of a scale.
    static constexpr float kSmallest = 1e-3f, kLargest = 1e3f;

    /// Begins a drag of `handle` at the framebuffer pixel `cursor`. `move_step`: step of movements
    /// with GizmoKeys::snaps, in the scene's units.
    GizmoDrag(const Gizmo& gizmo, GizmoHandle handle, const PictureProjection& projection,
              vec2 cursor, double move_step);

    /// Moves the cursor by `moved` pixels; returns the change since the start of the drag.
    GizmoChange advance(vec2 moved, GizmoKeys keys);
    /// The gizmo at the start of the drag.
    [[nodiscard]] const Gizmo& gizmo() const { return gizmo_; }
    [[nodiscard]] GizmoHandle handle() const { return handle_; }

  private:
    [[nodiscard]] GizmoChange movement(bool snaps) const;
    [[nodiscard]] GizmoChange rotation(bool snaps) const;
    [[nodiscard]] GizmoChange scaling(bool snaps) const;
    /// Degrees of the rotation between two positions of the cursor, which are close to each other.
    [[nodiscard]] double degrees_between(vec2 from, vec2 to) const;
    /// Distance from the origin along an axis to the axis's point closest to a pixel's ray.
    [[nodiscard]] double along_axis(vec3 axis, vec2 pixel) const;
    /// Point of the plane through the origin that a pixel shows; none if seen from the side.
    [[nodiscard]] std::optional<glm::dvec3> on_plane(vec3 normal, vec2 pixel) const;

    Gizmo gizmo_;
    GizmoHandle handle_;
    PictureProjection projection_;
    vec2 start_, cursor_;  // pixels; `cursor_` lags behind the mouse after fine movements
    vec2 middle_;          // pixel of the gizmo's origin
    double move_step_;
    double degrees_ = 0;  // rotation so far, before it snaps
};

/// Step of movements for an object of this size: a tenth of the largest power of ten that is not
/// above it.
[[nodiscard]] double snap_step_for(float size);
/// Angles of a rotation about x, then y, then z, degrees. Of all equivalent triples, returns the
/// closest to `near`.
[[nodiscard]] vec3 angles_of(const glm::dmat3& rotation, vec3 near);
/// Rotation about x, then y, then z by these degrees, as in Transform::rotate.
[[nodiscard]] glm::dmat3 rotation_of(vec3 degrees);

/// Transform of an object after a change.
[[nodiscard]] Transform with_change(Transform before, const GizmoChange& change);
/// A light after a change. Factors of x and y scale the edges u and v of a rectangle; the factor of
/// x scales the radius of a sphere.
[[nodiscard]] Light with_change(Light before, const GizmoChange& change);

}  // namespace tl
