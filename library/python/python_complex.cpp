#include "library/python/python_complex.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <complex>
#include <limits>

#include "library/python/api_error.h"

namespace {

namespace py = pybind11;

/// A complex matrix, column by column.
template <class T>
using ComplexColumns = py::array_t<std::complex<T>, py::array::f_style | py::array::forcecast>;

template <class T>
constexpr tl_type kTypeOf = sizeof(T) == 4 ? TL_FLOAT32 : TL_FLOAT64;

struct Extents {
    int rows, cols;
};
/// Throws ApiError for an array that is no matrix.
Extents extents_of(const py::array& matrix) {
    constexpr py::ssize_t kMost = std::numeric_limits<int>::max();
    if (matrix.ndim() != 2) throw ApiError{TL_INVALID, "a matrix has two dimensions"};
    if (matrix.shape(0) > kMost || matrix.shape(1) > kMost)
        throw ApiError{TL_INVALID, "the matrix has too many rows or columns"};
    return {static_cast<int>(matrix.shape(0)), static_cast<int>(matrix.shape(1))};
}

/// Returns u, values and v; u and v are empty unless `with_vectors` is true.
template <class T>
py::tuple complex_svd(const std::string& device, const ComplexColumns<T>& matrix,
                      bool with_vectors) {
    auto [rows, cols] = extents_of(matrix);
    py::ssize_t least = std::min(rows, cols), n_vectors = with_vectors ? least : 0;
    ComplexColumns<T> u({py::ssize_t{rows}, n_vectors}), v({py::ssize_t{cols}, n_vectors});
    py::array_t<T> values(least);
    const void* from = matrix.data();
    void *to_u = with_vectors ? u.mutable_data() : nullptr, *to_values = values.mutable_data(),
         *to_v = with_vectors ? v.mutable_data() : nullptr;
    {
        py::gil_scoped_release release;
        check(tl_complex_svd(device.c_str(), kTypeOf<T>, from, rows, cols, to_u, to_values, to_v));
    }
    return py::make_tuple(u, values, v);
}

/// Returns the solution, of the shape of `right`.
template <class T>
ComplexColumns<T> complex_solve(const std::string& device, const ComplexColumns<T>& matrix,
                                const ComplexColumns<T>& right) {
    auto [rows, cols] = extents_of(matrix);
    auto sides = extents_of(right);
    if (rows != cols)
        throw ApiError{TL_INVALID, "solve: the matrix is " + std::to_string(rows) + "x" +
                                       std::to_string(cols) +
                                       ", but only square ones can be solved with"};
    if (sides.rows != rows)
        throw ApiError{TL_INVALID, "solve: right sides have " + std::to_string(sides.rows) +
                                       " rows, but the matrix has " + std::to_string(rows)};
    ComplexColumns<T> solution({right.shape(0), right.shape(1)});
    const void *from = matrix.data(), *given = right.data();
    void* to = solution.mutable_data();
    {
        py::gil_scoped_release release;
        check(tl_complex_solve(device.c_str(), kTypeOf<T>, from, rows, given, sides.cols, to));
    }
    return solution;
}

/// Returns L and U in one matrix, and the order of rows.
template <class T>
py::tuple complex_lu(const std::string& device, const ComplexColumns<T>& matrix) {
    auto [rows, cols] = extents_of(matrix);
    ComplexColumns<T> factors({matrix.shape(0), matrix.shape(1)});
    py::array_t<int> order(matrix.shape(0));
    const void* from = matrix.data();
    void* to = factors.mutable_data();
    int* p = order.mutable_data();
    {
        py::gil_scoped_release release;
        check(tl_complex_lu(device.c_str(), kTypeOf<T>, from, rows, cols, to, p));
    }
    return py::make_tuple(factors, order);
}

}  // namespace

void define_complex(py::module_& module) {
    module.def("_complex_svd_float", &complex_svd<float>);
    module.def("_complex_svd_double", &complex_svd<double>);
    module.def("_complex_solve_float", &complex_solve<float>);
    module.def("_complex_solve_double", &complex_solve<double>);
    module.def("_complex_lu_float", &complex_lu<float>);
    module.def("_complex_lu_double", &complex_lu<double>);
}
