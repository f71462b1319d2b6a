#include "solvers/minimal/kernel_table.h"

#include <cuda_runtime.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "core/device/array.h"
#include "core/device/cuda_check.h"
#include "core/device/pinned_array.h"
#include "solvers/minimal/chunk_turns.h"
#include "solvers/minimal/loaded_kernel.h"
#include "solvers/minimal/solver_kernel.h"

namespace tl::minimal {
namespace {

Capability capability_of(const Device& gpu) {
    Capability found;
    TL_CUDA_CHECK(
        cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, gpu.index()));
    TL_CUDA_CHECK(
        cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, gpu.index()));
    return found;
}

/// Copies by all threads: one alone is slower than the bus.
template <class T>
void copy_by_threads(T* to, const T* from, std::size_t count) {
    constexpr std::size_t kPart = std::size_t{1} << 17;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kPart),
                      [&](const tbb::blocked_range<std::size_t>& part) {
                          std::memcpy(to + part.begin(), from + part.begin(),
                                      part.size() * sizeof(T));
                      });
}

/// Advice in messages about insufficient memory.
constexpr const char* kAdvice = "use --mode hybrid or --device cpu";

/// Stages of a solve, in seconds.
struct KernelTimes {
    double gather = 0, upload = 0, kernel = 0, download = 0, scatter = 0;
};

/// Arrays and times of a solve, shared by all chunks.
struct KernelTask {
    std::span<const double> instances;
    std::span<double> solutions;
    std::span<int> counts;
    KernelTimes times;
};

/// Memory of a chunk of instances, on a stream of its own.
class KernelChunk {
  public:
    KernelChunk(const LoadedKernel& kernel, const SolverFunctions& functions, Device& device)
        : kernel_(kernel),
          device_(device),
          stream_(device.create_stream()),
          n_parameters_(static_cast<std::size_t>(functions.n_parameters)),
          n_numbers_(static_cast<std::size_t>(functions.n_solutions * functions.n_unknowns)) {
        for (auto& event : events_) event = device.create_event();
    }

    /// Ends work of an earlier solve that was cancelled.
    void begin(KernelTask& task) {
        stream_->synchronize();
        task_ = &task;
    }
    /// Bytes of host memory that an instance takes, and as many of device memory.
    [[nodiscard]] std::size_t bytes() const {
        return (n_parameters_ + n_numbers_) * sizeof(double) + sizeof(int);
    }
    void start(InstanceRange range) {
        if (range.count > capacity_) grow(range.count);
        auto begin = Clock::now();
        std::size_t n_given = range.count * n_parameters_;
        copy_by_threads(instances_.data(), task_->instances.data() + range.first * n_parameters_,
                        n_given);
        task_->times.gather += seconds_since(begin);
        auto& stream = *stream_;
        events_[0]->record(stream);
        device_.upload(stream, instances_there_.data(), instances_.data(),
                       n_given * sizeof(double));
        events_[1]->record(stream);
        kernel_.launch(stream, {instances_there_.data(), range.count, solutions_there_.data(),
                                counts_there_.data(), scratch_.data()});
        events_[2]->record(stream);
        device_.download_later(stream, solutions_.data(), solutions_there_.data(),
                               range.count * n_numbers_ * sizeof(double));
        device_.download_later(stream, counts_.data(), counts_there_.data(),
                               range.count * sizeof(int));
        events_[3]->record(stream);
    }
    void finish(InstanceRange range) {
        events_[3]->wait();
        double* stages[] = {&task_->times.upload, &task_->times.kernel, &task_->times.download};
        for (std::size_t i = 0; i < 3; ++i)
            *stages[i] += double(events_[i + 1]->milliseconds_since(*events_[i])) / 1000;
        auto begin = Clock::now();
        copy_by_threads(&task_->solutions[range.first * n_numbers_], solutions_.data(),
                        range.count * n_numbers_);
        copy_by_threads(&task_->counts[range.first], counts_.data(), range.count);
        task_->times.scatter += seconds_since(begin);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    void grow(std::size_t count) {
        capacity_ = 0;
        require_memory(device_, count * bytes() + kernel_.scratch_numbers() * sizeof(double),
                       "a part of a system's instances", kAdvice);
        if (n_parameters_ > 0) instances_ = PinnedArray<double>(device_, count * n_parameters_);
        solutions_ = PinnedArray<double>(device_, count * n_numbers_);
        counts_ = PinnedArray<int>(device_, count);
        instances_there_.resize_discard(*stream_, count * n_parameters_);
        solutions_there_.resize_discard(*stream_, count * n_numbers_);
        counts_there_.resize_discard(*stream_, count);
        scratch_.resize_discard(*stream_, kernel_.scratch_numbers());
        capacity_ = count;
    }

    const LoadedKernel& kernel_;
    Device& device_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> events_[4];  ///< around the copies and the kernel
    std::size_t n_parameters_, n_numbers_;
    KernelTask* task_ = nullptr;
    std::size_t capacity_ = 0;  ///< instances that all arrays have memory for
    PinnedArray<double> instances_, solutions_;
    PinnedArray<int> counts_;
    DeviceArray<double> instances_there_, solutions_there_, scratch_;
    DeviceArray<int> counts_there_;
};

class KernelTable final : public TableRoute {
  public:
    KernelTable(const std::string& path, const SolverFunctions& functions, Device& device)
        : kernel_(path, kernel_shape(functions), device),
          even_(kernel_, functions, device),
          odd_(kernel_, functions, device) {
        require_memory(device, kernel_.local_bytes(), "the threads of a system's kernel", kAdvice);
    }

    void solve(std::span<const double> instances, std::span<double> solutions,
               std::span<int> counts, const ProgressPoll& poll) override {
        KernelTask task{instances, solutions, counts, {}};
        even_.begin(task);
        odd_.begin(task);
        // Several waves of blocks, in as much memory as keeps the bus busy.
        constexpr std::size_t kMost = 65536, kLeast = 1024, kMostBytes = std::size_t{64} << 20;
        std::size_t size = std::clamp(kMostBytes / even_.bytes(), kLeast, kMost);
        take_turns(even_, odd_, counts.size(), size, poll);
        times_ = task.times;
    }
    [[nodiscard]] std::vector<StageSeconds> stages() const override {
        return {{"to pinned memory", times_.gather},
                {"upload", times_.upload},
                {"kernel", times_.kernel},
                {"download", times_.download},
                {"from pinned memory", times_.scatter}};
    }

  private:
    LoadedKernel kernel_;
    KernelChunk even_, odd_;
    KernelTimes times_;
};

}  // namespace

bool has_compiled_kernel(const PolynomialSystem& system, const Device& gpu) {
    return std::filesystem::exists(kernel_path(system, capability_of(gpu)));
}

std::unique_ptr<TableRoute> make_kernel_table(const PolynomialSystem& system,
                                              const SolverFunctions& functions, Device& device,
                                              const ProgressPoll& poll) {
    auto gpu = capability_of(device);
    compile_kernel(system, kernel_shape(functions), gpu, poll);
    return std::make_unique<KernelTable>(kernel_path(system, gpu), functions, device);
}

}  // namespace tl::minimal
