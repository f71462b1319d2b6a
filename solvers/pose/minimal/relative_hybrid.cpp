#include "solvers/pose/minimal/relative_hybrid.h"

#include <algorithm>

#include "core/device/pinned_array.h"

namespace tl {
namespace {

/// Problems of a part: enough for all multiprocessors, few enough that both processors have work.
/// Each four of six pairs keep a template of 100 kB in the meantime.
constexpr std::size_t kMostOfPart = 4096, kMostSixPoint = 512, kLeastOfPart = 64;

}  // namespace

/// Memory of a part, on a stream of its own.
class RelativeHybrid::Part {
  public:
    Part(Device& device, bool with_focal)
        : device_(device),
          sizes_(relative_sizes(with_focal)),
          stream_(device.create_stream()),
          done_(device.create_event()),
          steps_(cpu::make_relative_steps(with_focal)) {}

    /// Builds the action matrices and starts their eigenvectors.
    void start(std::span<const PointPair> pairs) {
        count_ = pairs.size() / sizes_.pairs;
        if (count_ > matrices_.size() / n_elements()) grow();
        steps_->build(pairs, matrices_.data());
        auto& stream = *stream_;
        device_.upload(stream, on_device_.data(), matrices_.data(),
                       count_ * n_elements() * sizeof(double));
        TL_DISPATCH(device_, start_action_vectors(stream, std::as_const(on_device_).view(),
                                                  static_cast<int>(sizes_.rows), count_,
                                                  values_there_.data(), vectors_there_.data(),
                                                  sweeps_.data(), status_.data()));
        device_.download_later(stream, values_.data(), values_there_.data(),
                               count_ * n_values() * sizeof(double));
        device_.download_later(stream, vectors_.data(), vectors_there_.data(),
                               count_ * n_elements() * sizeof(double));
        done_->record(stream);
    }
    /// Waits for the eigenvectors, and finishes the problems.
    void finish(double* models, std::span<int> n_found) {
        done_->wait();
        steps_->finish({values_.data(), vectors_.data()}, models, n_found);
    }

  private:
    [[nodiscard]] std::size_t n_values() const { return 2 * sizes_.rows; }
    [[nodiscard]] std::size_t n_elements() const { return sizes_.rows * sizes_.rows; }
    void grow() {
        require_memory(device_, count_ * (2 * n_elements() + n_values() + 1) * sizeof(double),
                       "problems of two views", "solve fewer at a time");
        matrices_ = PinnedArray<double>(device_, count_ * n_elements());
        vectors_ = PinnedArray<double>(device_, count_ * n_elements());
        values_ = PinnedArray<double>(device_, count_ * n_values());
        on_device_.resize_discard(*stream_, count_ * n_elements());
        vectors_there_.resize_discard(*stream_, count_ * n_elements());
        values_there_.resize_discard(*stream_, count_ * n_values());
        sweeps_.resize_discard(*stream_, count_);
        status_.resize_discard(*stream_, count_);
    }

    Device& device_;
    RelativeSizes sizes_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> done_;
    std::unique_ptr<RelativeSteps> steps_;
    std::size_t count_ = 0;
    PinnedArray<double> matrices_, vectors_, values_;
    DeviceArray<double> on_device_, vectors_there_, values_there_;
    DeviceArray<int> sweeps_, status_;
};

RelativeHybrid::RelativeHybrid(Device& device, bool with_focal)
    : device_(device), sizes_(relative_sizes(with_focal)) {
    for (auto& part : parts_) part = std::make_unique<Part>(device_, with_focal);
}
RelativeHybrid::~RelativeHybrid() = default;

void RelativeHybrid::solve(std::span<const PointPair> pairs, std::span<double> models,
                           std::span<int> n_found) {
    const std::size_t count = n_found.size();
    const std::size_t most = sizes_.pairs == kSixPointSizes.pairs ? kMostSixPoint : kMostOfPart;
    const std::size_t size = std::clamp((count + 1) / 2, kLeastOfPart, most);
    auto end_of = [&](std::size_t first) { return std::min(count, first + size); };
    auto finish = [&](std::size_t first) {
        parts_[first / size % 2]->finish(models.data() + first * sizes_.rows * sizes_.model,
                                         n_found.subspan(first, end_of(first) - first));
    };
    for (std::size_t first = 0; first < count; first += size) {
        parts_[first / size % 2]->start(
            pairs.subspan(sizes_.pairs * first, sizes_.pairs * (end_of(first) - first)));
        if (first > 0) finish(first - size);
    }
    if (count > 0) finish((count - 1) / size * size);
}

}  // namespace tl
