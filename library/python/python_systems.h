// Systems of polynomial equations in Python.
#pragma once

#include <pybind11/pybind11.h>

void define_systems(pybind11::module_& module);
