// Norms and scales of matrices: a block has a column, or a tile of rows of one.
#include "solvers/dense/matrix_norms.h"

#include <cmath>

#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

template <class T>
struct ColumnMaxima {
    struct Shared {
        T largest[kTile];
        int bad[kTile];
    };
    MatrixView<const T> a;
    View<T> largest;
    View<int> bad_row;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        const T* column = a.col(static_cast<int>(block.index));
        T most = 0;
        int bad = -1;
        for (int i = static_cast<int>(block.rank); i < a.rows; i += static_cast<int>(block.size)) {
            T value = column[i] < 0 ? -column[i] : column[i];
            // NaN and infinity times zero is NaN, which compares unequal to 0.
            if (!(value * T(0) == T(0))) {
                if (bad < 0) bad = i;
            } else if (value > most) {
                most = value;
            }
        }
        shared.largest[block.rank] = most;
        shared.bad[block.rank] = bad;
        block.sync();
        if (block.rank != 0) return;
        for (std::uint32_t t = 1; t < block.size; ++t) {
            if (shared.largest[t] > most) most = shared.largest[t];
            if (shared.bad[t] >= 0 && (bad < 0 || shared.bad[t] < bad)) bad = shared.bad[t];
        }
        largest[block.index] = most;
        bad_row[block.index] = bad;
    }
};

template <class T>
struct ColumnSums {
    struct Shared {
        BlockSum<double> sum;
    };
    MatrixView<const T> a;
    View<double> sums;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        const T* column = a.col(static_cast<int>(block.index));
        double sum = 0;
        for (int i = static_cast<int>(block.rank); i < a.rows; i += static_cast<int>(block.size))
            sum += static_cast<double>(column[i] < 0 ? -column[i] : column[i]);
        sum = block_sum(block, shared.sum, sum);
        if (block.rank == 0) sums[block.index] = sum;
    }
};

template <class T>
struct ColumnSquares {
    struct Shared {
        BlockSum<double> sum;
    };
    MatrixView<const T> a;
    double scale;
    View<double> sums;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        const T* column = a.col(static_cast<int>(block.index));
        double sum = 0;
        for (int i = static_cast<int>(block.rank); i < a.rows; i += static_cast<int>(block.size)) {
            double value = static_cast<double>(column[i]) * scale;
            sum += value * value;
        }
        sum = block_sum(block, shared.sum, sum);
        if (block.rank == 0) sums[block.index] = sum;
    }
};

}  // namespace

template <class T>
void column_maxima(Stream& stream, MatrixView<const T> a, View<T> largest, View<int> bad_row) {
    launch_blocks<kTile>(stream, "largest elements", static_cast<std::uint32_t>(a.cols),
                         ColumnMaxima<T>{a, largest, bad_row});
}

template <class T>
void column_squares(Stream& stream, MatrixView<const T> a, double scale, View<double> sums) {
    launch_blocks<kTile>(stream, "column squares", static_cast<std::uint32_t>(a.cols),
                         ColumnSquares<T>{a, scale, sums});
}

template <class T>
void column_sums(Stream& stream, MatrixView<const T> a, View<double> sums) {
    launch_blocks<kTile>(stream, "column sums", static_cast<std::uint32_t>(a.cols),
                         ColumnSums<T>{a, sums});
}

template <class T>
void row_sums(Stream& stream, MatrixView<const T> a, View<double> sums) {
    parallel_for(
        stream, "row sums", static_cast<std::uint32_t>(a.rows),
        TL_LAMBDA(std::uint32_t i) {
            double sum = 0;
            for (int j = 0; j < a.cols; ++j) {
                auto value = static_cast<double>(a(static_cast<int>(i), j));
                sum += value < 0 ? -value : value;
            }
            sums[i] = sum;
        },
        64);
}

template <class T>
void scale_by_power(Stream& stream, MatrixView<const T> from, int exponent, MatrixView<T> to) {
    int half = exponent / 2;
    auto first = static_cast<T>(std::ldexp(1.0, half));
    auto second = static_cast<T>(std::ldexp(1.0, exponent - half));
    for_elements(
        stream, "scale", to.rows, to.cols,
        TL_LAMBDA(int i, int j) { to(i, j) = from(i, j) * first * second; });
}

template <class T>
void scale_by_powers(Stream& stream, MatrixView<const T> from, View<const int> of_rows,
                     View<const int> of_columns, MatrixView<T> to) {
    for_elements(
        stream, "scale rows and columns", to.rows, to.cols, TL_LAMBDA(int i, int j) {
            int exponent = (of_rows.size > 0 ? of_rows[static_cast<std::size_t>(i)] : 0) +
                           (of_columns.size > 0 ? of_columns[static_cast<std::size_t>(j)] : 0);
            to(i, j) = std::ldexp(from(i, j), exponent);
        });
}

template <class T>
void row_maxima(Stream& stream, MatrixView<const T> a, View<double> largest) {
    parallel_for(
        stream, "row maxima", static_cast<std::uint32_t>(a.rows),
        TL_LAMBDA(std::uint32_t i) {
            double most = 0;
            for (int j = 0; j < a.cols; ++j) {
                auto value = static_cast<double>(a(static_cast<int>(i), j));
                value = value < 0 ? -value : value;
                most = value > most ? value : most;
            }
            largest[i] = most;
        },
        64);
}

template <class T>
void subtract_identity(Stream& stream, MatrixView<T> a) {
    parallel_for(
        stream, "subtract identity", static_cast<std::uint32_t>(a.cols < a.rows ? a.cols : a.rows),
        TL_LAMBDA(std::uint32_t i) { a(static_cast<int>(i), static_cast<int>(i)) -= T(1); });
}

#define TL_INSTANTIATE(T)                                                                         \
    template void column_maxima(Stream&, MatrixView<const T>, View<T>, View<int>);                \
    template void column_squares(Stream&, MatrixView<const T>, double, View<double>);             \
    template void row_sums(Stream&, MatrixView<const T>, View<double>);                           \
    template void column_sums(Stream&, MatrixView<const T>, View<double>);                        \
    template void scale_by_power(Stream&, MatrixView<const T>, int, MatrixView<T>);               \
    template void scale_by_powers(Stream&, MatrixView<const T>, View<const int>, View<const int>, \
                                  MatrixView<T>);                                                 \
    template void row_maxima(Stream&, MatrixView<const T>, View<double>);                         \
    template void subtract_identity(Stream&, MatrixView<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE
template void subtract_identity(Stream&, MatrixView<Complex<float>>);
template void subtract_identity(Stream&, MatrixView<Complex<double>>);

TL_DEVICE_END
