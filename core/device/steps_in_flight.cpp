#include "core/device/steps_in_flight.h"

namespace tl {

void StepsInFlight::end_step(Stream& stream) {
    if (device_ != &stream.device())
        for (auto& old : events_) old.reset();
    device_ = &stream.device();
    auto& event = events_[next_];
    next_ = (next_ + 1) % events_.size();
    if (event)
        event->wait();
    else
        event = device_->create_event();
    event->record(stream);
}

}  // namespace tl
