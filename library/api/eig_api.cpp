// The C interface over eigenvalues of batches of matrices.
#include <algorithm>
#include <span>

#include "core/device/registry.h"
#include "library/api/guarded.h"
#include "solvers/eigen/eigen_check.h"

namespace tl {
namespace {

static_assert(static_cast<int>(EigenStatus::not_converged) == TL_EIG_NOT_CONVERGED);
static_assert(static_cast<int>(EigenStatus::not_finite) == TL_EIG_NOT_FINITE);

/// Arrays of the caller, as tl_eig_batch() describes them.
template <class T>
struct CallerBatch {
    const T* matrices;
    int n;
    std::size_t count;
    T *values, *vectors;
    tl_eig_error* errors;
};

/// Error of a matrix without results.
UserError failure_of(std::size_t matrix, std::size_t count, EigenStatus status) {
    return UserError("eig: matrix " + std::to_string(matrix) + ", counted from 0, of " +
                     std::to_string(count) +
                     (status == EigenStatus::not_finite ? " has an element that is not finite"
                                                        : ": the eigenvalues did not converge"));
}

/// Copies the results of matrices from `first` on. Throws UserError for a matrix without results if
/// the caller takes no errors.
template <class T>
void copy_results(const HostEigen<T>& solved, std::size_t first, const CallerBatch<T>& batch) {
    auto n = static_cast<std::size_t>(batch.n);
    std::ranges::copy(solved.values, batch.values + 2 * first * n);
    if (batch.vectors) std::ranges::copy(solved.vectors, batch.vectors + 2 * first * n * n);
    for (std::size_t i = 0; i < solved.count; ++i) {
        auto status = static_cast<EigenStatus>(solved.status[i]);
        if (batch.errors)
            batch.errors[first + i] = static_cast<tl_eig_error>(solved.status[i]);
        else if (status != EigenStatus::solved)
            throw failure_of(first + i, batch.count, status);
    }
}

template <class T>
tl_status solve_batch(const char* device_name, const CallerBatch<T>& batch,
                      const ProgressCallback& told) {
    Device& device = find_device(device_name);
    if (batch.n == 0 && batch.errors) std::fill_n(batch.errors, batch.count, TL_EIG_SOLVED);
    if (batch.n == 0 || batch.count == 0) return TL_OK;
    auto stream = device.create_stream();
    auto solver = make_eigen_solver("auto", device);
    auto pairs = batch.vectors ? EigenPairs::all : EigenPairs::values;
    auto size = static_cast<std::size_t>(batch.n) * static_cast<std::size_t>(batch.n);
    // Parts that take some tenths of a second, after each of which the call can be cancelled.
    constexpr std::size_t kElements = 1 << 22;
    std::size_t part = std::min(batch_part(device, batch.n, pairs, sizeof(T), batch.count),
                                std::max<std::size_t>(kElements / size, 1));
    for (std::size_t first = 0; first < batch.count; first += part) {
        std::size_t count = std::min(part, batch.count - first);
        DeviceArray<T> a(*stream, std::span(batch.matrices + first * size, count * size));
        SolverRun run;
        auto result = solver->solve(*stream, {a.view(), batch.n, count}, {pairs}, run);
        copy_results(downloaded(*stream, result), first, batch);
        told("matrices", static_cast<double>(first + count) / static_cast<double>(batch.count));
    }
    return TL_OK;
}

}  // namespace

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_status tl_eig_batch(const char* device, tl_type type, const void* matrices, int n, size_t count,
                       void* values, void* vectors, tl_eig_error* errors, tl_progress progress,
                       void* context) {
    return guarded([&] {
        if (!is_within(type, TL_FLOAT32, TL_FLOAT64)) return fail(TL_INVALID, "unknown type");
        if (n < 0 || n > EigenSolver::kMostRows)
            return fail(TL_INVALID, "eig: matrices of " + std::to_string(n) + " rows; from 0 to " +
                                        std::to_string(EigenSolver::kMostRows) + " can be solved");
        bool has_numbers = n > 0 && count > 0;
        if (!device || (has_numbers && (!matrices || !values)))
            return fail(TL_INVALID, "an argument is null");
        const ProgressCallback told{progress, context};
        auto solve = [&]<class T>(const T* from) {
            return solve_batch<T>(
                device, {from, n, count, static_cast<T*>(values), static_cast<T*>(vectors), errors},
                told);
        };
        return number_of(type) == TL_FLOAT32 ? solve(static_cast<const float*>(matrices))
                                             : solve(static_cast<const double*>(matrices));
    });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
