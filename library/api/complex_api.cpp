// The C interface over complex matrices: singular values, systems of equations, PLU factors and
// eigenvalues.
#include <limits>
#include <numeric>

#include "library/api/eig_batch.h"
#include "solvers/complex/complex_lu.h"
#include "solvers/svd/svd.h"

namespace tl {
namespace {

/// Extents of a caller's matrix, column by column without gaps.
struct CallerExtents {
    int rows, cols;
    [[nodiscard]] std::size_t elements() const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    }
};

/// Checks the arguments that all functions have. Solvers count the rows of real matrices of twice
/// the extents as an int.
tl_status check_matrix(const char* device, const tl_type& type, const CallerExtents& extents,
                       const void* matrix) {
    constexpr int kMost = std::numeric_limits<int>::max() / 2;
    if (!is_within(type, TL_FLOAT32, TL_FLOAT64)) return fail(TL_INVALID, "unknown type");
    if (extents.rows < 0 || extents.cols < 0) return fail(TL_INVALID, "a matrix of negative size");
    if (extents.rows > kMost || extents.cols > kMost)
        return fail(TL_INVALID,
                    "complex matrices have at most " + std::to_string(kMost) + " rows or columns");
    if (!device || (!matrix && extents.elements() > 0))
        return fail(TL_INVALID, "an argument is null");
    return TL_OK;
}

/// Throws OutOfMemory if the matrix does not fit into the device's memory.
template <class T>
Matrix<Complex<T>> uploaded_from(Stream& stream, const CallerExtents& extents, const void* from) {
    require_memory(stream.device(), extents.elements() * sizeof(Complex<T>), "a complex matrix",
                   kDenseMemoryAdvice);
    Matrix<Complex<T>> matrix(stream, extents.rows, extents.cols);
    matrix.upload(stream, std::span(static_cast<const Complex<T>*>(from), extents.elements()));
    return matrix;
}

template <class T>
void download_to(Stream& stream, const Matrix<Complex<T>>& matrix, void* to) {
    auto elements = matrix.download(stream);
    std::ranges::copy(elements, static_cast<Complex<T>*>(to));
}

/// Runs `work`, which takes a stream of the device and a number of the type.
template <class Work>
tl_status on_device_as(const char* device_name, const tl_type& type, Work work) {
    auto stream = find_device(device_name).create_stream();
    if (number_of(type) == TL_FLOAT32)
        work(*stream, 0.0F);
    else
        work(*stream, 0.0);
    return TL_OK;
}

template <class T>
void decompose_for(Stream& stream, const CallerExtents& extents, const void* matrix, void* u,
                   void* values, void* v) {
    if (extents.elements() == 0) return;
    auto a = uploaded_from<T>(stream, extents, matrix);
    auto solver = make_svd_solver("auto", stream.device());
    SolverRun run;
    auto found = solver->solve(stream, MatrixView<const Complex<T>>(a.view()),
                               {u || v ? SvdVectors::thin : SvdVectors::none}, run);
    std::ranges::transform(found.values, static_cast<T*>(values),
                           [](double value) { return static_cast<T>(value); });
    if (u) download_to(stream, found.u, u);
    if (v) download_to(stream, found.v, v);
}

template <class T>
void factorise_for(Stream& stream, const CallerExtents& extents, const void* matrix, void* to,
                   int* p) {
    if (extents.elements() == 0) {
        std::iota(p, p + extents.rows, 0);
        return;
    }
    auto a = uploaded_from<T>(stream, extents, matrix);
    SolverRun run;
    auto mode = complex_lu_modes(stream.device().kind()).front();
    auto factors = factorise_complex<T>(stream, a.view(), mode, run);
    download_to(stream, factors.lu, to);
    std::ranges::copy(order_of(factors.swaps, extents.rows), p);
}

}  // namespace

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_status tl_complex_svd(const char* device, tl_type type, const void* matrix, int rows, int cols,
                         void* u, void* values, void* v) {
    return guarded([&] {
        const CallerExtents extents{rows, cols};
        if (auto status = check_matrix(device, type, extents, matrix)) return status;
        if (!values && extents.elements() > 0) return fail(TL_INVALID, "an argument is null");
        return on_device_as(device, type, [&]<class T>(Stream& stream, T) {
            decompose_for<T>(stream, extents, matrix, u, values, v);
        });
    });
}

tl_status tl_complex_solve(const char* device, tl_type type, const void* matrix, int n,
                           const void* right, int n_right, void* solution) {
    return guarded([&] {
        const CallerExtents square{n, n}, sides{n, n_right};
        if (auto status = check_matrix(device, type, square, matrix)) return status;
        if (auto status = check_matrix(device, type, sides, right)) return status;
        if (!solution && sides.elements() > 0) return fail(TL_INVALID, "an argument is null");
        return on_device_as(device, type, [&]<class T>(Stream& stream, T) {
            if (sides.elements() == 0) return;
            auto a = uploaded_from<T>(stream, square, matrix);
            auto b = uploaded_from<T>(stream, sides, right);
            SolverRun run;
            auto found = solve_complex<T>(stream, a.view(), b.view(), "lu", run);
            download_to(stream, found.x, solution);
        });
    });
}

tl_status tl_complex_lu(const char* device, tl_type type, const void* matrix, int rows, int cols,
                        void* factors, int* p) {
    return guarded([&] {
        const CallerExtents extents{rows, cols};
        if (auto status = check_matrix(device, type, extents, matrix)) return status;
        if ((!factors && extents.elements() > 0) || (!p && rows > 0))
            return fail(TL_INVALID, "an argument is null");
        return on_device_as(device, type, [&]<class T>(Stream& stream, T) {
            factorise_for<T>(stream, extents, matrix, factors, p);
        });
    });
}

tl_status tl_complex_eig_batch(const char* device, tl_type type, const void* matrices, int n,
                               size_t count, void* values, void* vectors, tl_eig_error* errors,
                               tl_progress progress, void* context) {
    return eig_batch<Complex<float>, Complex<double>>(device, type, matrices, n, count, values,
                                                      vectors, errors, {progress, context});
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
