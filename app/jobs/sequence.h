// A sequence of pictures of a scene that moves or whose camera does: for `treelight render` and for
// the viewer. A frame does not depend on those before it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/jobs/frame_names.h"
#include "renderer/scene/camera_path.h"
#include "session/session.h"

namespace tl {

struct SequencePlan {
    FrameRange range;
    double fps = 30;                     ///< frame K shows the time + K / fps
    float time = 0;                      ///< of frame 0, seconds
    std::string camera_path;             ///< file of cameras with times, or ""
    std::vector<TimedCamera> cameras{};  ///< the path itself, if it is in no file
    int turntable = 0;                   ///< frames of one turn of the camera; 0: none
    int spp = 64;                        ///< samples a pixel
    std::string output;                  ///< names with a number ("frame_%04d.png"), or a video
    bool resume = false;                 ///< leave out the frames whose files are there
};

/// A frame with what it shows.
struct SequenceFrame {
    int number = 0;
    float time = 0;
    Camera camera;
};

/// Refuses what cannot be written, before long work. Throws UsageError or UserError.
void check_sequence(const SequencePlan& plan);

/// The frames to be rendered, still without cameras.
[[nodiscard]] std::vector<SequenceFrame> frames_of(const SequencePlan& plan);
/// Places their cameras, for one that starts as `start`, in a scene whose Scene::offset is
/// `offset`. Throws UserError for one that cannot be used. `warnings` receives what is ignored in
/// the camera path.
void place_cameras(std::vector<SequenceFrame>& frames, const SequencePlan& plan,
                   const Camera& start, const glm::dvec3& offset, Warnings& warnings);

/// What is done about the frames of a sequence, besides rendering them.
struct SequenceWork {
    /// Adds samples to the picture of a frame until it is whole; may end early.
    std::function<void(std::size_t done)> sample;
    /// Takes the whole picture.
    std::function<void(const SequenceFrame&)> write;
    /// Whether to end after this frame.
    std::function<bool()> stopped;
};
/// Renders the frames in turn; returns how many are whole. All of them are, or stopped() is true.
std::size_t render_frames(Session& session, const std::vector<SequenceFrame>& frames, int spp,
                          const SequenceWork& work);

}  // namespace tl
