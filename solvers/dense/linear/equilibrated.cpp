#include "solvers/dense/linear/equilibrated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/blas.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

std::vector<int> negated(std::vector<int> exponents) {
    for (int& e : exponents) e = -e;
    return exponents;
}

/// B with its rows times 2^of_rows, and its columns divided by the powers of two that bring their
/// largest elements to about 1, whose exponents `of_columns` receives. One rounding each.
template <class T>
std::vector<T> scaled_sides(std::vector<T> b, int rows, const std::vector<int>& of_rows,
                            std::vector<int>& of_columns) {
    for (std::size_t first = 0; first < b.size(); first += static_cast<std::size_t>(rows)) {
        int most = std::numeric_limits<int>::min();
        for (int i = 0; i < rows; ++i)
            if (T x = b[first + i]; x != T(0)) most = std::max(most, std::ilogb(x) + of_rows[i]);
        if (most == std::numeric_limits<int>::min()) most = 0;
        for (int i = 0; i < rows; ++i) b[first + i] = std::ldexp(b[first + i], of_rows[i] - most);
        of_columns.push_back(most);
    }
    return b;
}

}  // namespace

template <class T>
std::optional<Matrix<T>> solve_equilibrated(Stream& stream, MatrixView<const T> a,
                                            const std::vector<T>& b, SolverRun& run) {
    auto& device = stream.device();
    DeviceArray<double> maxima(stream, static_cast<std::size_t>(a.rows));
    TL_DISPATCH(device, row_maxima<T>(stream, a, maxima.view()));
    auto of_rows = negated(exponents_of(maxima.download(stream)));
    DeviceArray<int> rows(stream, of_rows);
    Matrix<T> scaled(stream, a.rows, a.cols);
    TL_DISPATCH(device, scale_by_powers<T>(stream, a, rows.view(), {}, scaled.view()));
    DeviceArray<int> columns(stream, negated(exponents_of(column_sizes<T>(stream, scaled.view()))));
    TL_DISPATCH(device, scale_by_powers<T>(stream, a, rows.view(), columns.view(), scaled.view()));

    auto factors = make_lu_solver("blocked", device)->factorise(stream, scaled.view(), run);
    if (first_zero_pivot(stream, factors) >= 0) return {};
    std::vector<int> of_sides;
    auto sides = scaled_sides(b, a.rows, of_rows, of_sides);
    Matrix<T> x(stream, a.rows, static_cast<int>(of_sides.size()));
    x.upload(stream, sides);
    auto blas = make_blas(stream);
    solve_with(*blas, factors, Transpose::no, x.view());
    DeviceArray<int> back(stream, of_sides);
    TL_DISPATCH(device,
                scale_by_powers<T>(stream, x.view(), columns.view(), back.view(), x.view()));
    if (!all_finite<T>(stream, x.view())) return {};
    return x;
}

template std::optional<Matrix<float>> solve_equilibrated(Stream&, MatrixView<const float>,
                                                         const std::vector<float>&, SolverRun&);
template std::optional<Matrix<double>> solve_equilibrated(Stream&, MatrixView<const double>,
                                                          const std::vector<double>&, SolverRun&);

}  // namespace tl
