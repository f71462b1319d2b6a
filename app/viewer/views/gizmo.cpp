#include "app/viewer/views/gizmo.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tl {
namespace {

constexpr float kMiddle = 0.09f;     // radius of the handle in the middle, in lengths of an axis
constexpr float kAxisStart = 0.14f;  // axes leave the middle free
constexpr float kPlaneNear = 0.26f, kPlaneFar = 0.46f;  // square of a plane along its axes
constexpr float kViewRing = 1.18f;                      // radius of the ring in the picture's plane
constexpr float kShortest = 0.2f;                       // axes that look shorter are left out
constexpr float kFlattest = 0.2f;  // least cosine between the view and the normal of a plane

constexpr GizmoHandle kAxes[] = {GizmoHandle::x, GizmoHandle::y, GizmoHandle::z};
constexpr GizmoHandle kPlanes[] = {GizmoHandle::yz, GizmoHandle::zx, GizmoHandle::xy};

/// Adds the shapes of one gizmo.
struct ShapeMaker {
    const Gizmo& gizmo;
    const PictureProjection& projection;
    vec2 middle;
    float length = length_of_axes(gizmo, projection);
    vec3 to_eye = glm::normalize(projection.eye() - gizmo.origin);
    std::vector<GizmoShape> shapes{};

    [[nodiscard]] std::optional<vec2> pixel(vec3 offset) const {
        return projection.pixel_of(gizmo.origin + length * offset);
    }
    void add(GizmoHandle handle, const std::vector<vec3>& offsets, bool is_area) {
        GizmoShape shape{.handle = handle, .is_area = is_area};
        for (auto& offset : offsets) {
            auto at = pixel(offset);
            if (!at) return;
            shape.points.push_back(*at);
        }
        shapes.push_back(std::move(shape));
    }
    void add_axes() {
        for (std::size_t i = 0; i < 3; ++i) {
            auto end = pixel(gizmo.axes[i]);
            if (!gizmo.handles.has(kAxes[i]) || !end) continue;
            if (glm::length(*end - middle) < kShortest * gizmo.size) continue;
            add(kAxes[i], {kAxisStart * gizmo.axes[i], gizmo.axes[i]}, false);
        }
    }
    void add_planes() {
        for (std::size_t i = 0; i < 3; ++i) {
            bool flat = std::abs(glm::dot(gizmo.axes[i], to_eye)) < kFlattest;
            if (!gizmo.handles.has(kPlanes[i]) || flat) continue;
            vec3 a = gizmo.axes[(i + 1) % 3], b = gizmo.axes[(i + 2) % 3];
            add(kPlanes[i],
                {kPlaneNear * (a + b), kPlaneFar * a + kPlaneNear * b, kPlaneFar * (a + b),
                 kPlaneNear * a + kPlaneFar * b},
                true);
        }
    }
    /// Adds the half of a ring that faces the eye, or the whole ring where all of it does.
    void add_ring(std::size_t i) {
        constexpr int kParts = 48;
        constexpr float kFacing = 0.98f;
        vec3 axis = gizmo.axes[i], towards = to_eye - axis * glm::dot(axis, to_eye);
        bool whole = std::abs(glm::dot(axis, to_eye)) > kFacing;
        vec3 v = whole ? gizmo.axes[(i + 1) % 3] : glm::normalize(towards), u = glm::cross(v, axis);
        std::vector<vec3> offsets;
        for (int k = 0; k <= kParts; ++k) {
            float angle = (whole ? 2 : 1) * kPi * static_cast<float>(k) / kParts;
            offsets.push_back(std::cos(angle) * u + std::sin(angle) * v);
        }
        add(kAxes[i], offsets, false);
    }
    /// Adds a circle in the picture, of a radius in lengths of an axis.
    void add_circle(float radius, bool is_area) {
        constexpr int kParts = 64;
        if (!gizmo.handles.has(GizmoHandle::middle)) return;
        GizmoShape shape{.handle = GizmoHandle::middle, .is_area = is_area};
        for (int k = 0; k < kParts + (is_area ? 0 : 1); ++k) {
            float angle = 2 * kPi * static_cast<float>(k) / kParts;
            shape.points.push_back(middle +
                                   radius * gizmo.size * vec2(std::cos(angle), std::sin(angle)));
        }
        shapes.push_back(std::move(shape));
    }
};

float distance_to_segment(vec2 point, vec2 from, vec2 to) {
    vec2 way = to - from;
    float squared = glm::dot(way, way);
    float at = squared > 0 ? std::clamp(glm::dot(point - from, way) / squared, 0.0f, 1.0f) : 0;
    return glm::length(point - (from + at * way));
}

/// Distance in pixels; 0 inside of an area.
float distance_to(const GizmoShape& shape, vec2 pixel) {
    auto& points = shape.points;
    float nearest = std::numeric_limits<float>::infinity();
    bool inside = false;
    for (std::size_t i = shape.is_area ? 0 : 1; i < points.size(); ++i) {
        vec2 a = points[i], b = points[(i + points.size() - 1) % points.size()];
        nearest = std::min(nearest, distance_to_segment(pixel, a, b));
        bool crosses = (a.y > pixel.y) != (b.y > pixel.y) &&
                       pixel.x < a.x + (b.x - a.x) * (pixel.y - a.y) / (b.y - a.y);
        inside ^= crosses;
    }
    return shape.is_area && inside ? 0 : nearest;
}

}  // namespace

std::optional<std::size_t> axis_of(GizmoHandle handle) {
    for (std::size_t i = 0; i < 3; ++i)
        if (handle == kAxes[i] || handle == kPlanes[i]) return i;
    return std::nullopt;
}

float length_of_axes(const Gizmo& gizmo, const PictureProjection& projection) {
    return gizmo.size * projection.pixel_size_at(gizmo.origin);
}

std::vector<GizmoShape> shapes_of(const Gizmo& gizmo, const PictureProjection& projection) {
    auto middle = projection.pixel_of(gizmo.origin);
    if (!middle || gizmo.mode == GizmoMode::none) return {};
    ShapeMaker maker{gizmo, projection, *middle};
    if (gizmo.mode == GizmoMode::rotate) {
        maker.add_circle(kViewRing, false);
        for (std::size_t i = 0; i < 3; ++i)
            if (gizmo.handles.has(kAxes[i])) maker.add_ring(i);
    } else {
        maker.add_planes();
        maker.add_axes();
        maker.add_circle(kMiddle, true);
        if (gizmo.mode == GizmoMode::scale) maker.add_circle(kViewRing, false);
    }
    return std::move(maker.shapes);
}

GizmoHandle handle_at(const std::vector<GizmoShape>& shapes, vec2 pixel, float reach) {
    auto found = GizmoHandle::none;
    float nearest = reach;
    for (auto& shape : shapes) {
        // Areas are hit by what is inside alone, and go before lines.
        float distance = distance_to(shape, pixel);
        bool hit = shape.is_area ? distance <= 0 : distance <= nearest;
        if (!hit) continue;
        found = shape.handle;
        nearest = shape.is_area ? -1 : distance;
    }
    return found;
}

}  // namespace tl
