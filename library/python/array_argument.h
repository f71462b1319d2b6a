// Arrays of Python as arguments of the C interface, and arrays for its results: of NumPy, and of
// libraries whose arrays lie on a GPU (PyTorch, CuPy, JAX, Numba).
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "library/api/treelight_trees.h"

/// Library that makes the arrays of a call's results.
enum class ArrayMaker { numpy, torch, cupy };

/// An array of float or of 32-bit integers, in host memory or on a GPU.
struct ArrayArgument {
    pybind11::object owner;  ///< keeps the memory alive
    const void* data = nullptr;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> strides;  ///< bytes
    bool on_gpu = false;
    ArrayMaker maker = ArrayMaker::numpy;
    void* stream = nullptr;  ///< the caller's stream on the GPU

    [[nodiscard]] std::size_t size(std::size_t axis) const { return shape[axis]; }
    /// Takes the stream of another argument of the call, unless this one is on the GPU itself.
    void follow(const ArrayArgument& other) {
        if (!on_gpu && other.on_gpu) stream = other.stream;
    }
    /// The rows of an array of shape (n, `components`); (n,) for one component.
    [[nodiscard]] tl_floats floats() const;
};

/// Reads the arguments of calls on a tree. Throws ApiError (TL_INVALID), with the argument's name.
struct ArrayReader {
    bool takes_gpu = true;  ///< the tree is on a GPU: a CPU reads no memory of GPUs

    /// An array of float of shape (n, components), or (components,) for a single vector; for one
    /// component (n,), or a number. Other types of NumPy are converted.
    [[nodiscard]] ArrayArgument floats(const pybind11::object& given, std::size_t components,
                                       const char* name) const;
    /// An array of std::uint32_t without gaps, whatever its shape. Signed and longer integers of
    /// NumPy are converted, if 32 bits hold them.
    [[nodiscard]] ArrayArgument indices(const pybind11::object& given, const char* name) const;

  private:
    [[nodiscard]] bool is_on_gpu(const pybind11::object& given, const char* name) const;
};

/// Returns an uninitialised array like `like`: by the same library, on the same device. `type`:
/// "float32", "uint32" or "uint8". For "uint32" PyTorch gives int32: it has
/// no unsigned integers of 32 bits.
[[nodiscard]] pybind11::object make_array(const ArrayArgument& like,
                                          const std::vector<std::size_t>& shape, const char* type);
/// Address of an array that make_array() has made.
[[nodiscard]] void* address_of(const pybind11::object& array, ArrayMaker maker);
