#include "session/split/frame_speed.h"

#include <algorithm>

namespace tl {

void FrameSpeed::begin(Stream& stream, double fraction) {
    (void)newest();
    // While the device has not run the measured frame yet, no other one is.
    if (state_ == State::ended || fraction <= 0) return;
    if (!begin_) {
        begin_ = stream.device().create_event();
        end_ = stream.device().create_event();
    }
    fraction_ = fraction;
    begin_->record(stream);
    state_ = State::begun;
}

void FrameSpeed::end(Stream& stream) {
    if (state_ != State::begun) return;
    end_->record(stream);
    state_ = State::ended;
}

void FrameSpeed::discard() {
    if (state_ == State::begun) state_ = State::idle;
}

double FrameSpeed::newest() {
    if (state_ == State::ended && end_->ready()) {
        constexpr float kLeast = 1e-3f;  // ms; below it, clocks measure nothing
        newest_ = fraction_ / double(std::max(end_->milliseconds_since(*begin_), kLeast));
        state_ = State::idle;
    }
    return newest_;
}

void FrameSpeed::forget() {
    state_ = State::idle;
    newest_ = 0;
}

}  // namespace tl
