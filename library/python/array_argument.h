// Arrays of Python as arguments of the C interface, and arrays for its results: of NumPy, and of
// libraries with __cuda_array_interface__ or DLPack (PyTorch, CuPy, JAX, Numba).
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>
#include <vector>

#include "library/api/treelight_trees.h"
#include "library/python/gpu_array.h"

/// An array of float or of 32-bit integers, in host memory or on a GPU.
struct ArrayArgument {
    pybind11::object owner;  ///< keeps the memory alive
    const void* data = nullptr;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> strides;  ///< bytes
    std::vector<std::size_t> rows;     ///< shape of the queries: (n,), or (h, w) of an image
    bool on_gpu = false;

    [[nodiscard]] std::size_t size(std::size_t axis) const { return shape[axis]; }
    /// The rows of an array of shape (n, `components`); (n,) for one component.
    [[nodiscard]] tl_floats floats() const;
};

/// Library of results, and their memory: a GPU's or the host's.
struct ArrayHome {
    pybind11::object library = pybind11::none();  ///< of treelight._arrays; None is NumPy
    bool on_gpu = false;

    /// The library's current stream on its GPU; null in host memory.
    [[nodiscard]] void* stream() const;
};

/// An array of results, uninitialised at first.
struct ResultArray {
    pybind11::object array = pybind11::none();
    void* data = nullptr;

    ResultArray() = default;
    /// `type`: "float32", "uint32", "bool" or "int64". `device`: the tree's. PyTorch gives int32
    /// for "uint32". `others`: makes the module's own arrays, with those of the same call; null
    /// makes it alone.
    ResultArray(const ArrayHome& home, const std::vector<std::size_t>& shape, const char* type,
                const std::string& device, void* stream, GpuResults* others = nullptr);
    /// The array of the caller's library. Call when the work that fills it has been given to the
    /// stream.
    [[nodiscard]] pybind11::object finished() const;

  private:
    ArrayHome home_;
    const char* type_ = "";
};

/// The arguments of one call on a tree: all of them are read on one stream, the current one of the
/// first array on a GPU. Others on a GPU are waited for by that stream. Throws ApiError
/// (TL_INVALID), with the argument's name.
class CallArguments {
  public:
    /// `device`: the tree's. A tree on the CPU reads no memory of GPUs.
    explicit CallArguments(const std::string& device);
    ~CallArguments();
    CallArguments(const CallArguments&) = delete;
    CallArguments& operator=(const CallArguments&) = delete;

    /// An array of float of shape (..., components), which becomes (n, components); for one
    /// component of any shape, which becomes (n,). Other types are converted.
    [[nodiscard]] ArrayArgument floats(const pybind11::object& given, std::size_t components,
                                       const char* name);
    /// n equal numbers, where the results will be.
    [[nodiscard]] ArrayArgument filled(std::size_t n, float value);
    /// An array of std::uint32_t without gaps, whatever its shape. Signed and longer integers are
    /// converted, if 32 bits hold them.
    [[nodiscard]] ArrayArgument indices(const pybind11::object& given, const char* name);

    /// The caller's stream; null is CUDA's default stream.
    [[nodiscard]] void* stream() const { return stream_.value_or(nullptr); }
    /// Library and memory of the first array.
    [[nodiscard]] const ArrayHome& home() const { return *home_; }
    /// Makes an array of results: one for each row of the first array, of shape `each`.
    [[nodiscard]] ResultArray result_for_each(std::vector<std::size_t> each, const char* type) {
        each.insert(each.begin(), rows_.begin(), rows_.end());
        return result(each, type);
    }
    /// Makes an array of results.
    [[nodiscard]] ResultArray result(const std::vector<std::size_t>& shape, const char* type) {
        return {*home_, shape, type, device_, stream(), &own_results_};
    }

  private:
    struct Place {
        pybind11::object library;  ///< of treelight._arrays; None is NumPy or a list
        pybind11::object array;    ///< in host memory an array that NumPy reads
        bool on_gpu = false;
    };
    Place place_of(const pybind11::object& given, const char* name);
    bool lies_on_gpu(const pybind11::object& library, const char* name) const;
    /// `components`: 0 for integers.
    ArrayArgument read_on_gpu(pybind11::object given, const pybind11::object& library,
                              std::size_t components, const char* name);
    void set_home(const pybind11::object& library, bool on_gpu);
    void join_stream(void* stream);

    const std::string& device_;
    std::optional<ArrayHome> home_;
    std::vector<std::size_t> rows_;  ///< of the first array of vectors
    std::optional<void*> stream_;
    GpuResults own_results_;
    std::vector<pybind11::object> imported_;  ///< arrays that must outlive the call's work
};

/// An array of NumPy's offsets in the caller's library, where the lists are.
[[nodiscard]] pybind11::object in_library(const pybind11::array& values, const ArrayHome& home,
                                          const std::string& device, void* stream);
