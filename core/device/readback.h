// Asynchronous readback of small values from a device: a value is requested now and taken some
// frames later, once the device has copied it.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>

#include "core/device/device.h"

namespace tl {

/// Copies of a value at several moments of a stream. One Readback must serve one stream only.
template <class T>
class Readback {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Readback(Device& device)
        : device_(device), values_(static_cast<T*>(device.allocate_pinned(kSlots * sizeof(T)))) {
        for (auto& slot : slots_) slot.event = device.create_event();
    }
    /// Waits for pending copies, since their destination is freed.
    ~Readback() {
        try {
            while (n_pending_ > 0) (void)take();
        } catch (const std::exception&) {
            // After a device error no copies are pending.
        }
        device_.free_pinned(values_);
    }
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;

    /// Requests the value as it is once the work given to the stream so far has run. Does nothing
    /// while kSlots earlier requests are pending.
    void request(Stream& stream, const T* value, std::uint64_t tag) {
        if (n_pending_ == kSlots) return;
        std::size_t last = (first_ + n_pending_) % kSlots;
        device_.download_later(stream, &values_[last], value, sizeof(T));
        slots_[last].event->record(stream);
        slots_[last].tag = tag;
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
            taken = {values_[first_], slots_[first_].tag};
            first_ = (first_ + 1) % kSlots;
        }
        return taken;
    }
    /// Waits until at most the newest `n` requests are pending. Returns the newest value of the
    /// others, if there are any. The result does not depend on when the device is done.
    [[nodiscard]] std::optional<Taken> take_all_but(std::size_t n) {
        std::optional<Taken> taken;
        for (; n_pending_ > n; --n_pending_) {
            slots_[first_].event->wait();
            taken = {values_[first_], slots_[first_].tag};
            first_ = (first_ + 1) % kSlots;
        }
        return taken;
    }

  private:
    static constexpr std::size_t kSlots = 4;
    struct Slot {
        std::unique_ptr<Event> event;
        std::uint64_t tag = 0;
    };

    Device& device_;
    T* values_;                       ///< pinned, one for each slot
    std::array<Slot, kSlots> slots_;  ///< a ring buffer
    std::size_t first_ = 0, n_pending_ = 0;
};

}  // namespace tl
