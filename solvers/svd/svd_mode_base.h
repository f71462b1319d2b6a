// Common code of all SVD modes, independent of their algorithm.
#pragma once

#include <string>

#include "solvers/svd/svd_checks.h"

namespace tl {

/// Base of a `Mode` with the member
///     template <class T> SvdResult<T> solve_any(Stream&, MatrixView<const T>, const SvdRequest&,
///                                               SolverRun&)
/// for every type of number.
template <class Mode>
class SvdOfAnyNumbers : public SvdSolver {
  public:
    SvdResult<float> solve(Stream& stream, MatrixView<const float> a, const SvdRequest& request,
                           SolverRun& run) override {
        return mode().template solve_any<float>(stream, a, request, run);
    }
    SvdResult<double> solve(Stream& stream, MatrixView<const double> a, const SvdRequest& request,
                            SolverRun& run) override {
        return mode().template solve_any<double>(stream, a, request, run);
    }
    SvdResult<Complex<float>> solve(Stream& stream, MatrixView<const Complex<float>> a,
                                    const SvdRequest& request, SolverRun& run) override {
        return mode().template solve_any<Complex<float>>(stream, a, request, run);
    }
    SvdResult<Complex<double>> solve(Stream& stream, MatrixView<const Complex<double>> a,
                                     const SvdRequest& request, SolverRun& run) override {
        return mode().template solve_any<Complex<double>>(stream, a, request, run);
    }

  private:
    [[nodiscard]] Mode& mode() { return static_cast<Mode&>(*this); }
};

/// Base of a `Mode` with the member
///     template <class T> SvdResult<T> solve_as(Stream&, MatrixView<const T>, const SvdRequest&,
///                                              SolverRun&)
/// which receives only valid requests that fit into memory.
template <class Mode>
class SvdMode : public SvdOfAnyNumbers<SvdMode<Mode>> {
  public:
    /// `id` must outlive the mode.
    explicit SvdMode(const char* id) : id_(id) {}

    template <class T>
    SvdResult<T> solve_any(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                           SolverRun& run) {
        check_request(a.rows, a.cols, request);
        require_memory(stream.device(), this->memory_bytes(a.rows, a.cols, request, sizeof(T)),
                       std::string("svd mode ") + id_, kSvdMemoryAdvice);
        auto result = static_cast<Mode&>(*this).template solve_as<T>(stream, a, request, run);
        if (result.mode.empty()) result.mode = id_;
        run.report(1);
        return result;
    }

  protected:
    [[nodiscard]] const char* id() const { return id_; }

  private:
    const char* id_;
};

/// Runs a library's routine, of which only the total time can be measured. Throws UserError if an
/// element is not finite, since libraries treat such elements differently.
template <class T, class Call>
[[nodiscard]] SvdResult<T> run_library(Stream& stream, MatrixView<const T> a, Call call) {
    bool all_zero = false;
    (void)scale_exponent(stream, a, all_zero);
    StageTimer timer(stream);
    timer.begin_frame();
    SvdResult<T> result = call();
    timer.end_frame();
    timer.flush();
    result.stages = timer.latest();
    return result;
}

}  // namespace tl
