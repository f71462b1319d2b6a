// Complex matrices in the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines _complex_svd_float, _complex_svd_double and likewise solve and lu, for _complex.py.
void define_complex(pybind11::module_& module);
