#include "app/build_ahead.h"

namespace tl {

BuildAhead::BuildAhead(Stream& frames)
    : frames_(frames),
      builds_(frames.device().create_urgent_stream()),
      scratch_(*builds_),
      frame_begins_(frames.device().create_event()),
      built_(frames.device().create_event()) {}

void BuildAhead::update(LiveScene& live, StageTimer& timer, float time) {
    // The copy to be written now is that of the frame before the last. Whatever reads it was given
    // to the stream before the last frame began, and so are all earlier updates of the scene.
    if (live.taking_turns()) wait_for_frames();
    frame_begins_->record(frames_);
    // The first time there is no such copy yet: it is made from the one that was in use until now.
    if (!live.taking_turns()) wait_for_frames();
    live.take_turn(*builds_);
    {
        StageTimer::OnStream on(timer, *builds_);
        live.update(scratch_, timer, time);
    }
    wait_for_build();
}

void BuildAhead::stop(LiveScene& live) {
    // Memory of the builds' stream is freed on it, which must not be before its readers are done.
    frame_begins_->record(frames_);
    wait_for_frames();
    // An update that threw has left work that no frame waits for.
    wait_for_build();
    live.end_turns();
}

void BuildAhead::wait_for_build() {
    built_->record(*builds_);
    built_->hold(frames_);
}

}  // namespace tl
