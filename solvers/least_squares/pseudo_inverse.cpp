#include <cmath>

#include "solvers/least_squares/least_squares_mode.h"
#include "solvers/svd/svd.h"

namespace tl {

template <class T>
LeastSquares<T> pseudo_inverse(Stream& stream, MatrixView<const T> a, double rcond,
                               SolverRun& run) {
    auto m = static_cast<std::uint64_t>(a.rows), n = static_cast<std::uint64_t>(a.cols);
    require_memory(stream.device(), 4 * m * n * sizeof(T), "the pseudo-inverse",
                   kDenseMemoryAdvice);
    LeastSquares<T> result;
    result.mode = "svd";
    result.rcond = rcond_of<T>(a.rows, a.cols, rcond);
    auto scaled = scaled_to_one(stream, a, "pinv", "the matrix has no pseudo-inverse");
    result.x = Matrix<T>(stream, a.cols, a.rows);
    result.x.fill_zero(stream);
    StageTimer timer(stream);
    timer.begin_frame();
    if (!a.empty()) {
        SvdResult<T> svd;
        {
            StageTimer::Scope stage(timer, "decompose");
            SolverRun part(run, 0, 0.95);
            svd = make_svd_solver("auto", stream.device())
                      ->solve(stream, MatrixView<const T>(scaled.matrix.view()), {}, part);
        }
        StageTimer::Scope stage(timer, "multiply");
        result.rank = numerical_rank(svd.values, result.rcond);
        std::vector<T> inverses;
        for (int i = 0; i < result.rank; ++i) inverses.push_back(static_cast<T>(1 / svd.values[i]));
        DeviceArray<T> factors(stream, inverses);
        auto v = svd.v.view().columns(0, result.rank), u = svd.u.view().columns(0, result.rank);
        TL_DISPATCH(stream.device(), scale_columns<T>(stream, v, factors.view()));
        Matrix<T> product(stream, a.cols, a.rows);
        if (result.rank > 0) {
            make_blas(stream)->gemm(Transpose::no, Transpose::yes, T(1), v, u, T(0),
                                    product.view());
            TL_DISPATCH(stream.device(), scale_by_power<T>(stream, product.view(), -scaled.exponent,
                                                           result.x.view()));
        }
        for (double value : svd.values) result.values.push_back(std::ldexp(value, scaled.exponent));
    }
    timer.end_frame();
    timer.flush();
    if (!all_finite<T>(stream, result.x.view()))
        throw UserError(
            "pinv: the pseudo-inverse has elements that are beyond the range of its numbers: let "
            "more singular values count as zero (rcond), or compute it in double");
    result.stages = timer.latest();
    run.report(1);
    return result;
}

template LeastSquares<float> pseudo_inverse(Stream&, MatrixView<const float>, double, SolverRun&);
template LeastSquares<double> pseudo_inverse(Stream&, MatrixView<const double>, double, SolverRun&);

}  // namespace tl
