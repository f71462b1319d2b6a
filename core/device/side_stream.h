// A second stream for a part of another one's work: it uses the resources that the other leaves
// idle, as at the end of a kernel.
#pragma once

#include <memory>

#include "core/device/array.h"
#include "core/device/device.h"

namespace tl {

class SideStream {
  public:
    explicit SideStream(Device& device)
        : stream_(device.create_stream()),
          scratch_(*stream_),
          begins_(device.create_event()),
          ends_(device.create_event()) {}

    /// Scratch memory of the side stream, for its work.
    [[nodiscard]] Scratch& scratch() { return scratch_; }

    /// While it exists, the side stream may run work that depends on all earlier work of `main`, in
    /// main's memory. Later work of `main` waits for it.
    class Turn {
      public:
        Turn(SideStream& side, Stream& main) : side_(side), main_(main) {
            side.begins_->record(main);
            side.begins_->hold(*side.stream_);
        }
        ~Turn() {
            try {
                side_.ends_->record(*side_.stream_);
                side_.ends_->hold(main_);
            } catch (const UserError&) {
                // The device has failed, which main's next work reports.
            }
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        SideStream& side_;
        Stream& main_;
    };

  private:
    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    std::unique_ptr<Event> begins_, ends_;
};

}  // namespace tl
