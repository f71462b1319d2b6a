// Eigenvalues of batches of matrices in Python.
#pragma once

#include <pybind11/pybind11.h>

void define_eig(pybind11::module_& module);
