// Sums over all pairs of points in the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines _fmm, which the package's fmm() wraps.
void define_fmm(pybind11::module_& module);
