// Estimation of poses in the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines _estimate_pose, which the package's pose() wraps.
void define_pose(pybind11::module_& module);
