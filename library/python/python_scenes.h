// Scenes and pictures in the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines the classes _Scene and _Sequence, which the package's Scene and Frames wrap.
void define_scene(pybind11::module_& module);
