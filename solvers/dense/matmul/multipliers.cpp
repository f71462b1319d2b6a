#include <cmath>
#include <limits>

#include "core/device/registry.h"
#include "solvers/dense/largest_error.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matmul/packed_product.h"
#include "solvers/dense/matrix_kernels.h"

#if defined(TL_HAS_CUDA)
#include "solvers/dense/matmul/tile_product.h"
#endif

namespace tl {
namespace {

/// Base of `Mode`, which has
///     template <class T> void run(Stream&, Transpose, Transpose, T alpha, a, b, T beta, c)
template <class Mode>
class MultiplierOf : public Multiplier {
  public:
    void multiply(Stream& stream, Transpose op_a, Transpose op_b, float alpha,
                  MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) override {
        static_cast<Mode&>(*this).run(stream, op_a, op_b, alpha, a, b, beta, c);
    }
    void multiply(Stream& stream, Transpose op_a, Transpose op_b, double alpha,
                  MatrixView<const double> a, MatrixView<const double> b, double beta,
                  MatrixView<double> c) override {
        static_cast<Mode&>(*this).run(stream, op_a, op_b, alpha, a, b, beta, c);
    }
};

class OwnOnCpu final : public MultiplierOf<OwnOnCpu> {
  public:
    template <class T>
    void run(Stream&, Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
             MatrixView<const T> b, T beta, MatrixView<T> c) {
        multiply_on_cpu(op_a, op_b, alpha, a, b, beta, c);
    }
};

/// cuBLAS or OpenBLAS.
template <bool kTf32>
class ByLibrary final : public MultiplierOf<ByLibrary<kTf32>> {
  public:
    template <class T>
    void run(Stream& stream, Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
             MatrixView<const T> b, T beta, MatrixView<T> c) {
        if (kTf32 && sizeof(T) == 8) throw UsageError("matmul: TF32 modes multiply floats");
        auto blas = make_blas(stream);
        if (kTf32) blas->allow_tf32();
        blas->gemm(op_a, op_b, alpha, a, b, beta, c);
    }
};

template <class Mode>
std::unique_ptr<Multiplier> make() {
    return std::make_unique<Mode>();
}

#if defined(TL_HAS_CUDA)
template <bool kTf32>
class OwnOnCuda final : public MultiplierOf<OwnOnCuda<kTf32>> {
  public:
    template <class T>
    void run(Stream& stream, Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
             MatrixView<const T> b, T beta, MatrixView<T> c) {
        if constexpr (!kTf32)
            cuda::multiply_by_tiles(stream, op_a, op_b, alpha, a, b, beta, c);
        else if constexpr (sizeof(T) == 8)
            throw UsageError("matmul: TF32 modes multiply floats");
        else
            cuda::multiply_tf32(stream, op_a, op_b, alpha, a, b, beta, c);
    }
};
#endif

}  // namespace

const std::vector<MultiplierRow>& multipliers() {
    static const std::vector<MultiplierRow> table{
        {"own", "Own kernels", "Treelight's tiles in registers; on a GPU doubles by tensor cores",
         false, false, &make<OwnOnCpu>, TL_CUDA_ONLY(&make<OwnOnCuda<false>>)},
        {"own-tf32", "Own kernels, TF32", "floats rounded to TF32, by tensor cores", false, true,
         nullptr, TL_CUDA_ONLY(&make<OwnOnCuda<true>>)},
        {"openblas", "OpenBLAS", "OpenBLAS's gemm", true, false, &make<ByLibrary<false>>, nullptr},
        {"cublas", "cuBLAS", "NVIDIA's gemm", true, false, nullptr,
         TL_CUDA_ONLY(&make<ByLibrary<false>>)},
        {"cublas-tf32", "cuBLAS, TF32", "NVIDIA's gemm of floats rounded to TF32", true, true,
         nullptr, TL_CUDA_ONLY(&make<ByLibrary<true>>)},
    };
    return table;
}

std::unique_ptr<Multiplier> make_multiplier(const std::string& id, const Device& device) {
    return make_from_row(multipliers(), id, device, "matmul mode");
}

template <class T>
double product_error(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                     MatrixView<const T> c) {
    if (c.empty()) return 0;
    // Rows of A and C are gathered as columns of their transposes.
    constexpr int kSample = 16;
    int n_rows = std::min(kSample, c.rows), depth = a.cols;
    auto host = [&](MatrixView<const T> m) {
        Matrix<T> copy(stream, m.rows, m.cols);
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, m, copy.view()));
        return copy.download(stream);
    };
    double worst = 0;
    auto of_b = host(b);
    for (int r = 0; r < n_rows; ++r) {
        int i = static_cast<int>(static_cast<long>(r) * (c.rows - 1) / std::max(n_rows - 1, 1));
        auto of_a = host(a.block(i, 0, 1, depth)), of_c = host(c.block(i, 0, 1, c.cols));
        for (int j = 0; j < c.cols; ++j) {
            long double sum = 0, size = 0;
            const T* column = of_b.data() + static_cast<std::size_t>(j) * depth;
            for (int k = 0; k < depth; ++k) {
                long double term = static_cast<long double>(of_a[k]) * column[k];
                sum += term;
                size += std::abs(term);
            }
            if (size > 0 || of_c[j] != T(0))
                keep_larger(worst, static_cast<double>(std::abs(sum - of_c[j]) / size));
        }
    }
    return worst / static_cast<double>(std::numeric_limits<T>::epsilon());
}

template double product_error(Stream&, MatrixView<const float>, MatrixView<const float>,
                              MatrixView<const float>);
template double product_error(Stream&, MatrixView<const double>, MatrixView<const double>,
                              MatrixView<const double>);

}  // namespace tl
