// Asynchronous readback of small values from a device: a value is requested now and taken some
// frames later, once the device has copied it.
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

/// Host memory that a device copies to asynchronously. It must outlive the copies.
class PinnedMemory {
  public:
    PinnedMemory(Device& device, std::size_t bytes);
    ~PinnedMemory();
    PinnedMemory(PinnedMemory&& o) noexcept
        : device_(o.device_), data_(std::exchange(o.data_, nullptr)) {}
    PinnedMemory& operator=(PinnedMemory&&) = delete;

    /// Copies `bytes` from the device to the start of this memory, ordered on the stream; complete
    /// once an event recorded later is ready.
    void download_later(Stream& stream, const void* from, std::size_t bytes);
    [[nodiscard]] const void* data() const { return data_; }

  private:
    Device* device_;
    void* data_;
};

/// Copies of a value at several moments of a stream. One Readback must serve one stream only.
template <class T>
class Readback {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Readback(Device& device) {
        for (std::size_t i = 0; i < kSlots; ++i)
            slots_.push_back({PinnedMemory(device, sizeof(T)), device.create_event(), 0});
    }
    /// Waits for pending copies, since their destination is freed.
    ~Readback() {
        try {
            while (n_pending_ > 0) (void)take();
        } catch (const std::exception&) {
            // After a device error no copies are pending.
        }
    }
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;

    /// Requests the value as it is once the work given to the stream so far has run. Does nothing
    /// while kSlots earlier requests are pending.
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

    std::vector<Slot> slots_;  ///< a ring buffer
    std::size_t first_ = 0, n_pending_ = 0;
};

}  // namespace tl
