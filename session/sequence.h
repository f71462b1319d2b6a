// A sequence of pictures of a scene that moves or whose camera does: for `treelight render`, the
// viewer and the library. A frame does not depend on those before it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/camera_path.h"
#include "renderer/scene/scene_document.h"
#include "session/session_options.h"

namespace tl {

/// Frames of a sequence, both included.
struct FrameRange {
    int first = 0, last = 0;

    [[nodiscard]] int count() const { return last - first + 1; }
};

/// Parses "0:99". Throws UserError.
[[nodiscard]] FrameRange parse_frame_range(const std::string& text);

struct SequencePlan {
    FrameRange range{};
    float fps = 30;                      ///< frame K shows the time + K / fps
    float time = 0;                      ///< time of frame 0, seconds
    std::string camera_path{};           ///< file of cameras with times, or ""
    float bookmark_seconds = 0;          ///< from each bookmark to the next; 0: not through them
    std::vector<TimedCamera> cameras{};  ///< the path itself, if it is in no file
    int turntable = 0;                   ///< frames of one turn of the camera; 0: none
};

/// The numbers of a plan, bound to it: fps, turntable and bookmark-seconds.
[[nodiscard]] Settings sequence_settings(SequencePlan& plan);
/// Throws UsageError for two camera motions at once, or for camera position options beside a camera
/// path.
void check_motion(const SequencePlan& plan, const SessionOptions& view);
/// Puts the scene's bookmarks, by number, into the plan as its cameras, where it asks for them.
/// Throws UserError for fewer than two.
void follow_bookmarks(SequencePlan& plan, const Bookmarks& bookmarks);

/// A frame with what it shows.
struct SequenceFrame {
    int number = 0;
    float time = 0;
    Camera camera;
    MovingCamera moving_camera{};  ///< the camera after `time`; null: it rests
};

/// Frames of a plan, cameras not yet set.
[[nodiscard]] std::vector<SequenceFrame> frames_of(const SequencePlan& plan);
/// Sets the cameras of the frames. The camera starts as `start`, in a scene whose Scene::offset is
/// `offset`. Throws UserError for a camera that cannot be used. `warnings` receives what is ignored
/// in the camera path.
void place_cameras(std::vector<SequenceFrame>& frames, const SequencePlan& plan,
                   const Camera& start, const glm::dvec3& offset, Warnings& warnings);

/// Sets the session's time and camera to the frame's; its next samples are of this frame alone.
void show_frame(Session& session, const SequenceFrame& frame);

/// Callbacks of render_frames(): sampling, output and early termination.
struct SequenceWork {
    /// Adds samples to the picture of a frame, by its index in the list, until it is complete; may
    /// end early.
    std::function<void(std::size_t index)> sample;
    /// Receives the completed picture.
    std::function<void(std::size_t index)> write;
    /// Whether to end after this frame.
    std::function<bool()> stopped;
    /// Index of the next frame, none after the last; null: all in order.
    std::function<std::optional<std::size_t>()> next{};
};
/// Renders the frames; returns the number completed: all of them unless stopped() is true.
std::size_t render_frames(Session& session, const std::vector<SequenceFrame>& frames, int spp,
                          const SequenceWork& work);

}  // namespace tl
