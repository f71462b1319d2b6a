#include "app/viewer/views/gizmo_drag.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "app/jobs/format.h"

namespace tl {
namespace {

double snapped_to(double value, double step) {
    return std::round(value / step) * step;
}

/// Rotates about an axis of unit length.
glm::dmat3 rotation_about(const glm::dvec3& axis, double degrees) {
    return glm::dmat3(glm::rotate(glm::dmat4(1), glm::radians(degrees), axis));
}

/// Degrees, with the rounding of the arithmetic removed.
double clean_degrees(double degrees) {
    constexpr double kDigit = 1e-4;
    return std::round(degrees / kDigit) * kDigit;
}

/// The angle plus whole turns that is closest to `near`.
double turn_near(double degrees, float near) {
    return degrees + 360 * std::round((static_cast<double>(near) - degrees) / 360);
}

}  // namespace

std::string GizmoChange::text(GizmoMode mode) const {
    if (mode == GizmoMode::move) return formatted("%.4g, %.4g, %.4g", move.x, move.y, move.z);
    if (mode == GizmoMode::rotate) return formatted("%.4g deg", degrees);
    glm::dvec3 factors(scale);
    if (scale.x == scale.y && scale.y == scale.z) return formatted("%.4g x", factors.x);
    return formatted("%.4g, %.4g, %.4g x", factors.x, factors.y, factors.z);
}

GizmoDrag::GizmoDrag(const Gizmo& gizmo, GizmoHandle handle, const PictureProjection& projection,
                     vec2 cursor, double move_step)
    : gizmo_(gizmo),
      handle_(handle),
      projection_(projection),
      start_(cursor),
      cursor_(cursor),
      middle_(projection.pixel_of(gizmo.origin).value_or(cursor)),
      move_step_(move_step) {}

GizmoChange GizmoDrag::advance(vec2 moved, GizmoKeys keys) {
    vec2 before = cursor_;
    cursor_ += moved * (keys.fine ? kFine : 1.0f);
    if (gizmo_.mode == GizmoMode::move) return movement(keys.snaps);
    if (gizmo_.mode == GizmoMode::scale) return scaling(keys.snaps);
    degrees_ += degrees_between(before, cursor_);
    return rotation(keys.snaps);
}

double GizmoDrag::along_axis(vec3 axis, vec2 pixel) const {
    glm::dvec3 a(axis), d(projection_.direction_at(pixel));
    glm::dvec3 from = glm::dvec3(gizmo_.origin) - glm::dvec3(projection_.eye());
    double cosine = glm::dot(a, d), sine_squared = 1 - cosine * cosine;
    return (glm::dot(from, d) * cosine - glm::dot(from, a)) / std::max(sine_squared, 1e-6);
}

std::optional<glm::dvec3> GizmoDrag::on_plane(vec3 normal, vec2 pixel) const {
    glm::dvec3 n(normal), d(projection_.direction_at(pixel)), eye(projection_.eye());
    double slope = glm::dot(n, d), height = glm::dot(n, glm::dvec3(gizmo_.origin) - eye);
    constexpr double kFlattest = 0.02;
    if (std::abs(slope) < kFlattest || height / slope <= 0) return std::nullopt;
    return eye + d * (height / slope);
}

GizmoChange GizmoDrag::movement(bool snaps) const {
    GizmoChange change;
    auto index = axis_of(handle_);
    bool is_axis =
        handle_ == GizmoHandle::x || handle_ == GizmoHandle::y || handle_ == GizmoHandle::z;
    if (is_axis) {
        vec3 axis = gizmo_.axes[*index];
        double way = along_axis(axis, cursor_) - along_axis(axis, start_);
        change.move = glm::dvec3(axis) * (snaps ? snapped_to(way, move_step_) : way);
        return change;
    }
    auto from = on_plane(index ? gizmo_.axes[*index] : projection_.forward(), start_);
    auto to = on_plane(index ? gizmo_.axes[*index] : projection_.forward(), cursor_);
    if (!from || !to) return change;
    glm::dvec3 way = *to - *from;
    // Along the gizmo's axes: a plane has two of them, and that of the picture takes all.
    for (std::size_t i = 0; i < 3; ++i) {
        if (index == i) continue;
        glm::dvec3 axis(gizmo_.axes[i]);
        double part = glm::dot(way, axis);
        change.move += axis * (snaps ? snapped_to(part, move_step_) : part);
    }
    return change;
}

double GizmoDrag::degrees_between(vec2 from, vec2 to) const {
    auto index = axis_of(handle_);
    auto angle = [](glm::dvec2 a, glm::dvec2 b) {
        return glm::degrees(std::atan2(a.x * b.y - a.y * b.x, glm::dot(a, b)));
    };
    // Counterclockwise in the picture is positive about the axis to the eye.
    if (!index) return -angle(glm::dvec2(from - middle_), glm::dvec2(to - middle_));
    vec3 axis = gizmo_.axes[*index], to_eye = glm::normalize(projection_.eye() - gizmo_.origin);
    constexpr float kFlattest = 0.15f;
    auto a = on_plane(axis, from), b = on_plane(axis, to);
    if (std::abs(glm::dot(axis, to_eye)) >= kFlattest && a && b) {
        glm::dvec3 u(gizmo_.axes[(*index + 1) % 3]), v(gizmo_.axes[(*index + 2) % 3]);
        glm::dvec3 arm_a = *a - glm::dvec3(gizmo_.origin), arm_b = *b - glm::dvec3(gizmo_.origin);
        return angle({glm::dot(arm_a, u), glm::dot(arm_a, v)},
                     {glm::dot(arm_b, u), glm::dot(arm_b, v)});
    }
    // A ring seen from the side: its front moves across the picture like the surface of a wheel.
    auto ahead = projection_.pixel_of(gizmo_.origin + length_of_axes(gizmo_, projection_) *
                                                          glm::normalize(glm::cross(axis, to_eye)));
    if (!ahead || *ahead == middle_) return 0;
    vec2 way = glm::normalize(*ahead - middle_);
    return glm::degrees(static_cast<double>(glm::dot(to - from, way) / gizmo_.size));
}

GizmoChange GizmoDrag::rotation(bool snaps) const {
    GizmoChange change;
    auto index = axis_of(handle_);
    change.axis = index ? gizmo_.axes[*index] : -projection_.forward();
    change.degrees = snaps ? snapped_to(degrees_, kAngleStep) : degrees_;
    return change;
}

GizmoChange GizmoDrag::scaling(bool snaps) const {
    constexpr float kWithin = 0.5f;  // between the circle in the middle and the ring
    GizmoChange change;
    auto index = axis_of(handle_);
    double factor = 1;
    if (index) {
        vec3 axis = gizmo_.axes[*index];
        double from = along_axis(axis, start_);
        if (from != 0) factor = along_axis(axis, cursor_) / from;
    } else if (float from = glm::length(start_ - middle_); from > kWithin * gizmo_.size) {
        factor = static_cast<double>(glm::length(cursor_ - middle_) / from);  // of the ring
    } else {
        vec2 way = (cursor_ - start_) / gizmo_.size;
        factor = std::exp2(static_cast<double>(way.x - way.y));
    }
    if (snaps) factor = std::max(snapped_to(factor, kScaleStep), kScaleStep);
    float clamped = std::clamp(static_cast<float>(factor), kSmallest, kLargest);
    if (index)
        change.scale[static_cast<int>(*index)] = clamped;
    else
        change.scale = vec3(clamped);
    return change;
}

double snap_step_for(float size) {
    constexpr double kTenth = 0.1;
    return size > 0 ? kTenth * std::pow(10.0, std::floor(std::log10(static_cast<double>(size))))
                    : kTenth;
}

glm::dmat3 rotation_of(vec3 degrees) {
    glm::dvec3 angles(degrees);
    return rotation_about({0, 0, 1}, angles.z) * rotation_about({0, 1, 0}, angles.y) *
           rotation_about({1, 0, 0}, angles.x);
}

vec3 angles_of(const glm::dmat3& m, vec3 near) {
    double sine = std::clamp(-m[0][2], -1.0, 1.0), cosine = std::hypot(m[0][0], m[0][1]);
    glm::dvec3 first, second;
    constexpr double kLocked = 1e-9;
    if (cosine > kLocked) {
        first = {std::atan2(m[1][2], m[2][2]), std::atan2(sine, cosine),
                 std::atan2(m[0][1], m[0][0])};
        second = {first.x + glm::pi<double>(), glm::pi<double>() - first.y,
                  first.z + glm::pi<double>()};
    } else {
        // x and z rotate about the same axis: z keeps its angle.
        double z = glm::radians(static_cast<double>(near.z));
        double both = std::atan2(sine * m[1][0], m[1][1]);
        first = {sine > 0 ? both + z : both - z, std::atan2(sine, cosine), z};
        second = first;
    }
    auto nearest = [&](const glm::dvec3& radians) {
        glm::dvec3 degrees;
        for (int i = 0; i < 3; ++i)
            degrees[i] = turn_near(clean_degrees(glm::degrees(radians[i])), near[i]);
        return degrees;
    };
    glm::dvec3 a = nearest(first), b = nearest(second), from(near);
    return glm::length(a - from) <= glm::length(b - from) ? vec3(a) : vec3(b);
}

Transform with_change(Transform before, const GizmoChange& change) {
    before.translate += change.move;
    if (change.degrees != 0)
        before.rotate = angles_of(
            rotation_about(glm::dvec3(change.axis), change.degrees) * rotation_of(before.rotate),
            before.rotate);
    if (change.scale != vec3(1))
        before.scale = glm::clamp(before.scale * change.scale, vec3(GizmoDrag::kSmallest),
                                  vec3(GizmoDrag::kLargest));
    return before;
}

Light with_change(Light before, const GizmoChange& change) {
    const glm::mat3 turn(rotation_about(glm::dvec3(change.axis), change.degrees));
    before.position += vec3(change.move);
    switch (before.kind) {
        case LightKind::rectangle: {
            vec3 middle = before.position + 0.5f * (before.edge_u + before.edge_v);
            before.edge_u = turn * before.edge_u * change.scale.x;
            before.edge_v = turn * before.edge_v * change.scale.y;
            before.position = middle - 0.5f * (before.edge_u + before.edge_v);
            break;
        }
        case LightKind::sphere:
            before.radius *= change.scale.x;
            break;
        case LightKind::directional:
        case LightKind::spot:
            if (change.degrees != 0) before.direction = glm::normalize(turn * before.direction);
            break;
        default:
            break;
    }
    return before;
}

}  // namespace tl
