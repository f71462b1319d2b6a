#include "app/solve/svd/svd_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "app/solve/svd/svd_problem.h"
#include "core/device/registry.h"
#include "solvers/dense/largest_error.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

void add_error(ErrorRange& sum, double error) {
    sum.mean += error;
    keep_larger(sum.most, error);
}

/// Adds the errors of one decomposition's values to the sums.
void add_value_errors(std::vector<ValueError>& sums, const std::vector<double>& found,
                      const std::vector<Extended>& exact) {
    sums.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        Extended error = std::abs(static_cast<Extended>(found[i]) - exact[i]);
        add_error(sums[i].absolute, static_cast<double>(error));
        add_error(sums[i].relative, exact[i] > 0 ? static_cast<double>(error / exact[i])
                                                 : -std::numeric_limits<double>::infinity());
    }
}

/// Adds a range to a sum of ranges.
void add_range(ErrorRange& sum, const ErrorRange& range) {
    sum.mean += range.mean;
    keep_larger(sum.most, range.most);
}

/// Adds the errors of one decomposition's vectors and product to the sums.
void add_vector_errors(ModeErrors& sums, const TripletErrors& errors,
                       const std::vector<bool>& compared) {
    for (std::size_t i = 0; i < errors.u.size(); ++i) {
        if (!compared[i]) continue;
        add_range(sums.values[i].u, errors.u[i]);
        add_range(sums.values[i].v, errors.v[i]);
    }
    add_range(sums.product, errors.product);
    add_error(sums.residual, errors.residual);
}

/// Turns the sum of `n` errors into their mean.
void take_mean(ErrorRange& sum, int n) {
    sum = sum.mean < 0 || n == 0 ? ErrorRange{-1, -1} : ErrorRange{sum.mean / n, sum.most};
}

template <class T>
HostTriplets on_host(Stream& stream, const SvdResult<T>& result) {
    auto doubles = [&](const Matrix<T>& from) {
        HostMatrix<double> to(from.rows(), from.cols());
        std::ranges::copy(from.download(stream), to.data.begin());
        return to;
    };
    return {doubles(result.u), doubles(result.v), result.values};
}

/// Exact values of a matrix of T, whose elements are in `host`, as SvdErrorStudy::add_matrix says.
template <class T>
std::vector<Extended> exact_values(Stream& stream, const MatrixSpec& spec,
                                   const HostMatrix<double>& host, SolverRun& run) {
    if constexpr (sizeof(T) == 8) return precise_singular_values(host, run);
    auto& device = stream.device();
    const SvdRequest values_only{SvdVectors::none, 0, 0};
    auto solver = make_svd_solver("divide-conquer", device);
    require_svd_memory(device, *solver, spec, values_only, sizeof(double));
    auto wide = uploaded<double>(stream, host.rows, host.cols, host.data);
    auto result = solver->solve(stream, MatrixView<const double>(wide.view()), values_only, run);
    return {result.values.begin(), result.values.end()};
}

/// Mean of means and largest maximum, of the errors that exist.
ErrorRange over_all(const std::vector<ValueError>& values, ErrorRange ValueError::*kind) {
    ErrorRange all;
    int n = 0;
    for (auto& value : values) {
        auto& range = value.*kind;
        if (range.mean < 0) continue;
        all.mean += range.mean;
        keep_larger(all.most, range.most);
        ++n;
    }
    if (n == 0) return {-1, -1};
    all.mean /= n;
    return all;
}

}  // namespace

const std::vector<ValueErrorKind>& value_error_kinds() {
    static const std::vector<ValueErrorKind> kinds{
        {"relative", "values, relative", &ValueError::relative},
        {"absolute", "values, absolute", &ValueError::absolute},
        {"u", "entries of U", &ValueError::u},
        {"v", "entries of V", &ValueError::v}};
    return kinds;
}

int SvdErrors::n_pairs() const {
    return n_matrices * static_cast<int>(compared.size());
}
int SvdErrors::n_left_out() const {
    return n_pairs() - std::accumulate(compared.begin(), compared.end(), 0);
}

const char* exact_values_of(bool single) {
    return single ? "double precision" : "extended precision";
}

std::vector<std::string> modes_with_errors(const Device& device, int rank) {
    std::vector<std::string> modes;
    for (auto& row : svd_solvers()) {
        bool runs = device.kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu;
        if (runs && row.id != "auto" && (rank > 0 || row.id != "randomised"))
            modes.push_back(row.id);
    }
    return modes;
}

SvdErrorStudy::SvdErrorStudy(Blas& blas, SvdErrorSpec spec) : blas_(blas), spec_(std::move(spec)) {
    auto& device = blas.stream().device();
    check_matrix(spec_.matrix);
    check_request(spec_.matrix.rows, spec_.matrix.cols, {spec_.vectors, spec_.rank, 0});
    std::size_t element = spec_.single ? sizeof(float) : sizeof(double);
    require_memory(device, element * spec_.matrix.rows * spec_.matrix.cols, "the matrix",
                   kSvdMemoryAdvice);
    for (auto& mode : spec_.modes) {
        solvers_.push_back(make_configured_svd(mode, device, spec_.settings));
        sums_.modes.push_back({mode, "", {}, {}, {0, 0}, {0, 0}});
    }
    sums_.spec = spec_;
    sums_.device = device.id();
}

SvdErrorStudy::~SvdErrorStudy() = default;

void SvdErrorStudy::add_matrix(SolverRun& run) {
    if (spec_.single)
        add_matrix_of<float>(run);
    else
        add_matrix_of<double>(run);
}

template <class T>
void SvdErrorStudy::add_matrix_of(SolverRun& run) {
    Stream& stream = blas_.stream();
    bool has_vectors = spec_.vectors != SvdVectors::none;
    // Exact values, and the reference of the vectors, are worth about as much time as a mode.
    double n_parts = static_cast<double>(solvers_.size()) + (has_vectors ? 2 : 1), n_done = 0;
    auto in_part = [&](auto&& work) {
        SolverRun part(run, n_done / n_parts, (n_done + 1) / n_parts);
        ++n_done;
        return work(part);
    };
    auto a = make_matrix<T>(blas_, spec_.matrix);
    HostMatrix<double> host(a.rows(), a.cols());
    std::ranges::copy(a.download(stream), host.data.begin());
    auto exact =
        in_part([&](SolverRun& part) { return exact_values<T>(stream, spec_.matrix, host, part); });
    std::optional<VectorReference> reference;
    if (has_vectors)
        in_part([&](SolverRun& part) {
            reference.emplace(host, static_cast<double>(std::numeric_limits<T>::epsilon()), part);
        });
    for (std::size_t m = 0; m < solvers_.size(); ++m)
        in_part([&](SolverRun& part) {
            add_mode<T>(m, a.view(), exact, reference ? &*reference : nullptr, part);
        });
    std::size_t n_values = spec_.rank > 0 ? static_cast<std::size_t>(spec_.rank) : exact.size();
    sums_.values.resize(n_values);
    for (std::size_t i = 0; i < n_values; ++i) sums_.values[i] += static_cast<double>(exact[i]);
    if (reference) {
        sums_.compared.resize(n_values);
        for (std::size_t i = 0; i < n_values; ++i)
            sums_.compared[i] += reference->compared()[i] ? 1 : 0;
    }
    ++sums_.n_matrices;
    ++spec_.matrix.seed;
    run.report(1);
}

template <class T>
void SvdErrorStudy::add_mode(std::size_t m, MatrixView<const T> a,
                             const std::vector<Extended>& exact, const VectorReference* reference,
                             SolverRun& run) {
    auto& mode = sums_.modes[m];
    if (!mode.error.empty()) return;
    Stream& stream = blas_.stream();
    SvdRequest request{spec_.vectors, spec_.rank, spec_.matrix.seed};
    try {
        require_svd_memory(stream.device(), *solvers_[m], spec_.matrix, request, sizeof(T));
        auto result = solvers_[m]->solve(stream, a, request, run);
        add_value_errors(mode.values, result.values, exact);
        if (reference)
            add_vector_errors(mode, reference->errors_of(on_host(stream, result)),
                              reference->compared());
    } catch (const UserError& error) {
        mode.error = error.what();
        mode.values.clear();
    }
}

SvdErrors SvdErrorStudy::errors() const {
    auto errors = sums_;
    int n = std::max(errors.n_matrices, 1);
    for (auto& value : errors.values) value /= n;
    for (auto& mode : errors.modes) {
        for (std::size_t i = 0; i < mode.values.size(); ++i) {
            auto& value = mode.values[i];
            take_mean(value.absolute, n);
            take_mean(value.relative, n);
            int n_compared = errors.compared.empty() ? 0 : errors.compared[i];
            take_mean(value.u, n_compared);
            take_mean(value.v, n_compared);
        }
        int n_products = errors.compared.empty() || !mode.error.empty() ? 0 : n;
        take_mean(mode.product, n_products);
        take_mean(mode.residual, n_products);
        for (auto& kind : value_error_kinds())
            mode.all.*kind.range = over_all(mode.values, kind.range);
    }
    return errors;
}

}  // namespace tl
