// The tree of a frame is built on a stream of its own, while the frame before is still traced on
// the stream of the frames. Each frame is traced through a tree of its own geometry all the same.
#pragma once

#include <memory>

#include "renderer/scene/live/live_scene.h"

namespace tl {

class BuildAhead {
  public:
    /// `frames`: the stream that traces, which must outlive this. What scenes hold after an update
    /// may belong to this object's stream: it must outlive them.
    explicit BuildAhead(Stream& frames);

    /// Updates the scene, which must be able to build ahead, without waiting. What is given to the
    /// stream of the frames afterwards waits for it; what was given since the last update goes on
    /// beside it. To be called once for every frame until stop().
    void update(LiveScene& live, StageTimer& timer, float time);
    /// The scene goes back to one copy, and its next updates to the stream of the frames.
    void stop(LiveScene& live);
    /// Waits for what was given to the stream of the builds; throws UserError if any of it failed.
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
