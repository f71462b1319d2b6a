// Trees of the module.
#pragma once

#include <pybind11/pybind11.h>

void define_trees(pybind11::module_& module);
