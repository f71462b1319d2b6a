#include "library/python/python_sparse.h"

#include <pybind11/numpy.h>

#include "library/python/api_error.h"

namespace py = pybind11;

namespace {

using Columns = py::array_t<double, py::array::f_style | py::array::forcecast>;
using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;

void check_extents(const Values& values, const Indices& columns, const Indices& starts,
                   const Columns& right) {
    auto refuse = [](const std::string& what) { throw ApiError{TL_INVALID, what}; };
    if (values.ndim() != 1 || columns.ndim() != 1 || starts.ndim() != 1 || starts.shape(0) < 2)
        refuse("a sparse matrix has values, columns and starts of rows, arrays of one dimension");
    if (values.shape(0) != columns.shape(0) || starts.at(starts.shape(0) - 1) != values.shape(0))
        refuse("a sparse matrix has as many values as columns, and its last row ends with them");
    if (right.ndim() != 2 || right.shape(0) != starts.shape(0) - 1)
        refuse("right sides have as many rows as the matrix: " +
               std::to_string(starts.shape(0) - 1));
}

/// Returns the solution, what the report says, and why the tolerance is not reached, or "".
py::tuple solve(const std::string& device, const Values& values, const Indices& columns,
                const Indices& starts, const Columns& right, const std::string& method,
                const std::string& preconditioner, bool single, double tolerance,
                int most_iterations) {
    check_extents(values, columns, starts, right);
    auto rows = static_cast<int>(right.shape(0)), sides = static_cast<int>(right.shape(1));
    Columns solution({right.shape(0), right.shape(1)});
    const tl_csr matrix{rows, starts.data(), columns.data(), values.data()};
    const tl_sparse_options options{method.c_str(), preconditioner.c_str(),
                                    single ? TL_FLOAT32 : TL_FLOAT64, tolerance, most_iterations};
    tl_sparse_report report{};
    const double* from = right.data();
    double* to = solution.mutable_data();
    {
        py::gil_scoped_release release;
        check(tl_solve_sparse(device.c_str(), &matrix, from, sides, &options, to, &report));
    }
    return py::make_tuple(solution, report.iterations, report.residual,
                          report.converged ? std::string() : std::string(tl_last_error()));
}

}  // namespace

void define_sparse(py::module_& module) {
    module.def("_solve_sparse", &solve);
}
