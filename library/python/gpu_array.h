// Arrays of results on a GPU, for libraries that are given memory: JAX, Numba and others.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <string>
#include <vector>

/// Memory of a device, freed with this.
class GpuMemory {
  public:
    /// Allocates in the order of the stream. Throws ApiError.
    GpuMemory(std::string device, std::size_t bytes, void* stream);
    ~GpuMemory();
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;
    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] const std::string& device() const { return device_; }
    [[nodiscard]] void* stream() const { return stream_; }

  private:
    std::string device_;
    std::size_t bytes_;
    void* stream_;
    void* data_ = nullptr;
};

/// An array without gaps on a device, whose contents are complete when `stream` gets there.
struct GpuArray {
    std::shared_ptr<GpuMemory> memory;
    std::vector<std::size_t> shape;
    std::string type;  ///< of NumPy's: "<f4"

    GpuArray(const std::string& device, const std::vector<std::size_t>& of_shape,
             const std::string& type_name, std::size_t stream);
    [[nodiscard]] std::size_t bytes() const;
};

/// Number of a GPU by its id ("cuda:1").
[[nodiscard]] int gpu_index(const std::string& device);

void define_gpu_array(pybind11::module_& module);
