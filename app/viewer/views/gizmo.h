// Handles over the picture that move, rotate and scale an object: their shapes in pixels, and the
// handle at a pixel. Shapes have the same size at any depth. No GL, no ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/viewer/views/picture_projection.h"
#include "core/base/math.h"

namespace tl {

enum class GizmoMode : std::uint8_t { none, move, rotate, scale };

/// Handles of one axis, of the plane of two axes, and in the middle. The middle one moves in the
/// plane of the picture, rotates about the direction of the view, or scales all axes alike.
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
    GizmoHandles handles{};
    vec3 origin{0};
    std::array<vec3, 3> axes{vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};  ///< unit vectors
    float size = 80;  ///< length of an axis, pixels
};

/// Index of a handle's axis, or of the normal of its plane; none for the one in the middle.
[[nodiscard]] std::optional<std::size_t> axis_of(GizmoHandle handle);
/// Length of an axis of the gizmo in the scene.
[[nodiscard]] float length_of_axes(const Gizmo& gizmo, const PictureProjection& projection);

/// A handle in the picture.
struct GizmoShape {
    GizmoHandle handle = GizmoHandle::none;
    std::vector<vec2> points{};  ///< corners of a polygon or ends of a line's segments, pixels
    bool is_area = false;        ///< a polygon, else a line
};
/// Shapes of the gizmo's handles, those to be drawn last at the end; none where the gizmo is behind
/// the eye. Leaves out axes along the view and planes that are seen from the side.
[[nodiscard]] std::vector<GizmoShape> shapes_of(const Gizmo& gizmo,
                                                const PictureProjection& projection);
/// The handle at a pixel; GizmoHandle::none if there is none within `reach` pixels.
[[nodiscard]] GizmoHandle handle_at(const std::vector<GizmoShape>& shapes, vec2 pixel, float reach);

}  // namespace tl
