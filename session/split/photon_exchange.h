// The exchange of photons between the devices of a split frame, each of which has a thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "renderer/photon_share.h"

namespace tl {

/// A reusable barrier for the threads of a frame's devices, each of which publishes lists for the
/// others to copy. The barrier opens once every device has arrived or dropped out.
class PhotonExchange {
  public:
    explicit PhotonExchange(std::size_t n_devices);
    /// The side of device `index`; valid as long as this object.
    [[nodiscard]] PhotonShare& share(std::size_t index) { return *shares_[index]; }
    /// Begins a frame of all devices, none of which may be waiting.
    void begin_frame();
    /// Records that a device will not arrive again in this frame. Any thread may call it, also
    /// twice.
    void drop_out(std::size_t index);

  private:
    class Share;
    /// Data that a device publishes; valid until the device arrives again.
    struct Participant {
        bool has_arrived = false, has_dropped_out = false;
        std::uint64_t key = 0;             ///< key that it gave begin_pass()
        Stream* stream = nullptr;          ///< stream that writes its lists
        std::vector<SharedList> lists;     ///< lists that it gave gather() or complete()
        std::uint32_t n_stored = 0;        ///< entries of the lists given to gather()
        std::uint32_t* numbers = nullptr;  ///< numbers that it gave add()
    };
    /// Waits until the barrier opens; returns whether all devices have arrived. `fill` writes what
    /// the device leaves. Throws Cancelled, and drops out, once the stream is cancelled.
    template <class Fill>
    bool arrive_and_wait(std::size_t index, const Stream& stream, const Fill& fill);
    /// The same, but throws Cancelled where a device has dropped out.
    template <class Fill>
    void arrive_with_all(std::size_t index, const Stream& stream, const Fill& fill);
    void open_if_complete();

    std::mutex mutex_;  ///< of all below but the shares
    std::condition_variable opened_;
    std::vector<Participant> participants_;
    std::atomic<std::uint64_t> n_opened_ = 0;  ///< number of times that the barrier has opened
    bool was_complete_ = false;  ///< whether all devices had arrived when it last opened
    bool had_one_key_ = false;   ///< whether all of them had the same key then
    std::vector<std::unique_ptr<PhotonShare>> shares_;
};

}  // namespace tl
