#include "solvers/minimal/hybrid_table.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cmath>

#include "core/device/array.h"
#include "core/device/pinned_array.h"
#include "solvers/eigen/eigen_kernels.h"
#include "solvers/minimal/chunk_turns.h"
#include "solvers/minimal/instance_task.h"
#include "solvers/minimal/lane_solver.h"

namespace tl::minimal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Starts the real eigenvectors of `count` matrices of n x n on the stream's device.
void start_vectors(Stream& stream, const EigenBatch<double>& batch,
                   const EigenOutputs<double>& outputs) {
    const EigenRange all{0, batch.count};
    const EigenLimits limits;
#if defined(TL_HAS_CUDA)
    if (stream.device().kind() == DeviceKind::cuda) {
        // A thread a matrix is slower for parts of a few thousand.
        constexpr int kMostInWarp = 32;
        return batch.n <= kMostInWarp
                   ? cuda::eigen_lanes(stream, batch, all, EigenPairs::real, limits, outputs)
                   : cuda::eigen_block(stream, batch, all, EigenPairs::real, limits, outputs);
    }
#endif
    constexpr int kMostInStep = 64;
    return batch.n <= kMostInStep
               ? cpu::eigen_simd(stream, batch, all, EigenPairs::real, limits, outputs)
               : cpu::eigen_scalar(stream, batch, all, EigenPairs::real, limits, outputs);
}

/// Numbers of the CPU's steps, in packs, that a group of lanes keeps while the device works.
class KeptGroups {
  public:
    explicit KeptGroups(const SolverFunctions& functions)
        : n_coefficients_(static_cast<std::size_t>(functions.n_coefficients)),
          n_reduced_(static_cast<std::size_t>(functions.n_reducible * functions.n_solutions)) {}

    void resize(std::size_t n_groups) { packs_.resize(n_groups * n_packs()); }
    [[nodiscard]] std::size_t n_packs() const { return n_coefficients_ + n_reduced_ + 1; }
    /// Makes the solver use the group's numbers.
    void use(std::size_t group, LaneSolver::Storage& storage) {
        storage.coefficients = &packs_[group * n_packs()];
        storage.reduced = storage.coefficients + n_coefficients_;
    }
    /// 1 in lanes that have a multiplication matrix, else 0.
    LaneReal& valid(std::size_t group) { return packs_[(group + 1) * n_packs() - 1]; }

  private:
    std::size_t n_coefficients_, n_reduced_;
    std::vector<LaneReal> packs_;
};

/// Results of the eigenvectors of an instance in host memory, as EigenResult has them.
struct InstanceVectors {
    int n;
    const double* values;   ///< n pairs of real and imaginary parts
    const double* vectors;  ///< n x n; column t belongs to the t-th real eigenvalue
    int status;

    /// Whether rounding may have parted two real eigenvalues (SolutionSink), or some are not known.
    [[nodiscard]] bool is_doubtful() const {
        if (status != static_cast<int>(EigenStatus::solved)) return true;
        // Twice the sink's: the CPU's own eigenvalues differ from the device's by rounding, and
        // pairs that it would take as real have to reach it.
        constexpr double kNear = 2 * cpu::minimal::kNearRealAxis;
        for (int i = 0; i < n; ++i) {
            double re = values[2 * i], im = values[2 * i + 1];
            if (im != 0 && std::abs(im) < kNear * std::abs(re)) return true;
        }
        return false;
    }
    /// The position of the real eigenvalue number `column`; n where there are fewer.
    [[nodiscard]] int real_value(int column) const {
        int i = 0;
        for (int n_before = 0; i < n; ++i)
            if (values[2 * i + 1] == 0 && n_before++ == column) break;
        return i;
    }
};

/// Stages of a solve, in seconds.
struct HybridTimes {
    double matrices = 0, upload = 0, vectors = 0, download = 0, solutions = 0;
};

/// Arrays and times of a solve, shared by all chunks.
struct HybridTask {
    std::span<const double> instances;
    std::span<double> solutions;
    std::span<int> counts;
    HybridTimes times;
};

/// Memory of a chunk of instances, on a stream of its own.
class HybridChunk {
  public:
    HybridChunk(const SolverFunctions& functions, Device& device)
        : functions_(functions),
          device_(device),
          stream_(device.create_stream()),
          kept_(functions),
          n_(static_cast<std::size_t>(functions.n_solutions)) {
        for (auto& event : events_) event = device.create_event();
    }

    /// Ends work of an earlier solve that was cancelled.
    void begin(HybridTask& task) {
        stream_->synchronize();
        task_ = &task;
    }
    /// Bytes of host memory that an instance takes.
    [[nodiscard]] std::size_t bytes() const {
        return (2 * n_ * n_ + 2 * n_ + kept_.n_packs()) * sizeof(double) + 2 * sizeof(int);
    }
    void start(InstanceRange range) {
        if (range.count > capacity_) grow(range.count);
        auto begin = Clock::now();
        for_groups(range, [&](LaneSolver& lanes, std::size_t group, InstanceRange own) {
            build(lanes, group, own, &matrices_.data()[(own.first - range.first) * n_ * n_]);
        });
        task_->times.matrices += seconds_since(begin);
        start_device(range.count);
    }
    void finish(InstanceRange range) {
        events_[3]->wait();
        add_device_times();
        auto begin = Clock::now();
        for_groups(range, [&](LaneSolver& lanes, std::size_t group, InstanceRange own) {
            finish(lanes, group, own, own.first - range.first);
        });
        task_->times.solutions += seconds_since(begin);
    }

  private:
    void grow(std::size_t count) {
        capacity_ = 0;
        require_memory(device_, count * ((2 * n_ * n_ + 2 * n_) * sizeof(double) + 2 * sizeof(int)),
                       "eigenvectors of a system's instances", "use --device cpu");
        matrices_ = PinnedArray<double>(device_, count * n_ * n_);
        vectors_ = PinnedArray<double>(device_, count * n_ * n_);
        values_ = PinnedArray<double>(device_, count * 2 * n_);
        status_ = PinnedArray<int>(device_, count);
        on_device_.resize_discard(*stream_, count * n_ * n_);
        vectors_there_.resize_discard(*stream_, count * n_ * n_);
        values_there_.resize_discard(*stream_, count * 2 * n_);
        sweeps_there_.resize_discard(*stream_, count);
        status_there_.resize_discard(*stream_, count);
        kept_.resize((count + kInstanceLanes - 1) / kInstanceLanes);
        capacity_ = count;
    }
    void start_device(std::size_t count) {
        auto& stream = *stream_;
        std::size_t matrix_bytes = count * n_ * n_ * sizeof(double);
        events_[0]->record(stream);
        device_.upload(stream, on_device_.data(), matrices_.data(), matrix_bytes);
        events_[1]->record(stream);
        start_vectors(stream, {{on_device_.data(), count * n_ * n_}, static_cast<int>(n_), count},
                      {values_there_.data(), vectors_there_.data(), sweeps_there_.data(),
                       status_there_.data()});
        events_[2]->record(stream);
        device_.download_later(stream, values_.data(), values_there_.data(),
                               count * 2 * n_ * sizeof(double));
        device_.download_later(stream, vectors_.data(), vectors_there_.data(), matrix_bytes);
        device_.download_later(stream, status_.data(), status_there_.data(), count * sizeof(int));
        events_[3]->record(stream);
    }
    void add_device_times() {
        double* stages[] = {&task_->times.upload, &task_->times.vectors, &task_->times.download};
        for (std::size_t i = 0; i < 3; ++i)
            *stages[i] += double(events_[i + 1]->milliseconds_since(*events_[i])) / 1000;
    }

    /// Calls work(lanes, group, instances) for each group of lanes, on all threads.
    template <class Work>
    void for_groups(InstanceRange range, const Work& work) {
        std::size_t n_groups = (range.count + kInstanceLanes - 1) / kInstanceLanes;
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, n_groups, groups_per_task(functions_)),
            [&](const tbb::blocked_range<std::size_t>& part) {
                LaneSolver lanes(functions_);
                for (std::size_t group = part.begin(); group < part.end(); ++group) {
                    std::size_t at = group * kInstanceLanes;
                    work(lanes, group,
                         {range.first + at, std::min(kInstanceLanes, range.count - at)});
                }
            });
    }
    [[nodiscard]] std::span<const double> parameters_from(std::size_t instance) const {
        return task_->instances.subspan(instance *
                                        static_cast<std::size_t>(functions_.n_parameters));
    }

    /// Makes the multiplication matrices of a group; zeros where there is none.
    void build(LaneSolver& lanes, std::size_t group, InstanceRange own, double* matrices) {
        auto& storage = lanes.storage();
        kept_.use(group, storage);
        auto valid = lanes.load(parameters_from(own.first), own.count);
        auto regular =
            cpu::minimal::action_rows<false, LaneTeam>(lanes.solver(), lanes.parameters(), storage);
        valid = cpu::eigen::select(regular, valid, LaneReal(0.0));
        kept_.valid(group) = valid;
        // The template is no longer needed.
        LaneReal* matrix = storage.eigen;
        lanes.solver().action(storage.reduced, matrix);
        for (std::size_t lane = 0; lane < own.count; ++lane) {
            auto at = static_cast<long>(lane);
            for (std::size_t e = 0; e < n_ * n_; ++e)
                *matrices++ = valid.v[at] > 0 ? matrix[e].v[at] : 0;
        }
    }

    /// Turns the eigenvectors of a group's matrices, of which `first` is the number of the first in
    /// the chunk, into solutions.
    void finish(LaneSolver& lanes, std::size_t group, InstanceRange own, std::size_t first) {
        std::size_t n_numbers = n_ * static_cast<std::size_t>(functions_.n_unknowns);
        SolutionWriter writer{&task_->solutions[own.first * n_numbers], &task_->counts[own.first],
                              own.count, functions_.n_solutions, functions_.n_unknowns};
        std::fill_n(writer.counts, own.count, 0);
        InstanceVectors found[kInstanceLanes];
        auto valid = kept_.valid(group);
        bool again[kInstanceLanes] = {};
        for (std::size_t lane = 0; lane < own.count; ++lane) {
            auto at = static_cast<long>(lane);
            std::size_t i = first + lane;
            found[lane] = {static_cast<int>(n_), &values_.data()[i * 2 * n_],
                           &vectors_.data()[i * n_ * n_], status_.data()[i]};
            again[lane] = valid.v[at] > 0 && found[lane].is_doubtful();
            if (again[lane]) valid.v[at] = 0;
        }
        kept_.use(group, lanes.storage());
        for (int column = 0; column < static_cast<int>(n_); ++column)
            finish_column(lanes, found, column, valid, writer);
        writer.finish();
        for (std::size_t lane = 0; lane < own.count; ++lane) {
            if (!again[lane]) continue;
            auto one = writer.again(lane);
            LaneSolver(functions_).solve(parameters_from(own.first + lane), one);
        }
    }

    /// Turns column `column` of the vectors into solutions, in the lanes that are `valid`.
    static void finish_column(LaneSolver& lanes, const InstanceVectors* found, int column,
                              LaneReal valid, SolutionWriter& writer) {
        auto& storage = lanes.storage();
        LaneReal* y = storage.eigen;
        LaneReal eigenvalue(0.0), there(0.0);
        for (std::size_t lane = 0; lane < writer.n_lanes; ++lane) {
            auto at = static_cast<long>(lane);
            auto& own = found[lane];
            int position = valid.v[at] > 0 ? own.real_value(column) : own.n;
            there.v[at] = position < own.n ? 1 : 0;
            if (position < own.n) eigenvalue.v[at] = own.values[2 * position];
            for (int k = 0; k < own.n; ++k)
                y[k].v[at] = position < own.n ? own.vectors[k * own.n + column] : 0;
        }
        for (std::size_t lane = writer.n_lanes; lane < kInstanceLanes; ++lane)
            for (int k = 0; k < found[0].n; ++k) y[k].v[static_cast<long>(lane)] = 0;
        auto want = there > LaneReal(0.0);
        if (!LaneTeam::any(want)) return;
        cpu::minimal::SolutionStorage<LaneSolver::Solver, LaneReal> solution(lanes.solver());
        LaneReal* u = &solution.unknowns[0];
        (void)cpu::minimal::solution_of<LaneTeam>(lanes.solver(), storage, eigenvalue, y,
                                                  kMostNewtonSteps, want, u);
        writer.solution(want, u);
    }

    const SolverFunctions& functions_;
    Device& device_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> events_[4];  ///< around the copies and the eigenvectors
    KeptGroups kept_;
    std::size_t n_;  ///< rows of a multiplication matrix
    HybridTask* task_ = nullptr;
    std::size_t capacity_ = 0;  ///< instances that all arrays have memory for
    PinnedArray<double> matrices_, vectors_, values_;
    PinnedArray<int> status_;
    DeviceArray<double> on_device_, vectors_there_, values_there_;
    DeviceArray<int> sweeps_there_, status_there_;
};

class HybridTable final : public TableRoute {
  public:
    HybridTable(const SolverFunctions& functions, Device& device)
        : even_(functions, device), odd_(functions, device) {}

    void solve(std::span<const double> instances, std::span<double> solutions,
               std::span<int> counts, const ProgressPoll& poll) override {
        HybridTask task{instances, solutions, counts, {}};
        even_.begin(task);
        odd_.begin(task);
        // Enough for all multiprocessors, few enough that both processors have work.
        constexpr std::size_t kMost = 4096, kLeast = 64, kMostBytes = std::size_t{64} << 20;
        std::size_t size = std::clamp((counts.size() + 1) / 2, kLeast, kMost);
        size = std::clamp(kMostBytes / even_.bytes(), kInstanceLanes, size) / kInstanceLanes *
               kInstanceLanes;
        take_turns(even_, odd_, counts.size(), size, poll);
        times_ = task.times;
    }
    [[nodiscard]] std::vector<StageSeconds> stages() const override {
        return {{"multiplication matrices", times_.matrices},
                {"upload", times_.upload},
                {"eigenvectors", times_.vectors},
                {"download", times_.download},
                {"solutions", times_.solutions}};
    }

  private:
    HybridChunk even_, odd_;
    HybridTimes times_;
};

}  // namespace

std::unique_ptr<TableRoute> make_hybrid_table(const SolverFunctions& functions, Device& device) {
    return std::make_unique<HybridTable>(functions, device);
}

}  // namespace tl::minimal
