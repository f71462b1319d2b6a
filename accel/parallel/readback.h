// Small values read back from a device without waiting for it: asked for now, taken some frames
// later, when the device has come that far.
#pragma once

#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "accel/parallel/device.h"

namespace tl {

/// Host memory that a device copies to while the host goes on. To be kept until the copies are
/// done.
class PinnedMemory {
  public:
    PinnedMemory(Device& device, std::size_t bytes);
    ~PinnedMemory();
    PinnedMemory(PinnedMemory&& o) noexcept
        : device_(o.device_), data_(std::exchange(o.data_, nullptr)) {}
    PinnedMemory& operator=(PinnedMemory&&) = delete;

    /// Copies from the device to the start, ordered on the stream; done once an event recorded
    /// later is ready.
    void download_later(Stream& stream, const void* from, std::size_t bytes);
    [[nodiscard]] const void* data() const { return data_; }

  private:
    Device* device_;
    void* data_;
};

/// Copies of a value as it was at several moments of a stream. Not for several streams at once.
template <class T>
class Readback {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Readback(Device& device) {
        for (std::size_t i = 0; i < kSlots; ++i)
            slots_.push_back({PinnedMemory(device, sizeof(T)), device.create_event(), 0});
    }
    /// Waits for what is on its way: it has nowhere else to go.
    ~Readback() {
        try {
            while (n_pending_ > 0) (void)take();
        } catch (const std::exception&) {
            // A device that has failed copies nothing any more.
        }
    }
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;

    /// Asks for the value as it is once the work given to the stream so far has run. Does nothing
    /// while kSlots earlier requests are on their way.
    void request(Stream& stream, const T* value, std::uint64_t tag) {
        if (n_pending_ == kSlots) return;
        Slot& slot = slots_[(first_ + n_pending_) % kSlots];
        slot.memory.download_later(stream, value, sizeof(T));
        slot.event->record(stream);
        slot.tag = tag;
        ++n_pending_;
    }

    struct Taken {
        T value;
        std::uint64_t tag;
    };
    /// The newest value that has arrived since the last call; never waits.
    [[nodiscard]] std::optional<Taken> take() {
        std::optional<Taken> taken;
        for (; n_pending_ > 0 && slots_[first_].event->ready(); --n_pending_) {
            taken.emplace();
            std::memcpy(&taken->value, slots_[first_].memory.data(), sizeof(T));
            taken->tag = slots_[first_].tag;
            first_ = (first_ + 1) % kSlots;
        }
        return taken;
    }

  private:
    static constexpr std::size_t kSlots = 4;
    struct Slot {
        PinnedMemory memory;
        std::unique_ptr<Event> event;
        std::uint64_t tag;
    };

    std::vector<Slot> slots_;  ///< a ring
    std::size_t first_ = 0, n_pending_ = 0;
};

}  // namespace tl
