// Common code of all modes of the PLU factorisation.
#pragma once

#include <algorithm>

#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {

/// Base of a `Mode` with the member
///     template <class T> void run(Stream&, LuFactors<T>& factors, SolverRun&)
/// that factorises the matrix in factors.lu, which is finite and not empty, in place.
template <class Mode>
class LuMode : public LuSolver {
  public:
    /// `id` must outlive the mode.
    explicit LuMode(const char* id) : id_(id) {}

    LuFactors<float> factorise(Stream& stream, MatrixView<const float> a, SolverRun& run) override {
        return checked(stream, a, run);
    }
    LuFactors<double> factorise(Stream& stream, MatrixView<const double> a,
                                SolverRun& run) override {
        return checked(stream, a, run);
    }

  protected:
    [[nodiscard]] const char* id() const { return id_; }

  private:
    template <class T>
    LuFactors<T> checked(Stream& stream, MatrixView<const T> a, SolverRun& run) {
        auto bytes =
            static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.cols) * sizeof(T);
        require_memory(stream.device(), bytes, std::string("lu mode ") + id_, kDenseMemoryAdvice);
        (void)largest_magnitude(stream, a, "lu", "the matrix has no factors");
        LuFactors<T> factors;
        factors.mode = id_;
        factors.lu = Matrix<T>(stream, a.rows, a.cols);
        factors.swaps.resize(static_cast<std::size_t>(std::min(a.rows, a.cols)));
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, factors.lu.view()));
        StageTimer timer(stream);
        timer.begin_frame();
        if (!a.empty()) static_cast<Mode&>(*this).template run<T>(stream, factors, run);
        timer.end_frame();
        timer.flush();
        factors.stages = timer.latest();
        run.report(1);
        return factors;
    }

    const char* id_;
};

}  // namespace tl
