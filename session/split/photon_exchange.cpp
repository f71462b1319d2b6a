#include "session/split/photon_exchange.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "core/base/cancellation.h"
#include "core/base/spin.h"
#include "core/device/array.h"
#include "core/device/copy_across.h"

namespace tl {

class PhotonExchange::Share final : public PhotonShare {
  public:
    Share(PhotonExchange& exchange, std::size_t index) : exchange_(exchange), index_(index) {}
    std::uint32_t index() const override { return static_cast<std::uint32_t>(index_); }
    std::uint32_t count() const override {
        return static_cast<std::uint32_t>(exchange_.participants_.size());
    }
    bool begin_pass(Stream& stream, std::uint64_t key) override {
        auto leave_key = [key](Participant& own) { own.key = key; };
        // The result stays that of this barrier until the device arrives at the next one.
        return exchange_.arrive_and_wait(index_, stream, leave_key) && exchange_.had_one_key_;
    }
    void gather(Stream& stream, const std::vector<SharedList>& lists, std::uint32_t capacity,
                std::uint32_t* n_stored) override {
        // Waits for the device's own work, so that its errors are thrown here, not at the others.
        std::uint32_t n_own = 0;
        stream.device().download(stream, &n_own, n_stored, sizeof n_own);
        exchange_.arrive_with_all(index_, stream, [&](Participant& own) {
            own.stream = &stream;
            own.lists = lists;
            own.n_stored = n_own;
        });
        std::uint32_t n_all = append_others(stream, lists, capacity, n_own);
        stream.device().upload(stream, n_stored, &n_all, sizeof n_all);
        // The lists stay until the others have copied them.
        exchange_.arrive_with_all(index_, stream, [](Participant&) {});
    }
    void complete(Stream& stream, const SharedList& list, std::uint32_t n) override {
        exchange_.arrive_with_all(index_, stream, [&](Participant& own) {
            own.stream = &stream;
            own.lists = {list};
        });
        for (std::size_t d = 0; d < exchange_.participants_.size(); ++d) {
            auto& other = exchange_.participants_[d];
            SharedRange range = range_of(d, n);
            auto at = [&](void* entries) {
                return static_cast<std::byte*>(entries) + range.begin * list.entry_bytes;
            };
            if (d != index_)
                copy_across(*other.stream, at(other.lists[0].entries), stream, at(list.entries),
                            (range.end - range.begin) * list.entry_bytes);
        }
        exchange_.arrive_with_all(index_, stream, [](Participant&) {});
    }
    void add(Stream& stream, std::uint32_t* numbers, std::size_t n) override {
        exchange_.arrive_with_all(index_, stream, [&](Participant& own) {
            own.stream = &stream;
            own.numbers = numbers;
        });
        std::size_t n_devices = exchange_.participants_.size();
        DeviceArray<std::uint32_t> of_others(stream, n * (n_devices - 1));
        std::uint32_t* to = of_others.data();
        for (std::size_t d = 0; d < n_devices; ++d) {
            auto& other = exchange_.participants_[d];
            if (d == index_) continue;
            copy_across(*other.stream, other.numbers, stream, to, n * sizeof(std::uint32_t));
            to += n;
        }
        // Numbers stay until the others have copied them.
        exchange_.arrive_with_all(index_, stream, [](Participant&) {});
        for (std::size_t k = 0; k + 1 < n_devices; ++k) {
            View<const std::uint32_t> more(of_others.data() + k * n, n);
            View<std::uint32_t> sums(numbers, n);
            TL_DISPATCH(stream.device(), add_numbers(stream, sums, more));
        }
    }

  private:
    /// Returns the number of photons that all devices have stored.
    std::uint32_t append_others(Stream& stream, const std::vector<SharedList>& lists,
                                std::uint32_t capacity, std::uint32_t n_own) const {
        std::uint32_t n_all = n_own;
        for (std::size_t d = 0; d < exchange_.participants_.size(); ++d) {
            auto& other = exchange_.participants_[d];
            if (d == index_) continue;
            std::uint32_t at = std::min(n_all, capacity);
            std::uint32_t n = std::min(other.n_stored, capacity - at);
            for (std::size_t l = 0; l < lists.size(); ++l)
                copy_across(*other.stream, other.lists[l].entries, stream,
                            static_cast<std::byte*>(lists[l].entries) + at * lists[l].entry_bytes,
                            n * lists[l].entry_bytes);
            n_all += other.n_stored;
        }
        return n_all;
    }

    PhotonExchange& exchange_;
    std::size_t index_;
};

PhotonExchange::PhotonExchange(std::size_t n_devices) : participants_(n_devices) {
    for (std::size_t i = 0; i < n_devices; ++i)
        shares_.push_back(std::make_unique<Share>(*this, i));
}

void PhotonExchange::begin_frame() {
    std::scoped_lock lock(mutex_);
    for (auto& participant : participants_) participant = {};
}

void PhotonExchange::drop_out(std::size_t index) {
    std::scoped_lock lock(mutex_);
    participants_[index].has_dropped_out = true;
    open_if_complete();
}

void PhotonExchange::open_if_complete() {
    auto is_counted = [](auto& p) { return p.has_arrived || p.has_dropped_out; };
    auto has_arrived = [](auto& p) { return p.has_arrived; };
    if (!std::ranges::all_of(participants_, is_counted)) return;
    if (std::ranges::none_of(participants_, has_arrived)) return;
    was_complete_ = std::ranges::none_of(participants_, &Participant::has_dropped_out);
    had_one_key_ = std::ranges::all_of(
        participants_, [this](auto& p) { return p.key == participants_.front().key; });
    for (auto& participant : participants_) participant.has_arrived = false;
    ++n_opened_;
    opened_.notify_all();
}

template <class Fill>
bool PhotonExchange::arrive_and_wait(std::size_t index, const Stream& stream, const Fill& fill) {
    constexpr std::chrono::milliseconds kPoll{5};
    std::unique_lock lock(mutex_);
    auto& own = participants_[index];
    fill(own);
    own.has_arrived = true;
    auto before = n_opened_.load();
    open_if_complete();
    auto has_opened = [&] { return n_opened_.load() > before; };
    lock.unlock();
    spin_until(has_opened, std::chrono::microseconds(500));
    lock.lock();
    while (!opened_.wait_for(lock, kPoll, has_opened)) {
        if (!stream.is_cancelled()) continue;
        own.has_arrived = false;
        own.has_dropped_out = true;
        open_if_complete();
        throw Cancelled();
    }
    return was_complete_;
}

template <class Fill>
void PhotonExchange::arrive_with_all(std::size_t index, const Stream& stream, const Fill& fill) {
    if (!arrive_and_wait(index, stream, fill)) throw Cancelled();
}

}  // namespace tl
