// Treelight's own modes: each a kernel with its limits.
#include "solvers/eigen/eigen_modes.h"

#include <algorithm>
#include <chrono>

namespace tl {
namespace {

/// Matrices of n x n that are solved between two reports of progress: whole packs.
std::size_t slice_of(const Device& device, int n) {
    auto rows = static_cast<std::uint64_t>(n);
    std::uint64_t at_once = std::uint64_t{1} << (device.kind() == DeviceKind::cuda ? 31 : 25);
    constexpr std::uint64_t kLeast = 8, kMost = 1 << 20;
    return std::clamp(at_once / (rows * rows * (rows + 4)), kLeast, kMost) / kLeast * kLeast;
}

class BatchedMode final : public EigenSolverOf<BatchedMode> {
  public:
    explicit BatchedMode(EigenMethod method) : method_(method) {}

    Settings settings() override { return eigen_settings(limits_); }
    int most_rows() const override { return method_.most_rows; }
    template <class T>
    EigenResult<T> solve_as(Stream& stream, const EigenBatch<T>& batch, const EigenRequest& request,
                            SolverRun& run) {
        auto result = make_eigen_result(stream, batch, request, method_.id, method_.most_rows);
        EigenOutputs<T> outputs{result.values.data(), result.vectors.data(), result.sweeps.data(),
                                result.status.data()};
        run.report(0);
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        std::size_t slice = slice_of(stream.device(), batch.n);
        for (std::size_t first = 0; first < batch.count; first += slice) {
            kernel_of<T>()(stream, batch, {first, std::min(slice, batch.count - first)},
                           request.pairs, limits_, outputs);
            stream.synchronize();
            run.report(static_cast<double>(std::min(first + slice, batch.count)) /
                       static_cast<double>(batch.count));
        }
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        run.report(1);
        return result;
    }

  private:
    template <class T>
    [[nodiscard]] EigenKernel<T> kernel_of() const {
        if constexpr (sizeof(T) == sizeof(float))
            return method_.of_floats;
        else
            return method_.of_doubles;
    }

    EigenMethod method_;
    EigenLimits limits_;
};

/// The fastest mode for each n, by measurement (docs/algorithms/eigen.md).
class ChosenMode final : public EigenSolverOf<ChosenMode> {
  public:
    explicit ChosenMode(EigenChoice choose) : choose_(choose) {}

    Settings settings() override { return eigen_settings(limits_); }
    template <class T>
    EigenResult<T> solve_as(Stream& stream, const EigenBatch<T>& batch, const EigenRequest& request,
                            SolverRun& run) {
        return chosen(batch.n)->solve(stream, batch, request, run);
    }

  private:
    [[nodiscard]] std::unique_ptr<EigenSolver> chosen(int n) {
        auto solver = choose_(n);
        auto settings = solver->settings();
        for (auto& setting : eigen_settings(limits_))
            find_setting(settings, setting->id, "auto").set(setting.text());
        return solver;
    }

    EigenChoice choose_;
    EigenLimits limits_;
};

}  // namespace

Settings eigen_settings(EigenLimits& limits) {
    static const SettingsOf<EigenLimits> all{
        {"sweeps", &EigenLimits::sweeps, 1, 1000, "",
         "QR sweeps for each row before a matrix counts as not converged"},
        {"balance", &EigenLimits::balance, "scale rows and columns by powers of two first"},
    };
    return all.of(limits);
}

std::uint64_t eigen_result_bytes(int n, EigenPairs pairs, std::size_t element_size) {
    auto rows = static_cast<std::uint64_t>(n);
    std::uint64_t vectors = pairs == EigenPairs::all    ? 2 * rows * rows
                            : pairs == EigenPairs::real ? rows * rows
                                                        : 0;
    return (2 * rows + vectors) * element_size + 2 * sizeof(int);
}

template <class T>
EigenResult<T> make_eigen_result(Stream& stream, const EigenBatch<T>& batch,
                                 const EigenRequest& request, const char* mode, int most_rows) {
    if (batch.n < 1 || batch.n > most_rows)
        throw UserError(std::string("eig mode ") + mode + " takes matrices of 1 to " +
                        std::to_string(most_rows) + " rows; these have " + std::to_string(batch.n));
    require_memory(stream.device(),
                   batch.count * eigen_result_bytes(batch.n, request.pairs, sizeof(T)),
                   std::string("eig mode ") + mode, kEigenMemoryAdvice);
    EigenResult<T> result;
    result.n = batch.n;
    result.count = batch.count;
    result.pairs = request.pairs;
    result.mode = mode;
    auto rows = static_cast<std::size_t>(batch.n);
    std::size_t elements = batch.count * rows * rows;
    result.values = DeviceArray<T>(stream, 2 * batch.count * rows);
    if (request.pairs != EigenPairs::values)
        result.vectors =
            DeviceArray<T>(stream, request.pairs == EigenPairs::all ? 2 * elements : elements);
    result.sweeps = DeviceArray<int>(stream, batch.count);
    result.status = DeviceArray<int>(stream, batch.count);
    return result;
}
template EigenResult<float> make_eigen_result(Stream&, const EigenBatch<float>&,
                                              const EigenRequest&, const char*, int);
template EigenResult<double> make_eigen_result(Stream&, const EigenBatch<double>&,
                                               const EigenRequest&, const char*, int);

std::unique_ptr<EigenSolver> make_batched_eigen(const EigenMethod& method) {
    return std::make_unique<BatchedMode>(method);
}
std::unique_ptr<EigenSolver> make_chosen_eigen(EigenChoice choose) {
    return std::make_unique<ChosenMode>(choose);
}

std::unique_ptr<EigenSolver> make_eigen_simd() {
    return make_batched_eigen(
        {"simd", EigenSolver::kMostRows, cpu::eigen_simd<float>, cpu::eigen_simd<double>});
}
std::unique_ptr<EigenSolver> make_eigen_scalar() {
    return make_batched_eigen(
        {"scalar", EigenSolver::kMostRows, cpu::eigen_scalar<float>, cpu::eigen_scalar<double>});
}
std::unique_ptr<EigenSolver> make_eigen_auto() {
    return make_chosen_eigen([](int n) {
        // Larger ones leave the cache when several go in step.
        constexpr int kMostInStep = 64;
        return n <= kMostInStep ? make_eigen_simd() : make_eigen_scalar();
    });
}

}  // namespace tl
