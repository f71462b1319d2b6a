#include "library/python/python_eig.h"

#include <pybind11/numpy.h>

#include <complex>

#include "library/python/py_progress.h"

namespace {

namespace py = pybind11;

/// Returns values, vectors (empty unless `with_vectors` is true) and an error for each matrix of
/// numbers that are T or std::complex<T>.
template <class T, class Number = T>
py::tuple eig_batch(const std::string& device,
                    const py::array_t<Number, py::array::c_style | py::array::forcecast>& matrices,
                    bool with_vectors, const py::object& function) {
    if (matrices.ndim() != 3 || matrices.shape(1) != matrices.shape(2))
        throw ApiError{TL_INVALID, "eig: a batch of square matrices has the shape (b, n, n)"};
    auto count = matrices.shape(0), n = matrices.shape(1);
    if (n > 1024) throw ApiError{TL_INVALID, "eig: at most 1024 rows can be solved"};
    py::array_t<std::complex<T>> values({count, n});
    py::array_t<std::complex<T>> vectors({with_vectors ? count : 0, n, n});
    static_assert(sizeof(tl_eig_error) == sizeof(int));
    py::array_t<int> errors(count);
    auto* status = reinterpret_cast<tl_eig_error*>(errors.mutable_data());
    void *value = values.mutable_data(), *vector = with_vectors ? vectors.mutable_data() : nullptr;
    const Number* from = matrices.data();
    auto* call = sizeof(Number) > sizeof(T) ? &tl_complex_eig_batch : &tl_eig_batch;
    PyProgress progress(function);
    auto solve = [&] {
        py::gil_scoped_release release;
        return call(device.c_str(), sizeof(T) == 4 ? TL_FLOAT32 : TL_FLOAT64, from,
                    static_cast<int>(n), static_cast<std::size_t>(count), value, vector, status,
                    &PyProgress::tell, &progress);
    };
    progress.check_call(solve());
    return py::make_tuple(values, vectors, errors);
}

}  // namespace

void define_eig(py::module_& module) {
    module.def("_eig_batch_float", &eig_batch<float>);
    module.def("_eig_batch_double", &eig_batch<double>);
    module.def("_complex_eig_batch_float", &eig_batch<float, std::complex<float>>);
    module.def("_complex_eig_batch_double", &eig_batch<double, std::complex<double>>);
}
