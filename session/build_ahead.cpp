#include "session/build_ahead.h"

namespace tl {

BuildAhead::BuildAhead(Stream& frames)
    : frames_(frames),
      builds_(frames.device().create_urgent_stream()),
      scratch_(*builds_),
      frame_begins_(frames.device().create_event()),
      built_(frames.device().create_event()) {}

void BuildAhead::update(LiveScene& live, StageTimer& timer, float time) {
    // This update overwrites the copy of the frame before the previous one. All readers of that
    // copy, and all earlier updates of the scene, were enqueued before the previous frame began.
    if (live.taking_turns()) wait_for_frames();
    frame_begins_->record(frames_);
    // The first time there is no second copy yet: it is created from the one in use so far.
    if (!live.taking_turns()) wait_for_frames();
    live.take_turn(*builds_);
    {
        StageTimer::OnStream on(timer, *builds_);
        live.update(scratch_, timer, time);
    }
    wait_for_build();
}

void BuildAhead::stop(LiveScene& live) {
    // Memory of the build stream is freed on that stream, which must wait for its readers.
    frame_begins_->record(frames_);
    wait_for_frames();
    // An update that threw has left work for which no frame waits.
    wait_for_build();
    live.end_turns();
}

void BuildAhead::wait_for_build() {
    built_->record(*builds_);
    built_->hold(frames_);
}

}  // namespace tl
