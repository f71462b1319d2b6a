#include "solvers/pose/minimal/relative_hybrid.h"

#include <algorithm>

#include "core/device/pinned_array.h"
#include "solvers/minimal/chunk_turns.h"

namespace tl {
namespace {

/// Problems of a part: enough for all multiprocessors, few enough that both processors have work.
/// Each four of six pairs keep a template of 100 kB in the meantime.
constexpr std::size_t kMostOfPart = 4096, kMostSixPoint = 512, kLeastOfPart = 64;

}  // namespace

/// Memory of a part, on a stream of its own.
class RelativeHybrid::Part {
  public:
    /// Arrays of a solve, as RelativeHybrid::solve() has them.
    struct Task {
        std::span<const PointPair> pairs;
        std::span<double> models;
        std::span<int> n_found;
    };

    Part(Device& device, bool with_focal)
        : device_(device),
          sizes_(relative_sizes(with_focal)),
          stream_(device.create_stream()),
          done_(device.create_event()),
          steps_(cpu::make_relative_steps(with_focal)) {}

    /// Ends work of an earlier solve that has failed.
    void begin(const Task& task) {
        stream_->synchronize();
        task_ = task;
    }
    /// Builds the action matrices and starts their eigenvectors.
    void start(minimal::InstanceRange range) {
        if (range.count > capacity_) grow(range.count);
        steps_->build(task_.pairs.subspan(range.first * sizes_.pairs, range.count * sizes_.pairs),
                      matrices_.data());
        auto& stream = *stream_;
        device_.upload(stream, on_device_.data(), matrices_.data(),
                       range.count * n_elements() * sizeof(double));
        TL_DISPATCH(device_, start_action_vectors(stream, std::as_const(on_device_).view(),
                                                  static_cast<int>(sizes_.rows), range.count,
                                                  values_there_.data(), vectors_there_.data(),
                                                  sweeps_.data(), status_.data()));
        device_.download_later(stream, values_.data(), values_there_.data(),
                               range.count * n_values() * sizeof(double));
        device_.download_later(stream, vectors_.data(), vectors_there_.data(),
                               range.count * n_elements() * sizeof(double));
        done_->record(stream);
    }
    /// Waits for the eigenvectors, and finishes the problems.
    void finish(minimal::InstanceRange range) {
        done_->wait();
        steps_->finish({values_.data(), vectors_.data()},
                       task_.models.data() + range.first * sizes_.rows * sizes_.model,
                       task_.n_found.subspan(range.first, range.count));
    }

  private:
    [[nodiscard]] std::size_t n_values() const { return 2 * sizes_.rows; }
    [[nodiscard]] std::size_t n_elements() const { return sizes_.rows * sizes_.rows; }
    void grow(std::size_t count) {
        capacity_ = 0;
        require_memory(device_, count * (2 * n_elements() + n_values() + 1) * sizeof(double),
                       "problems of two views", "solve fewer at a time");
        matrices_ = PinnedArray<double>(device_, count * n_elements());
        vectors_ = PinnedArray<double>(device_, count * n_elements());
        values_ = PinnedArray<double>(device_, count * n_values());
        on_device_.resize_discard(*stream_, count * n_elements());
        vectors_there_.resize_discard(*stream_, count * n_elements());
        values_there_.resize_discard(*stream_, count * n_values());
        sweeps_.resize_discard(*stream_, count);
        status_.resize_discard(*stream_, count);
        capacity_ = count;
    }

    Device& device_;
    RelativeSizes sizes_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> done_;
    std::unique_ptr<RelativeSteps> steps_;
    Task task_;
    std::size_t capacity_ = 0;  ///< problems that all arrays have memory for
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
    for (auto& part : parts_) part->begin({pairs, models, n_found});
    const std::size_t most = sizes_.pairs == kSixPointSizes.pairs ? kMostSixPoint : kMostOfPart;
    const std::size_t size = std::clamp((n_found.size() + 1) / 2, kLeastOfPart, most);
    minimal::take_turns(*parts_[0], *parts_[1], n_found.size(), size, {});
}

}  // namespace tl
