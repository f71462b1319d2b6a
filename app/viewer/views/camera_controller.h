// Moves a camera by mouse and keys: orbit, pan, zoom, look, fly, frame all, home. Depends on
// neither window nor device.
#pragma once

#include <optional>
#include <string>

#include "renderer/scene/scene.h"

namespace tl {

enum class ViewSide { front, back, left, right, top, bottom, isometric };
struct ViewSideInfo {
    const char *title, *help;
};
inline constexpr ViewSideInfo kViewSides[] = {
    {"Front", "Show the whole scene from the front."},
    {"Back", "Show the whole scene from the back."},
    {"Left", "Show the whole scene from the left."},
    {"Right", "Show the whole scene from the right."},
    {"Top", "Show the whole scene from above."},
    {"Bottom", "Show the whole scene from below."},
    {"Isometric", "Show the whole scene along a diagonal, from above."}};

class CameraController {
  public:
    /// Sets a new scene: home() returns to `home`; `bounds` is what frame_all() shows, and gives
    /// the scale of every movement. `keep` leaves the camera unchanged (for a reloaded scene).
    void set_scene(const Camera& home, const Box& bounds, bool keep = false);
    /// Sets the camera; another view is orbited about its target.
    void set_camera(const Camera& camera);
    [[nodiscard]] const Camera& camera() const { return camera_; }

    /// Turns eye and view about pivot(); a drag of one picture height is half a turn. All drags are
    /// in picture heights, x to the right, y down.
    void orbit(vec2 drag);
    /// Turns the view about the eye.
    void look(vec2 drag);
    /// Moves eye and target so that the point at the target follows the mouse.
    void pan(vec2 drag);
    /// Moves towards the target, by a tenth of the distance per notch.
    void zoom(float notches);
    /// Moves towards a point, by a tenth of the distance per notch; the point keeps its position in
    /// the picture.
    void zoom_to(vec3 point, float notches);
    /// Turns the view to a point, about which orbit() then turns.
    void look_at(vec3 point);
    /// Makes orbit() turn about a point, and moves the target along the view to the point's depth.
    /// Neither the eye nor the direction of the view changes. Returns false, and changes nothing,
    /// if the point is not in front of the eye.
    bool set_pivot(vec3 point);
    /// Point that orbit() turns about: that of set_pivot(), else the target.
    [[nodiscard]] vec3 pivot() const { return pivot_.value_or(camera_.target); }
    [[nodiscard]] bool has_pivot() const { return pivot_.has_value(); }
    void clear_pivot() { pivot_.reset(); }
    /// Puts the plane of focus through a point. Returns false, and changes nothing, if the point is
    /// not in front of the eye.
    bool focus_on(vec3 point);
    /// Sets the distance of the surface in view, near which fly() slows down. Until it is known for
    /// a new scene, the speed follows from the scene's size.
    void see(float distance) { view_distance_ = distance; }
    /// Moves eye and target; `direction` is x right, y up, z forward.
    void fly(vec3 direction, float seconds, bool fast);
    void home() { set_camera(home_); }
    /// Turns about the target until the view is from that side; clears the pivot. The up axis is
    /// that of the scene's own camera. The front looks along -z if y is up, along +y if z is.
    void show_side(ViewSide side);
    /// Sets the up axis, also of the camera that home() returns to.
    void set_up(vec3 up) { camera_.up = home_.up = up; }
    /// Up axis: one of x, y and z or its negative.
    [[nodiscard]] vec3 up_axis() const;
    void frame_all(float aspect);

    /// Factor on the speed of fly().
    float fly_speed = 1;
    [[nodiscard]] float scene_size() const { return scene_size_; }

  private:
    /// Depth of a point along the view.
    [[nodiscard]] float depth_of(vec3 point) const;

    Camera camera_, home_;
    std::optional<vec3> pivot_;  // none: the target
    Box bounds_;
    float scene_size_ = 1;
    float view_distance_ = 0;  // 0: not known
};

/// Parses flags as camera_flags() writes them, in any order. Values that they leave open are as in
/// `start`. Skips other words, such as the command before them. Throws UserError where there is no
/// flag of a camera, or an invalid one.
[[nodiscard]] Camera parse_camera_flags(const std::string& text, const Camera& start);

/// Camera as flags of the command line: "--eye=0,1,5 --target=0,1,0 --up=0,1,0 --fov=40
/// --lens-radius=0".
[[nodiscard]] std::string camera_flags(const Camera& camera);

}  // namespace tl
