#include "solvers/dense/ranks/rank_solve.h"

#include <algorithm>
#include <cmath>

#include "solvers/dense/blas.h"
#include "solvers/dense/largest_error.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

/// Substitution with one triangle, block by block. Each block of unknowns is computed by the rank
/// with its diagonal block, from sums over its row of the grid, and sent to its column.
template <class T>
class Substitution {
  public:
    Substitution(Blas& blas, RankGrid& grid, CyclicMatrix<T>& lu, int n_right)
        : blas_(blas), grid_(grid), lu_(lu), n_right_(n_right) {}

    /// `sums`: this rank's terms of its rows' right sides, which add up over a row of the grid.
    /// They are replaced by the block's solution at the rank with the diagonal block, and zero
    /// elsewhere.
    void run(Triangle triangle, Matrix<T>& sums) {
        int block = lu_.rows.block, n_blocks = (lu_.rows.extent + block - 1) / block;
        for (int k = 0; k < n_blocks; ++k) {
            int first = (triangle == Triangle::upper ? n_blocks - 1 - k : k) * block;
            solve_block(triangle, first, std::min(block, lu_.rows.extent - first), sums);
        }
    }

  private:
    void solve_block(Triangle triangle, int first, int width, Matrix<T>& sums) {
        int row = lu_.rows.owner(first), col = lu_.cols.owner(first);
        Stream& stream = blas_.stream();
        bool has_row = grid_.row() == row, has_col = grid_.col() == col;
        int local_row = lu_.rows.count_before(first), local_col = lu_.cols.count_before(first);
        std::vector<T> x(static_cast<std::size_t>(width) * static_cast<std::size_t>(n_right_));
        Matrix<T> on_device(stream, width, n_right_);
        if (has_row) {
            auto part = sums.view().block(local_row, 0, width, n_right_);
            copy(part, on_device.view());
            x = on_device.download(stream);
            grid_.in_row.add(x.data(), x.size(), col);
            if (has_col) {
                on_device.upload(stream, x);
                blas_.solve(triangle, Transpose::no,
                            lu_.local.view().block(local_row, local_col, width, width),
                            on_device.view());
                x = on_device.download(stream);
            } else {
                on_device.fill_zero(stream);
            }
            copy(on_device.view(), part);
        }
        if (!has_col) return;
        grid_.in_column.broadcast(x.data(), x.size() * sizeof(T), row);
        on_device.upload(stream, x);
        int below = lu_.rows.count_before(first + width);
        int begin = triangle == Triangle::upper ? 0 : below;
        int end = triangle == Triangle::upper ? local_row : sums.rows();
        blas_.gemm(Transpose::no, Transpose::no, T(-1),
                   lu_.local.view().block(begin, local_col, end - begin, width), on_device.view(),
                   T(1), sums.view().block(begin, 0, end - begin, n_right_));
    }

    void copy(MatrixView<const T> from, MatrixView<T> to) {
        TL_DISPATCH(blas_.stream().device(), copy_matrix<T>(blas_.stream(), from, to));
    }

    Blas& blas_;
    RankGrid& grid_;
    CyclicMatrix<T>& lu_;
    int n_right_;
};

}  // namespace

template <class T>
HostMatrix<T> solve_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& lu,
                               const std::vector<int>& swaps, const HostMatrix<T>& b) {
    auto blas = make_blas(stream);
    HostMatrix<T> right(b.rows, b.cols);
    // The right sides are terms of the first column of the grid, and zero elsewhere.
    auto order = order_of(swaps, b.rows);
    for (int j = 0; j < b.cols && grid.col() == 0; ++j)
        for (int i = 0; i < b.rows; ++i) right(i, j) = b(order[static_cast<std::size_t>(i)], j);
    auto sums = own_rows(stream, lu.rows, right);
    Substitution<T> substitution(*blas, grid, lu, b.cols);
    substitution.run(Triangle::unit_lower, sums);
    substitution.run(Triangle::upper, sums);
    HostMatrix<T> x(b.rows, b.cols), own(sums.rows(), b.cols);
    own.data = sums.download(stream);
    for (int j = 0; j < x.cols; ++j)
        for (int i = 0; i < own.rows; ++i) x(lu.rows.global(i), j) = own(i, j);
    grid.all.add(x.data.data(), x.data.size(), -1);
    return x;
}

template <class T>
HostMatrix<T> product_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                                 const HostMatrix<T>& x) {
    auto blas = make_blas(stream);
    auto own_x = own_rows(stream, a.cols, x);
    Matrix<T> product(stream, a.rows.count(), x.cols);
    product.fill_zero(stream);
    blas->gemm(Transpose::no, Transpose::no, T(1), a.local.view(), own_x.view(), T(1),
               product.view());
    HostMatrix<T> own(product.rows(), x.cols), whole(a.rows.extent, x.cols);
    own.data = product.download(stream);
    for (int j = 0; j < own.cols; ++j)
        for (int i = 0; i < own.rows; ++i) whole(a.rows.global(i), j) = own(i, j);
    grid.all.add(whole.data.data(), whole.data.size(), -1);
    return whole;
}

template <class T>
double backward_error_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                                 const HostMatrix<T>& x, const HostMatrix<T>& b) {
    DeviceArray<double> on_device(stream, static_cast<std::size_t>(a.rows.count()));
    TL_DISPATCH(stream.device(), row_sums<T>(stream, a.local.view(), on_device.view()));
    auto own_sums = on_device.download(stream);
    std::vector<double> sums(static_cast<std::size_t>(a.rows.extent));
    for (std::size_t i = 0; i < own_sums.size(); ++i)
        sums[static_cast<std::size_t>(a.rows.global(static_cast<int>(i)))] = own_sums[i];
    grid.all.add(sums.data(), sums.size(), -1);
    auto product = product_over_ranks(stream, grid, a, x);
    double norm = largest_error<double>(sums), largest = 0;
    for (int j = 0; j < b.cols; ++j) {
        double residual = 0, of_x = 0, of_b = 0;
        for (int i = 0; i < b.rows; ++i) {
            keep_larger(residual, std::abs(double(b(i, j)) - double(product(i, j))));
            keep_larger(of_b, std::abs(double(b(i, j))));
        }
        for (int i = 0; i < x.rows; ++i) keep_larger(of_x, std::abs(double(x(i, j))));
        if (residual != 0) keep_larger(largest, residual / (norm * of_x + of_b));
    }
    return largest;
}

#define TL_INSTANTIATE(T)                                                                   \
    template HostMatrix<T> solve_over_ranks(Stream&, RankGrid&, CyclicMatrix<T>&,           \
                                            const std::vector<int>&, const HostMatrix<T>&); \
    template HostMatrix<T> product_over_ranks(Stream&, RankGrid&, CyclicMatrix<T>&,         \
                                              const HostMatrix<T>&);                        \
    template double backward_error_over_ranks(Stream&, RankGrid&, CyclicMatrix<T>&,         \
                                              const HostMatrix<T>&, const HostMatrix<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
