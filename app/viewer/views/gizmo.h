// Handles over the picture that move, rotate and scale an object or a light: their shapes in
// pixels, and the handle at a pixel. Shapes have the same size at any depth. No GL, no ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/viewer/views/picture_projection.h"
#include "core/base/math.h"

namespace tl {

/// Change that the handles make; `none` hides them.
enum class GizmoMode : std::uint8_t { none, move, rotate, scale };

/// A handle of one axis, one of the plane of two axes, or the one in the middle. The middle one
/// moves in the plane of the picture, rotates about the view direction, or scales all axes alike.
enum class GizmoHandle : std::uint8_t { none, x, y, z, yz, zx, xy, middle };

/// A set of handles.
class GizmoHandles {
  public:
    constexpr GizmoHandles() = default;
    constexpr GizmoHandles(std::initializer_list<GizmoHandle> handles) {
        for (auto handle : handles) bits_ |= 1u << static_cast<unsigned>(handle);
    }
    [[nodiscard]] constexpr bool has(GizmoHandle handle) const {
        return (bits_ >> static_cast<unsigned>(handle) & 1) != 0;
    }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

  private:
    std::uint32_t bits_ = 0;
};

/// Handles at a point of the scene.
struct Gizmo {
    GizmoMode mode = GizmoMode::none;
    GizmoHandles handles{};  ///< those that are shown
    vec3 origin{0};          ///< that point, in the scene's coordinates
    std::array<vec3, 3> axes{vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};  ///< unit vectors
    float size = 80;  ///< length of an axis, pixels
};

/// Index in Gizmo::axes of a handle's axis, or of its plane's normal; none for the middle handle.
[[nodiscard]] std::optional<std::size_t> axis_of(GizmoHandle handle);
/// Length of the gizmo's axes in the scene's units, at the depth of its origin.
[[nodiscard]] float length_of_axes(const Gizmo& gizmo, const PictureProjection& projection);

/// A handle in the picture.
struct GizmoShape {
    GizmoHandle handle = GizmoHandle::none;
    std::vector<vec2> points{};  ///< corners of a polygon or ends of a line's segments, pixels
    bool is_area = false;        ///< a polygon, else a line
};
/// Shapes of the gizmo's handles, in the order of drawing; empty where the gizmo is behind the eye.
/// Leaves out axes along the view and planes that are seen from the side.
[[nodiscard]] std::vector<GizmoShape> shapes_of(const Gizmo& gizmo,
                                                const PictureProjection& projection);
/// The handle at a pixel: an area around it, else the closest line within `reach` pixels, else
/// GizmoHandle::none.
[[nodiscard]] GizmoHandle handle_at(const std::vector<GizmoShape>& shapes, vec2 pixel, float reach);

}  // namespace tl
