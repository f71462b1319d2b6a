#include "library/python/python_pose.h"

#include <pybind11/numpy.h>

#include "library/python/api_error.h"

namespace {

namespace py = pybind11;

/// Matches in rows. The numbers of what was found, in the order of treelight.Pose.
py::tuple estimate_pose(
    const std::string& device, int kind,
    const py::array_t<double, py::array::c_style | py::array::forcecast>& matches,
    const tl_pose_options& options) {
    // 4 for two views, 5 for a view of known points.
    const bool is_view_of_points = kind == TL_POSE_ABSOLUTE || kind == TL_POSE_ABSOLUTE_FOCAL;
    py::ssize_t size = is_view_of_points ? 5 : 4;
    if (matches.ndim() != 2 || matches.shape(1) != size)
        throw ApiError{TL_INVALID, "matches have " + std::to_string(size) + " numbers in a row"};
    auto count = static_cast<std::size_t>(matches.shape(0));
    py::array_t<bool> inliers(matches.shape(0));
    static_assert(sizeof(bool) == 1);
    auto* marks = reinterpret_cast<unsigned char*>(inliers.mutable_data());
    const double* numbers = matches.data();
    tl_pose pose;
    {
        py::gil_scoped_release release;
        check(tl_estimate_pose(device.c_str(), static_cast<tl_pose_kind>(kind), numbers, count,
                               &options, &pose, marks));
    }
    auto square = [](const double* rows) { return py::array_t<double>({3, 3}, rows); };
    return py::make_tuple(square(pose.rotation), py::array_t<double>(3, pose.translation),
                          pose.focal, square(pose.essential), inliers, pose.rms,
                          tl_pose_doubt_words(pose.doubt), square(pose.matrix));
}

}  // namespace

void define_pose(py::module_& module) {
    module.def("_estimate_pose", [](const std::string& device, int kind, const py::array& matches,
                                    double fx, double fy, double cx, double cy, double threshold,
                                    double confidence, int most_samples, int seed) {
        return estimate_pose(device, kind, matches,
                             {fx, fy, cx, cy, threshold, confidence, most_samples, seed});
    });
}
