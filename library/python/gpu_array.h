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

/// An array without gaps on a device, whose contents are complete when the stream of its memory
/// gets there.
struct GpuArray {
    std::shared_ptr<GpuMemory> memory;  ///< may be shared with other arrays
    void* data = nullptr;
    std::vector<std::size_t> shape;
    std::string type;  ///< of NumPy's: "<f4"

    /// Allocates memory of its own. Throws ApiError.
    void allocate(const std::string& device, void* stream);
    [[nodiscard]] std::size_t bytes() const;
};

/// Allocates the results of one call. Small ones share memory, since an allocation takes longer
/// than a small batch of queries.
class GpuResults {
  public:
    /// Makes an array. Throws ApiError. `type`: of NumPy's: "<f4".
    [[nodiscard]] GpuArray make(const std::string& device, std::vector<std::size_t> shape,
                                std::string type, void* stream);

  private:
    static constexpr std::size_t kAlignment = 256;
    static constexpr std::size_t kLargestShared = 1u << 16;  ///< bytes of a result

    std::shared_ptr<GpuMemory> shared_;
    std::size_t used_ = 0, size_ = 0;  ///< bytes of shared_
};

/// Number of a GPU by its id ("cuda:1").
[[nodiscard]] int gpu_index(const std::string& device);

void define_gpu_array(pybind11::module_& module);
