#include "solvers/pose/minimal/five_point_hybrid.h"

#include <algorithm>

#include "core/device/pinned_array.h"

namespace tl {
namespace {

/// Problems of a part: enough for all multiprocessors, few enough that both processors have work.
constexpr std::size_t kMostOfPart = 4096, kLeastOfPart = 64;
constexpr std::size_t kValues = 2 * kFivePointRows, kElements = kFivePointRows * kFivePointRows;

}  // namespace

/// Memory of a part, on a stream of its own.
class FivePointHybrid::Part {
  public:
    explicit Part(Device& device)
        : device_(device), stream_(device.create_stream()), done_(device.create_event()) {}

    /// Builds the action matrices and starts their eigenvectors.
    void start(std::span<const PointPair> pairs) {
        count_ = pairs.size() / 5;
        if (count_ > matrices_.size() / kElements) grow();
        steps_.build(pairs, matrices_.data());
        auto& stream = *stream_;
        device_.upload(stream, on_device_.data(), matrices_.data(),
                       count_ * kElements * sizeof(double));
        TL_DISPATCH(device_, start_action_vectors(stream, std::as_const(on_device_).view(), count_,
                                                  values_there_.data(), vectors_there_.data(),
                                                  sweeps_.data(), status_.data()));
        device_.download_later(stream, values_.data(), values_there_.data(),
                               count_ * kValues * sizeof(double));
        device_.download_later(stream, vectors_.data(), vectors_there_.data(),
                               count_ * kElements * sizeof(double));
        done_->record(stream);
    }
    /// Waits for the eigenvectors, and finishes the problems.
    void finish(double* essentials, std::span<int> n_found) {
        done_->wait();
        steps_.finish({values_.data(), vectors_.data()}, essentials, n_found);
    }

  private:
    void grow() {
        require_memory(device_, count_ * (2 * kElements + kValues + 1) * sizeof(double),
                       "five-point problems", "solve fewer at a time");
        matrices_ = PinnedArray<double>(device_, count_ * kElements);
        vectors_ = PinnedArray<double>(device_, count_ * kElements);
        values_ = PinnedArray<double>(device_, count_ * kValues);
        on_device_.resize_discard(*stream_, count_ * kElements);
        vectors_there_.resize_discard(*stream_, count_ * kElements);
        values_there_.resize_discard(*stream_, count_ * kValues);
        sweeps_.resize_discard(*stream_, count_);
        status_.resize_discard(*stream_, count_);
    }

    Device& device_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> done_;
    cpu::FivePointSteps steps_;
    std::size_t count_ = 0;
    PinnedArray<double> matrices_, vectors_, values_;
    DeviceArray<double> on_device_, vectors_there_, values_there_;
    DeviceArray<int> sweeps_, status_;
};

FivePointHybrid::FivePointHybrid(Device& device) : device_(device) {
    for (auto& part : parts_) part = std::make_unique<Part>(device_);
}
FivePointHybrid::~FivePointHybrid() = default;

void FivePointHybrid::solve(std::span<const PointPair> pairs, std::span<double> essentials,
                            std::span<int> n_found) {
    const std::size_t count = n_found.size();
    const std::size_t size = std::clamp((count + 1) / 2, kLeastOfPart, kMostOfPart);
    auto end_of = [&](std::size_t first) { return std::min(count, first + size); };
    auto finish = [&](std::size_t first) {
        parts_[first / size % 2]->finish(essentials.data() + first * kMostEssentials * 9,
                                         n_found.subspan(first, end_of(first) - first));
    };
    for (std::size_t first = 0; first < count; first += size) {
        parts_[first / size % 2]->start(pairs.subspan(5 * first, 5 * (end_of(first) - first)));
        if (first > 0) finish(first - size);
    }
    if (count > 0) finish((count - 1) / size * size);
}

}  // namespace tl
