#include "solvers/dense/devices/spread_solve.h"

#include <algorithm>
#include <cmath>

#include "core/device/copy_across.h"
#include "solvers/dense/largest_error.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

/// Fewest right sides of a part: a product of as many columns keeps a GPU busy.
constexpr int kFewSides = 32;

/// Right sides that go from device to device together.
template <class T>
struct TravellingSides {
    int first = 0;
    std::vector<Matrix<T>> at;  ///< memory for them on each device

    TravellingSides(DeviceGroup& group, int rows, int first, int count) : first(first) {
        for (int d = 0; d < group.size(); ++d) at.emplace_back(group.stream(d), rows, count);
    }
    [[nodiscard]] MatrixView<T> view(int d) { return at[static_cast<std::size_t>(d)].view(); }
    void travel(DeviceGroup& group, int from, int to) {
        if (from == to) return;
        auto x = view(from);
        auto bytes =
            sizeof(T) * static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols);
        copy_across(group.stream(from), x.data, group.stream(to), view(to).data, bytes);
    }
};

/// Substitution with both triangles, block by block; at each block, for one part of the right sides
/// after the other.
template <class T>
class SpreadSubstitution {
  public:
    SpreadSubstitution(DeviceGroup& group, SpreadMatrix<T>& lu, int n_sides)
        : group_(group), lu_(lu), blocks_(lu.blocks()) {
        int n_parts = std::clamp(n_sides / kFewSides, 1, group.size());
        for (int i = 0; i < n_parts; ++i) {
            int first = n_sides * i / n_parts, end = n_sides * (i + 1) / n_parts;
            parts_.emplace_back(group, lu.rows(), first, end - first);
        }
    }

    HostMatrix<T> solve(const HostMatrix<T>& b) {
        auto rows = static_cast<std::size_t>(b.rows);
        HostMatrix<T> x(b.rows, b.cols);
        for (auto& part : parts_) {
            auto view = part.view(blocks_.front().owner);
            auto& stream = group_.stream(blocks_.front().owner);
            stream.device().upload(stream, view.data,
                                   b.data.data() + rows * static_cast<std::size_t>(part.first),
                                   sizeof(T) * rows * static_cast<std::size_t>(view.cols));
        }
        for (std::size_t k = 0; k < blocks_.size(); ++k)
            step(Triangle::unit_lower, k, std::min(k + 1, blocks_.size() - 1));
        for (std::size_t k = blocks_.size(); k-- > 0;) step(Triangle::upper, k, k > 0 ? k - 1 : 0);
        for (auto& part : parts_) {
            auto view = part.view(blocks_.front().owner);
            auto& stream = group_.stream(blocks_.front().owner);
            stream.device().download(
                stream, x.data.data() + rows * static_cast<std::size_t>(part.first), view.data,
                sizeof(T) * rows * static_cast<std::size_t>(view.cols));
        }
        return x;
    }

  private:
    /// Solves for the unknowns of block k, eliminates them from the rows that follow, and sends the
    /// right sides to the owner of block `next`.
    void step(Triangle triangle, std::size_t k, std::size_t next) {
        auto& block = blocks_[k];
        auto& blas = group_.blas(block.owner);
        auto columns = lu_.columns(block);
        int end = block.first + block.width;
        int begin = triangle == Triangle::upper ? 0 : end;
        int count = triangle == Triangle::upper ? block.first : columns.rows - end;
        for (auto& part : parts_) {
            auto b = part.view(block.owner);
            auto x = b.block(block.first, 0, block.width, b.cols);
            blas.solve(triangle, Transpose::no,
                       columns.block(block.first, 0, block.width, block.width), x);
            blas.gemm(Transpose::no, Transpose::no, T(-1),
                      columns.block(begin, 0, count, block.width), x, T(1),
                      b.block(begin, 0, count, b.cols));
            part.travel(group_, block.owner, blocks_[next].owner);
        }
    }

    DeviceGroup& group_;
    SpreadMatrix<T>& lu_;
    std::vector<ColumnBlock> blocks_;
    std::vector<TravellingSides<T>> parts_;
};

/// B + `scale` A X, summed over the devices in double; an empty B is zero.
template <class T>
std::vector<double> add_product(DeviceGroup& group, SpreadMatrix<T>& a, T scale,
                                const HostMatrix<T>& x, const std::vector<T>& b) {
    std::vector<std::vector<T>> parts;
    std::vector<Matrix<T>> inputs, outputs;
    for (int d = 0; d < group.size(); ++d) {
        auto& stream = group.stream(d);
        inputs.push_back(own_rows(stream, a.part(d).cols, x));
        auto& output = outputs.emplace_back(stream, a.rows(), x.cols);
        if (d == 0 && !b.empty())
            output.upload(stream, b);
        else
            output.fill_zero(stream);
        group.blas(d).gemm(Transpose::no, Transpose::no, scale, a.view(d), inputs.back().view(),
                           T(1), output.view());
    }
    std::vector<double> sums(static_cast<std::size_t>(a.rows()) * static_cast<std::size_t>(x.cols));
    for (int d = 0; d < group.size(); ++d) {
        auto part = outputs[static_cast<std::size_t>(d)].download(group.stream(d));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(part[i]);
    }
    return sums;
}

template <class T>
double infinity_norm_over_devices(DeviceGroup& group, SpreadMatrix<T>& a) {
    std::vector<double> sums(static_cast<std::size_t>(a.rows()));
    for (int d = 0; d < group.size(); ++d) {
        MatrixView<const T> part = a.view(d);
        if (part.empty()) continue;
        auto& stream = group.stream(d);
        DeviceArray<double> of_rows(stream, sums.size());
        TL_DISPATCH(stream.device(), row_sums<T>(stream, part, of_rows.view()));
        auto host = of_rows.download(stream);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += host[i];
    }
    double norm = 0;
    for (double sum : sums) keep_larger(norm, sum);
    return norm;
}

/// The largest magnitude of a column; NaN where an element is.
template <class Number>
double largest_of(const std::vector<Number>& elements, int rows, int col) {
    double largest = 0;
    auto begin = elements.begin() + static_cast<std::ptrdiff_t>(rows) * col;
    for (auto x = begin; x != begin + rows; ++x)
        keep_larger(largest, std::abs(static_cast<double>(*x)));
    return largest;
}

}  // namespace

template <class T>
std::vector<T> pivots_over_devices(DeviceGroup& group, SpreadMatrix<T>& lu) {
    std::vector<T> pivots;
    for (auto& block : lu.blocks()) {
        int n = std::min(block.width, lu.rows() - block.first);
        if (n <= 0) break;
        MatrixView<const T> square = lu.columns(block).block(block.first, 0, n, n);
        auto part = diagonal_of<T>(group.stream(block.owner), square);
        pivots.insert(pivots.end(), part.begin(), part.end());
    }
    return pivots;
}

template <class T>
HostMatrix<T> solve_over_devices(DeviceGroup& group, SpreadMatrix<T>& lu,
                                 const std::vector<int>& swaps, const HostMatrix<T>& b) {
    auto order = order_of(swaps, b.rows);
    HostMatrix<T> permuted(b.rows, b.cols);
    for (int j = 0; j < b.cols; ++j)
        for (int i = 0; i < b.rows; ++i) permuted(i, j) = b(order[static_cast<std::size_t>(i)], j);
    return SpreadSubstitution<T>(group, lu, b.cols).solve(permuted);
}

template <class T>
HostMatrix<T> product_over_devices(DeviceGroup& group, SpreadMatrix<T>& a, const HostMatrix<T>& x) {
    HostMatrix<T> product(a.rows(), x.cols);
    std::ranges::transform(add_product(group, a, T(1), x, {}), product.data.begin(),
                           [](double sum) { return static_cast<T>(sum); });
    return product;
}

template <class T>
double backward_error_over_devices(DeviceGroup& group, SpreadMatrix<T>& a, const HostMatrix<T>& x,
                                   const HostMatrix<T>& b) {
    auto residual = add_product(group, a, T(-1), x, b.data);
    double norm = infinity_norm_over_devices(group, a), error = 0;
    for (int j = 0; j < b.cols; ++j) {
        double size = norm * largest_of(x.data, x.rows, j) + largest_of(b.data, b.rows, j);
        double off = largest_of(residual, b.rows, j);
        if (off != 0) keep_larger(error, off / size);
    }
    return error;
}

#define TL_INSTANTIATE(T)                                                                     \
    template std::vector<T> pivots_over_devices(DeviceGroup&, SpreadMatrix<T>&);              \
    template HostMatrix<T> solve_over_devices(DeviceGroup&, SpreadMatrix<T>&,                 \
                                              const std::vector<int>&, const HostMatrix<T>&); \
    template HostMatrix<T> product_over_devices(DeviceGroup&, SpreadMatrix<T>&,               \
                                                const HostMatrix<T>&);                        \
    template double backward_error_over_devices(DeviceGroup&, SpreadMatrix<T>&,               \
                                                const HostMatrix<T>&, const HostMatrix<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
