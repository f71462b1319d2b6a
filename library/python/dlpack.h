// DLPack (version 1): arrays that libraries of Python hand to each other without copies.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <vector>

/// Kinds of memory, as DLPack numbers them.
enum DlDevice { kDlCpu = 1, kDlCuda = 2, kDlCudaHost = 3, kDlRocmHost = 11, kDlCudaManaged = 13 };

/// An array that is handed over.
struct SharedArray {
    pybind11::object owner;  ///< keeps the memory alive
    void* data = nullptr;
    std::vector<std::size_t> shape;
    std::vector<std::ptrdiff_t> strides;  ///< bytes
    std::string type;                     ///< of NumPy's: "<f4"; "" for one that NumPy lacks
    int device = kDlCpu;
    int index = 0;  ///< number of the GPU
};

/// Strides in bytes of an array without gaps.
[[nodiscard]] std::vector<std::ptrdiff_t> packed_strides(const std::vector<std::size_t>& shape,
                                                         std::size_t item);
/// Takes an array from an object with __dlpack__. Its producer makes later work of `stream` wait
/// for the array's contents; null is CUDA's default stream. Passes on what the producer throws.
[[nodiscard]] SharedArray take_dlpack(const pybind11::object& producer, void* stream);
/// A capsule of an array without gaps, for the consumer of __dlpack__.
[[nodiscard]] pybind11::object give_dlpack(const SharedArray& array);
