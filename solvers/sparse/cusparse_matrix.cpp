// Products by cuSPARSE, for comparison. The library is opened on first use.
#include <cusparse.h>

#include <utility>

#include "solvers/dense/cusolver_handle.h"
#include "solvers/dense/handle_pool.h"
#include "solvers/dense/late_library.h"
#include "solvers/sparse/sparse_matrix.h"

#define TL_TEXT_OF(text) #text
#define TL_TEXT(text) TL_TEXT_OF(text)
#define TL_LATE(function) const LateFunction<decltype(::function)> function(cusparse, #function)

namespace tl {
namespace late {
namespace {

const LateLibrary cusparse("cuSPARSE", "libcusparse.so." TL_TEXT(CUSPARSE_VER_MAJOR),
                           TL_CUDA_LIBRARY_FOLDER, "CUDA's libraries");

TL_LATE(cusparseCreate);
TL_LATE(cusparseSetStream);
TL_LATE(cusparseGetErrorString);
TL_LATE(cusparseCreateConstCsr);
TL_LATE(cusparseDestroySpMat);
TL_LATE(cusparseCreateConstDnVec);
TL_LATE(cusparseCreateDnVec);
TL_LATE(cusparseDestroyDnVec);
TL_LATE(cusparseSpMV);
TL_LATE(cusparseSpMV_bufferSize);

}  // namespace
}  // namespace late

#undef TL_LATE
#undef TL_TEXT
#undef TL_TEXT_OF

namespace {

void check_cusparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw UserError(std::string("cuSPARSE: ") + call +
                        " failed: " + late::cusparseGetErrorString(status));
}

cusparseHandle_t make_handle() {
    cusparseHandle_t handle = nullptr;
    check_cusparse(late::cusparseCreate(&handle), "cusparseCreate");
    return handle;
}

/// Descriptors of the vectors of a product.
class ProductVectors {
  public:
    template <class T>
    ProductVectors(View<const T> x, View<T> y) {
        check_cusparse(late::cusparseCreateConstDnVec(&x_, static_cast<std::int64_t>(x.size),
                                                      x.data, kCudaType<T>),
                       "cusparseCreateConstDnVec");
        check_cusparse(
            late::cusparseCreateDnVec(&y_, static_cast<std::int64_t>(y.size), y.data, kCudaType<T>),
            "cusparseCreateDnVec");
    }
    ~ProductVectors() {
        if (x_) (void)late::cusparseDestroyDnVec(x_);
        if (y_) (void)late::cusparseDestroyDnVec(y_);
    }
    ProductVectors(const ProductVectors&) = delete;
    ProductVectors& operator=(const ProductVectors&) = delete;

    [[nodiscard]] cusparseConstDnVecDescr_t x() const { return x_; }
    [[nodiscard]] cusparseDnVecDescr_t y() const { return y_; }

  private:
    cusparseConstDnVecDescr_t x_ = nullptr;
    cusparseDnVecDescr_t y_ = nullptr;
};

template <class T>
class CusparseMatrix final : public SparseMatrix<T> {
  public:
    CusparseMatrix(Stream& stream, const HostCsr& host)
        : SparseMatrix<T>(host), a_(stream, host), handle_(stream, &make_handle) {
        check_cusparse(
            late::cusparseSetStream(handle_.get(), static_cast<cudaStream_t>(stream.native())),
            "cusparseSetStream");
        auto view = a_.view();
        check_cusparse(late::cusparseCreateConstCsr(&matrix_, view.rows, view.cols, host.entries(),
                                                    view.starts, view.columns, view.values,
                                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                    CUSPARSE_INDEX_BASE_ZERO, kCudaType<T>),
                       "cusparseCreateConstCsr");
        DeviceArray<T> x(stream, static_cast<std::size_t>(host.cols)),
            y(stream, static_cast<std::size_t>(host.rows));
        ProductVectors vectors(std::as_const(x).view(), y.view());
        std::size_t bytes = 0;
        const T one = 1, zero = 0;
        check_cusparse(late::cusparseSpMV_bufferSize(
                           handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_,
                           vectors.x(), &zero, vectors.y(), kCudaType<T>, kAlgorithm, &bytes),
                       "cusparseSpMV_bufferSize");
        buffer_.resize_discard(stream, bytes);
    }
    ~CusparseMatrix() override {
        if (matrix_) (void)late::cusparseDestroySpMat(matrix_);
    }
    CusparseMatrix(const CusparseMatrix&) = delete;
    CusparseMatrix& operator=(const CusparseMatrix&) = delete;

    void multiply(Stream& stream, const ProductTerms<T>& terms, View<T> y) const override {
        if (terms.beta != T(0) && terms.c.data != y.data)
            stream.device().copy(stream, y.data, terms.c.data, y.size * sizeof(T));
        ProductVectors vectors(terms.x, y);
        stream.device().make_current();
        check_cusparse(late::cusparseSpMV(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                          &terms.alpha, matrix_, vectors.x(), &terms.beta,
                                          vectors.y(), kCudaType<T>, kAlgorithm, buffer_.data()),
                       "cusparseSpMV");
    }
    [[nodiscard]] SparseFormat format() const override { return SparseFormat::cusparse; }
    [[nodiscard]] std::size_t bytes() const override { return a_.bytes() + buffer_.bytes(); }

  private:
    static constexpr auto kAlgorithm = CUSPARSE_SPMV_CSR_ALG2;  ///< the same bits in every run

    Csr<T> a_;
    mutable PooledHandle<cusparseHandle_t> handle_;
    mutable DeviceArray<std::byte> buffer_;
    cusparseConstSpMatDescr_t matrix_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<SparseMatrix<T>> make_cusparse_matrix(Stream& stream, const HostCsr& host) {
    return std::make_unique<CusparseMatrix<T>>(stream, host);
}

template std::unique_ptr<SparseMatrix<float>> make_cusparse_matrix(Stream&, const HostCsr&);
template std::unique_ptr<SparseMatrix<double>> make_cusparse_matrix(Stream&, const HostCsr&);

}  // namespace tl
