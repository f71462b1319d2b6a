#include "solvers/sparse/sparse_solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/text.h"
#include "solvers/sparse/ilu0.h"
#include "solvers/sparse/multigrid.h"

namespace tl {
namespace {

using SparseClock = std::chrono::steady_clock;

double seconds_since(SparseClock::time_point start) {
    return std::chrono::duration<double>(SparseClock::now() - start).count();
}

/// A number to three digits.
std::string three_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace

const SettingsOf<SparseConfig>& SparseConfig::declared_settings() {
    static const auto all =
        SettingsOf<SparseConfig>{
            {"method", &SparseConfig::method,
             "cg for symmetric positive definite matrices, bicgstab for all; auto: by the matrix"},
            {"preconditioner", &SparseConfig::preconditioner,
             "what speeds up convergence; auto: amg for cg, ilu0 for bicgstab"},
            {"format", &SparseConfig::format,
             "rows, diagonals, or rows multiplied by cuSPARSE; auto: what takes less memory"},
            {"tolerance", &SparseConfig::tolerance, 0, 0.5, "",
             "largest ||b - A x|| / ||b||; 0: auto, 1e-8 in double, 1e-5 in float"},
            {"most-iterations", &SparseConfig::most_iterations, 1, 10000000, "",
             "iterations after which the solver gives up"},
        }
            .with(AggregationConfig::declared_settings());
    return all;
}

template <class T>
SparseSystem<T>::SparseSystem(Stream& stream, const HostCsr& a, const SparseConfig& config,
                              SolverRun& run)
    : a_(a), config_(config) {
    if (a.rows != a.cols)
        throw UserError("the matrix is " + std::to_string(a.rows) + "x" + std::to_string(a.cols) +
                        ", but only square ones can be solved with; least squares are solved with "
                        "dense matrices");
    auto start = SparseClock::now();
    symmetric_ = is_symmetric(a);
    choose_method();
    run.report(0);
    matrix_ = make_sparse_matrix<T>(stream, a, config.format);
    require_memory(stream.device(), krylov_bytes(method_, a.rows, sizeof(T)),
                   "the vectors of " + std::string(name_of(method_)),
                   "take a smaller matrix, or float instead of double");
    make_preconditioner(stream, run);
    stream.synchronize();
    setup_seconds_ = seconds_since(start);
}

template <class T>
void SparseSystem<T>::choose_method() {
    method_ = config_.method;
    if (method_ == KrylovMethod::cg && !symmetric_)
        throw UserError(
            "the matrix is not symmetric, as conjugate gradients need it: use method bicgstab");
    if (method_ != KrylovMethod::automatic) return;
    bool positive =
        symmetric_ && std::ranges::all_of(diagonal_of(a_), [](double d) { return d > 0; });
    method_ = positive ? KrylovMethod::cg : KrylovMethod::bicgstab;
}

template <class T>
void SparseSystem<T>::make_preconditioner(Stream& stream, SolverRun& run) {
    auto kind = config_.preconditioner;
    if (kind != PreconditionerKind::automatic) return make_preconditioner_of(stream, kind, run);
    kind = method_ == KrylovMethod::cg ? PreconditionerKind::amg : PreconditionerKind::ilu0;
    try {
        make_preconditioner_of(stream, kind, run);
    } catch (const OutOfMemory&) {
        throw;
    } catch (const UserError& error) {
        add_note("no preconditioner, since " + std::string(error.what()));
        make_preconditioner_of(stream, PreconditionerKind::none, run);
    }
}

template <class T>
void SparseSystem<T>::make_preconditioner_of(Stream& stream, PreconditionerKind kind,
                                             SolverRun& run) {
    bool definite = method_ == KrylovMethod::cg;
    made_.reset();
    if (kind == PreconditionerKind::jacobi) made_ = make_jacobi<T>(stream, a_);
    if (kind == PreconditionerKind::ilu0) made_ = make_ilu0<T>(stream, a_, definite);
    if (kind == PreconditionerKind::amg)
        made_ = make_multigrid<T>(stream, a_, config_, symmetric_, [&run] { run.report(0); });
    preconditioner_ = kind;
    run.report(0);
}

template <class T>
SparseSolution<T> SparseSystem<T>::solve(Stream& stream, std::span<const T> b, SolverRun& run) {
    check_right(b);
    auto start = SparseClock::now();
    DeviceArray<T> right(stream, b), x(stream, b.size());
    auto iterate = [&] {
        x.fill_zero(stream);
        KrylovSystem<T> system{*matrix_, made_.get(), right.view()};
        return iterate_krylov<T>(stream, method_, system, {tolerance(), config_.most_iterations},
                                 x.view(), run);
    };
    auto result = iterate();
    bool is_indefinite = result.outcome == KrylovOutcome::not_definite ||
                         result.outcome == KrylovOutcome::preconditioner;
    if (is_indefinite && config_.method == KrylovMethod::automatic) {
        change_to_bicgstab(stream, run);
        result = iterate();
    }
    SparseSolution<T> solution;
    solution.x = x.download(stream);
    solution.seconds = seconds_since(start);
    solution.iterations = result.iterations;
    solution.residual = relative_residual<T>(a_, solution.x, b);
    solution.fault = fault_of(result, solution.residual);
    solution.converged = solution.fault.empty();
    return solution;
}

template <class T>
void SparseSystem<T>::change_to_bicgstab(Stream& stream, SolverRun& run) {
    method_ = KrylovMethod::bicgstab;
    add_note("the matrix is not positive definite: solved by bicgstab");
    make_preconditioner(stream, run);
}

template <class T>
void SparseSystem<T>::check_right(std::span<const T> b) const {
    if (b.size() != static_cast<std::size_t>(a_.rows))
        throw UserError("the right side has " + std::to_string(b.size()) +
                        " rows, but the matrix has " + std::to_string(a_.rows));
    for (std::size_t i = 0; i < b.size(); ++i)
        if (!std::isfinite(b[i]))
            throw UserError("element " + std::to_string(i) +
                            ", counted from 0, of the right side is not finite; replace it by a "
                            "number");
}

template <class T>
std::string SparseSystem<T>::fault_of(const KrylovResult& result, double residual) const {
    auto after = " after " + std::to_string(result.iterations) + " iterations, residual " +
                 three_digits(residual);
    if (result.stagnated)
        return "rounding keeps the residual above the tolerance of " + three_digits(tolerance()) +
               after + "; allow a larger one" +
               (sizeof(T) == sizeof(float) ? ", or solve in double" : "");
    switch (result.outcome) {
        case KrylovOutcome::running:
        case KrylovOutcome::converged:
            return "";
        case KrylovOutcome::exhausted:
            return "no convergence" + after + " for a tolerance of " + three_digits(tolerance()) +
                   "; use another preconditioner, or raise most-iterations";
        case KrylovOutcome::not_definite:
            return "the matrix is not positive definite, as conjugate gradients need it: p^T A p "
                   "is " +
                   three_digits(result.curvature) + after + "; use method bicgstab";
        case KrylovOutcome::preconditioner:
            return "the preconditioner is not positive definite, as conjugate gradients need it," +
                   after + "; use method bicgstab, or another preconditioner";
        case KrylovOutcome::breakdown:
            return "bicgstab broke down" + after + "; use another preconditioner";
        case KrylovOutcome::not_finite:
            break;
    }
    return "numbers became infinite" + after + "; use another preconditioner, or scale the matrix" +
           (sizeof(T) == sizeof(float) ? ", or solve in double" : "");
}

template <class T>
double SparseSystem<T>::tolerance() const {
    if (config_.tolerance > 0) return static_cast<double>(config_.tolerance);
    return sizeof(T) == sizeof(float) ? 1e-5 : 1e-8;
}

template <class T>
std::string SparseSystem<T>::summary() const {
    return made_ ? made_->summary() : "";
}

template <class T>
std::size_t SparseSystem<T>::bytes() const {
    return matrix_->bytes() + (made_ ? made_->bytes() : 0);
}

template <class T>
void SparseSystem<T>::add_note(const std::string& text) {
    if (!note_.empty()) note_ += "; ";
    note_ += text;
}

template class SparseSystem<float>;
template class SparseSystem<double>;

}  // namespace tl
