// Products of reflectors for any type of number. Only the files that instantiate it include it.
#pragma once

#include "solvers/dense/block_reflector.h"

#include "core/device/parallel_for.h"
#include "solvers/dense/matrix_kernels.h"

TL_DEVICE_BEGIN

/// Turns V^H V into T^-1: halves the diagonal, and sets it to 1 for identity reflectors.
template <class T>
void halve_diagonal(Stream& stream, MatrixView<T> s) {
    parallel_for(
        stream, "halve diagonal", static_cast<std::uint32_t>(s.cols), TL_LAMBDA(std::uint32_t i) {
            T& value = s(static_cast<int>(i), static_cast<int>(i));
            value = value == T(0) ? T(1) : value * RealOf<T>(0.5);
        });
}

template <class T>
void apply_reflectors(Blas& blas, Transpose op, MatrixView<const T> v, MatrixView<T> c, int block) {
    if (v.empty() || c.empty()) return;
    Stream& stream = blas.stream();
    int n_blocks = (v.cols + block - 1) / block;
    Matrix<T> triangle(stream, block, block), factor(stream, block, block);
    Matrix<T> product(stream, block, c.cols), solved(stream, block, c.cols);
    for (int b = 0; b < n_blocks; ++b) {
        // Q = Q_1 Q_2 ...: the last block is applied first, but for Q^H the first block.
        int first = (op == Transpose::yes ? b : n_blocks - 1 - b) * block;
        int count = v.cols - first < block ? v.cols - first : block;
        auto vb = v.block(first, first, v.rows - first, count);
        auto cb = c.block(first, 0, c.rows - first, c.cols);
        auto s = triangle.view().block(0, 0, count, count);
        auto t = factor.view().block(0, 0, count, count);
        auto w = product.view().block(0, 0, count, c.cols);
        auto tw = solved.view().block(0, 0, count, c.cols);
        blas.gemm(Transpose::yes, Transpose::no, T(1), vb, vb, T(0), s);
        halve_diagonal(stream, s);
        set_identity(stream, t);
        blas.solve(Triangle::upper, Transpose::no, s, t);
        blas.gemm(Transpose::yes, Transpose::no, T(1), vb, cb, T(0), w);
        blas.gemm(op, Transpose::no, T(1), t, w, T(0), tw);
        blas.gemm(Transpose::no, Transpose::no, T(-1), vb, tw, T(1), cb);
    }
}

TL_DEVICE_END
