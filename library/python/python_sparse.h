// Sparse linear systems for the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines _solve_sparse, which the package's solve_sparse() wraps.
void define_sparse(pybind11::module_& module);
