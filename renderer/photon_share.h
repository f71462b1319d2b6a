// Interface by which devices that render one picture share its photon passes: each traces a range
// of the photons, and all exchange what they have stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device/array.h"

namespace tl {

/// An array in memory of the calling device that photons are appended to.
struct SharedList {
    void* entries = nullptr;
    std::size_t entry_bytes = 0;
};

/// Numbers [begin, end) of what one device computes.
struct SharedRange {
    std::uint32_t begin, end;
};

/// One device's side of the exchange, used by the thread of its frame. Devices call the functions
/// in the same order, once begin_pass() has returned true at all of them. Where a device ends its
/// frame instead, since it failed or was cancelled, the functions throw Cancelled at the others.
class PhotonShare {
  public:
    virtual ~PhotonShare() = default;
    /// Number of the calling device among those that share passes, and how many they are.
    [[nodiscard]] virtual std::uint32_t index() const = 0;
    [[nodiscard]] virtual std::uint32_t count() const = 0;
    /// The calling device's part of `n` photons or entries.
    [[nodiscard]] SharedRange range(std::uint32_t n) const { return range_of(index(), n); }
    /// Waits until every device begins a pass or ends its frame. Returns whether all of them begin
    /// passes of the same `key`, a hash of what the photons depend on; otherwise each device traces
    /// all photons of its pass itself. Throws Cancelled once the stream is cancelled.
    [[nodiscard]] virtual bool begin_pass(Stream& stream, std::uint64_t key) = 0;
    /// Appends what the other devices have stored to each list. All lists have `capacity` entries
    /// at every device; those beyond it are dropped, the calling device's own last. *n_stored, in
    /// device memory, becomes the number that all have stored, which may exceed the capacity. Waits
    /// for the stream and for the other devices.
    virtual void gather(Stream& stream, const std::vector<SharedList>& lists,
                        std::uint32_t capacity, std::uint32_t* n_stored) = 0;
    /// Completes a list of `n` entries, of which each device has computed its own range(), by those
    /// of the other devices. Waits for these, but not for the stream.
    virtual void complete(Stream& stream, const SharedList& list, std::uint32_t n) = 0;
    /// Replaces each of `n` numbers in device memory by its sum over the devices. Waits for the
    /// other devices, but not for the stream.
    virtual void add(Stream& stream, std::uint32_t* numbers, std::size_t n) = 0;

  protected:
    [[nodiscard]] SharedRange range_of(std::uint64_t device, std::uint32_t n) const {
        auto begin_of = [&](std::uint64_t d) {
            return static_cast<std::uint32_t>(d * n / count());
        };
        return {begin_of(device), begin_of(device + 1)};
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Adds each element of `more` to that of `sums`.
    void add_numbers(Stream& stream, View<std::uint32_t> sums, View<const std::uint32_t> more);
)
// clang-format on
