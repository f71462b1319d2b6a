// The C interface over sparse linear systems.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "library/api/guarded.h"
#include "solvers/sparse/sparse_solver.h"

namespace tl {
namespace {

/// Reads options from C. Throws UserError for an unknown choice or a value out of its range.
SparseConfig config_from(const tl_sparse_options& options) {
    SparseConfig config;
    auto settings = config.settings();
    auto set = [&](const char* id, const std::string& value) {
        find_setting(settings, id, "tl_solve_sparse").set(value);
    };
    if (options.method) set("method", options.method);
    if (options.preconditioner) set("preconditioner", options.preconditioner);
    if (options.most_iterations > 0)
        set("most-iterations", std::to_string(options.most_iterations));
    if (options.tolerance != 0) set("tolerance", number_text(options.tolerance));
    return config;
}

/// The matrix of arrays from C, whose columns may come in any order. Throws UserError for arrays
/// that are no matrix.
HostCsr csr_from(const tl_csr& given) {
    if (given.rows < 1 || given.starts[0] != 0)
        throw UserError("a sparse matrix has at least one row, and its first row starts at 0");
    std::vector<SparseEntry> entries;
    for (int i = 0; i < given.rows; ++i) {
        if (given.starts[i + 1] < given.starts[i])
            throw UserError("row " + std::to_string(i) + " ends before it starts");
        for (int k = given.starts[i]; k < given.starts[i + 1]; ++k) {
            int j = given.columns[k];
            if (j < 0 || j >= given.rows)
                throw UserError("row " + std::to_string(i) + " has an entry in column " +
                                std::to_string(j) + ", outside of the matrix");
            if (!std::isfinite(given.values[k]))
                throw UserError("element (" + std::to_string(i) + ", " + std::to_string(j) +
                                ") is not finite; replace it by a number");
            entries.push_back({i, j, given.values[k]});
        }
    }
    return csr_of(given.rows, given.rows, std::move(entries));
}

/// Solves for each right side. Returns what the report says.
template <class T>
tl_sparse_report solve_all(Stream& stream, const HostCsr& a, const SparseConfig& config,
                           const double* right, int n_right, double* solution) {
    SolverRun run;
    SparseSystem<T> system(stream, a, config, run);
    tl_sparse_report report{};
    auto n = static_cast<std::size_t>(a.rows);
    report.converged = 1;
    report.setup_seconds = system.setup_seconds();
    for (int j = 0; j < n_right; ++j) {
        std::vector<T> b(right + j * n, right + (j + 1) * n);
        auto found = system.solve(stream, b, run);
        std::ranges::copy(found.x, solution + j * n);
        report.iterations = std::max(report.iterations, found.iterations);
        report.residual = std::max(report.residual, found.residual);
        report.seconds += found.seconds;
        if (!found.converged) report.converged = 0;
        if (!found.converged) last_error() = found.fault;
    }
    return report;
}

}  // namespace

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_sparse_options tl_sparse_defaults(void) {
    const SparseConfig config;
    return {name_of(config.method), name_of(config.preconditioner), TL_FLOAT64,
            static_cast<double>(config.tolerance), config.most_iterations};
}

tl_status tl_solve_sparse(const char* device, const tl_csr* matrix, const double* right,
                          int n_right, const tl_sparse_options* options, double* solution,
                          tl_sparse_report* report) {
    return guarded([&] {
        auto given = options ? *options : tl_sparse_defaults();
        if (!device || !matrix || !matrix->starts || !matrix->columns || !matrix->values ||
            !right || !solution)
            return fail(TL_INVALID, "an argument is null");
        if (n_right < 1) return fail(TL_INVALID, "there has to be a right side");
        if (!is_within(given.precision, TL_FLOAT32, TL_FLOAT64))
            return fail(TL_INVALID, "unknown type");
        SparseConfig config;
        HostCsr a;
        try {
            config = config_from(given);
            a = csr_from(*matrix);
        } catch (const OutOfMemory&) {
            throw;
        } catch (const UserError& error) {
            return fail(TL_INVALID, error.what());
        }
        auto stream = find_device(device).create_stream();
        auto single = number_of(given.precision) == TL_FLOAT32;
        auto found = single ? solve_all<float>(*stream, a, config, right, n_right, solution)
                            : solve_all<double>(*stream, a, config, right, n_right, solution);
        if (report) *report = found;
        return TL_OK;
    });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
