#include "library/api/tree_call.h"

#if defined(TL_HAS_CUDA)
#include "core/device/device_cuda.h"
#endif

namespace tl {

bool needs_copy(const Device& device, [[maybe_unused]] const void* data) {
    if (device.kind() == DeviceKind::cpu) return false;
#if defined(TL_HAS_CUDA)
    int gpu = gpu_of_memory(data);
    if (gpu >= 0 && gpu != device.index())
        throw UserError("an array lies in the memory of GPU " + std::to_string(gpu) +
                        ", and the tree on GPU " + std::to_string(device.index()));
    return gpu < 0;
#else
    return true;
#endif
}

const void* CallArrays::copy_in(const void* data, std::size_t bytes) {
    if (bytes == 0 || !needs_copy(stream().device(), data)) return data;
    has_host_input_ = true;
    void* copy = scratch_.take_bytes(bytes);
    stream().device().upload(stream(), copy, data, bytes);
    return copy;
}

StridedFloats CallArrays::in(const tl_floats& floats, std::size_t n_components) {
    if (!floats.data) return {};
    std::size_t component = floats.component ? floats.component : sizeof(float);
    std::size_t step = floats.step ? floats.step : n_components * component;
    auto at = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(floats.data) +
                                             first_ * step);
    return all_in({at, step, component}, count_, n_components);
}

StridedFloats CallArrays::all_in(const tl_floats& floats, std::size_t n, std::size_t n_components) {
    if (!floats.data) return {};
    std::size_t component = floats.component ? floats.component : sizeof(float);
    std::size_t step = floats.step ? floats.step : n_components * component;
    StridedFloats given{reinterpret_cast<const std::byte*>(floats.data), step, component};
    if (n == 0 || !needs_copy(stream().device(), floats.data)) return given;
    const std::size_t size = n * n_components;
    if (given.is_packed(n_components))
        return StridedFloats::packed(
            static_cast<const float*>(copy_in(floats.data, size * sizeof(float))), n_components);
    std::vector<float> packed(size);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < n_components; ++c)
            packed[i * n_components + c] = given.at(i, c);
    return StridedFloats::packed(
        static_cast<const float*>(copy_in(packed.data(), size * sizeof(float))), n_components);
}

void* CallArrays::take_out(void* data, std::size_t bytes) {
    if (!data || bytes == 0 || !needs_copy(stream().device(), data)) return data;
    void* result = scratch_.take_bytes(bytes);
    results_.push_back({data, result, bytes});
    return result;
}

void CallArrays::finish() {
    for (const auto& result : results_)
        stream().device().download(stream(), result.to, result.from, result.bytes);
    // Pinned memory is read while the copy runs.
    if (has_host_input_ && results_.empty()) stream().synchronize();
    results_.clear();
}

}  // namespace tl
