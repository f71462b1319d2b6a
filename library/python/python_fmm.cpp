#include "library/python/python_fmm.h"

#include <pybind11/numpy.h>

#include "library/python/api_error.h"

namespace py = pybind11;

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

void check_points(const Numbers& points, const char* what) {
    if (points.ndim() != 2 || points.shape(1) != 3)
        throw ApiError{TL_INVALID, std::string(what) + " have three numbers in a row"};
}

/// Returns sums, gradients (empty unless `gradient` is true), and what the report says.
py::tuple sum_pairs(const std::string& device, const Numbers& points, const Numbers& weights,
                    const py::object& targets, const std::string& kernel, double length,
                    double tolerance, bool gradient, bool single, bool direct,
                    std::size_t n_checked) {
    check_points(points, "points");
    if (weights.ndim() != 1 || weights.shape(0) != points.shape(0))
        throw ApiError{TL_INVALID, "every point has one weight: weights are an array of " +
                                       std::to_string(points.shape(0)) + " numbers"};
    Numbers at = targets.is_none() ? points : targets.cast<Numbers>();
    check_points(at, "targets");
    py::array_t<double> sums(at.shape(0)), gradients({gradient ? at.shape(0) : 0, py::ssize_t(3)});
    auto options = tl_fmm_defaults();
    options.kernel = kernel.c_str();
    options.length = length;
    options.tolerance = tolerance;
    options.precision = single ? TL_FLOAT32 : TL_FLOAT64;
    options.direct = direct ? 1 : 0;
    options.n_checked = n_checked;
    tl_fmm_report report{};
    const double *from = points.data(), *given = weights.data(),
                 *to = targets.is_none() ? nullptr : at.data();
    double *out = sums.mutable_data(), *slopes = gradient ? gradients.mutable_data() : nullptr;
    auto n_points = static_cast<std::size_t>(points.shape(0)),
         n_targets = static_cast<std::size_t>(at.shape(0));
    // An empty array may have no memory, which would mean the points.
    constexpr double kNone = 0;
    if (!targets.is_none() && !to) to = &kNone;
    {
        py::gil_scoped_release release;
        check(tl_fmm(device.c_str(), from, given, n_points, to, n_targets, &options, out, slopes,
                     &report));
    }
    return py::make_tuple(sums, gradients, report.error, report.gradient_error);
}

}  // namespace

void define_fmm(py::module_& module) {
    module.def("_fmm", &sum_pairs);
}
