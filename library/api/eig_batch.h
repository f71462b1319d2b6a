// Eigenvalues of batches of real or complex matrices for callers from C.
#pragma once

#include <algorithm>
#include <span>

#include "core/device/registry.h"
#include "library/api/guarded.h"
#include "solvers/complex/complex_eigen.h"

namespace tl {

/// Arrays of the caller, as tl_eig_batch() describes them. A Number is real or complex; results are
/// pairs of real numbers.
template <class Number>
struct CallerBatch {
    using Real = RealOf<Number>;
    const Number* matrices;
    int n;
    std::size_t count;
    Real *values, *vectors;
    tl_eig_error* errors;
};

/// Error of a matrix that could not be solved.
inline UserError failure_of(std::size_t matrix, std::size_t count, EigenStatus status) {
    return UserError("eig: matrix " + std::to_string(matrix) + ", counted from 0, of " +
                     std::to_string(count) +
                     (status == EigenStatus::not_finite ? " has an element that is not finite"
                                                        : ": the eigenvalues did not converge"));
}

/// Copies the results of a part, whose first matrix is number `first`. Throws UserError for a
/// matrix that could not be solved if the caller takes no errors.
template <class Number>
void copy_results(const HostEigen<RealOf<Number>>& solved, std::size_t first,
                  const CallerBatch<Number>& batch) {
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

template <class Number>
tl_status solve_batch(const char* device_name, const CallerBatch<Number>& batch,
                      const ProgressCallback& told) {
    Device& device = find_device(device_name);
    if (batch.n == 0 && batch.errors) std::fill_n(batch.errors, batch.count, TL_EIG_SOLVED);
    if (batch.n == 0 || batch.count == 0) return TL_OK;
    auto stream = device.create_stream();
    auto pairs = batch.vectors ? EigenPairs::all : EigenPairs::values;
    auto solve = [&](View<const Number> a, std::size_t count) {
        SolverRun run;
        if constexpr (kIsComplex<Number>) {
            return solve_complex_eigen<RealOf<Number>>(*stream, {a, batch.n, count}, pairs, "auto",
                                                       {}, run);
        } else {
            auto solver = make_eigen_solver("auto", device);
            return solver->solve(*stream, {a, batch.n, count}, {pairs}, run);
        }
    };
    auto size = static_cast<std::size_t>(batch.n) * static_cast<std::size_t>(batch.n);
    // Parts of some million elements: after each the call can be cancelled.
    constexpr std::size_t kElements = 1 << 22;
    std::size_t part = std::min(batch_part(device, batch.n, pairs, sizeof(Number), batch.count),
                                std::max<std::size_t>(kElements / size, 1));
    for (std::size_t first = 0; first < batch.count; first += part) {
        std::size_t count = std::min(part, batch.count - first);
        DeviceArray<Number> a(*stream, std::span(batch.matrices + first * size, count * size));
        copy_results(downloaded(*stream, solve(a.view(), count)), first, batch);
        told("matrices", static_cast<double>(first + count) / static_cast<double>(batch.count));
    }
    return TL_OK;
}

/// tl_eig_batch() of matrices of `Single` or `Double`: float and double, or Complex of these.
template <class Single, class Double>
tl_status eig_batch(const char* device, const tl_type& type, const void* matrices, int n,
                    std::size_t count, void* values, void* vectors, tl_eig_error* errors,
                    const ProgressCallback& told) {
    return guarded([&] {
        if (!is_within(type, TL_FLOAT32, TL_FLOAT64)) return fail(TL_INVALID, "unknown type");
        if (n < 0 || n > EigenSolver::kMostRows)
            return fail(TL_INVALID, "eig: matrices of " + std::to_string(n) + " rows; from 0 to " +
                                        std::to_string(EigenSolver::kMostRows) + " can be solved");
        bool has_numbers = n > 0 && count > 0;
        if (!device || (has_numbers && (!matrices || !values)))
            return fail(TL_INVALID, "an argument is null");
        auto solve = [&]<class Number>(const Number* from) {
            using Real = RealOf<Number>;
            return solve_batch<Number>(
                device,
                {from, n, count, static_cast<Real*>(values), static_cast<Real*>(vectors), errors},
                told);
        };
        return number_of(type) == TL_FLOAT32 ? solve(static_cast<const Single*>(matrices))
                                             : solve(static_cast<const Double*>(matrices));
    });
}

}  // namespace tl
