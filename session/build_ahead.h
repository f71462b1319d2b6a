// Builds the tree of a frame on a second stream while the previous frame is still being traced on
// the frame stream. Each frame is still traced through a tree of its own geometry.
#pragma once

#include <memory>

#include "renderer/scene/live/live_scene.h"

namespace tl {

class BuildAhead {
  public:
    /// `frames`: the stream that traces; it must outlive this object. Memory that a scene holds
    /// after an update may belong to this object's stream, so this object must outlive the scene.
    explicit BuildAhead(Stream& frames);

    /// Updates the scene, which must be able to build ahead, without waiting. Work enqueued on the
    /// frame stream afterwards waits for the update; work enqueued since the previous update runs
    /// concurrently with it. Call once for every frame until stop().
    void update(LiveScene& live, StageTimer& timer, float time);
    /// Returns the scene to one copy; its next updates run on the frame stream again.
    void stop(LiveScene& live);
    /// Waits for all work on the build stream; throws UserError if any of it failed.
    void synchronize() { builds_->synchronize(); }

  private:
    void wait_for_frames() { frame_begins_->hold(*builds_); }
    void wait_for_build();

    Stream& frames_;
    std::unique_ptr<Stream> builds_;
    Scratch scratch_;
    std::unique_ptr<Event> frame_begins_;  ///< of the newest frame, before it waits for its tree
    std::unique_ptr<Event> built_;
};

}  // namespace tl
