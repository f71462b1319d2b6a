// Scenes and pictures in the Python module.
#pragma once

#include <pybind11/pybind11.h>

/// Defines the class _Scene, which the package's Scene and render() wrap.
void define_scene(pybind11::module_& module);
