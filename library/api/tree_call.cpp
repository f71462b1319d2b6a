#include "library/api/tree_call.h"

#include <cstring>

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

void* CallArrays::take_staged(std::size_t bytes) {
    void* staged = staging_ ? staging_->take(stream().device(), bytes) : nullptr;
    uses_staging_ |= staged != nullptr;
    return staged;
}

const void* CallArrays::copy_in(const void* data, std::size_t bytes) {
    if (bytes == 0 || !needs_copy(stream().device(), data)) return data;
    if (void* staged = take_staged(bytes)) return std::memcpy(staged, data, bytes);
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

void* CallArrays::take_out(void* data, std::size_t bytes, bool may_stage) {
    if (!data || bytes == 0 || !needs_copy(stream().device(), data)) return data;
    void* result = may_stage ? take_staged(bytes) : nullptr;
    const bool is_staged = result != nullptr;
    if (!is_staged) result = scratch_.take_bytes(bytes);
    results_.push_back({data, result, bytes, is_staged});
    return result;
}

void CallArrays::finish() {
    bool has_waited = false;
    for (const auto& result : results_) {
        if (result.is_staged) continue;
        stream().device().download(stream(), result.to, result.from, result.bytes);
        has_waited = true;
    }
    // Copies from pinned memory may still read it.
    if ((has_host_input_ || uses_staging_) && !has_waited) stream().synchronize();
    for (const auto& result : results_)
        if (result.is_staged) std::memcpy(result.to, result.from, result.bytes);
    results_.clear();
    release_staging();
}

void CallArrays::release_staging() {
    if (uses_staging_) staging_->reset();
    uses_staging_ = false;
}

CallArrays::~CallArrays() {
    if (!uses_staging_) return;
    try {
        stream().synchronize();
    } catch (const std::exception&) {  // the GPU has failed, and writes nothing any more
    }
    release_staging();
}

/// The offset of a list. Waits for it if the offsets are on the device.
static std::uint64_t offset_at(CallArrays& arrays, const std::uint64_t* offset) {
    if (needs_copy(arrays.stream().device(), offset)) return *offset;
    std::uint64_t value = 0;
    arrays.stream().device().download(arrays.stream(), &value, offset, sizeof value);
    return value;
}

SliceLists::SliceLists(CallArrays& arrays, const std::uint64_t* offsets, bool needs_size)
    : arrays_(arrays), offsets_(arrays.in(offsets, 1, 1)) {
    if (!needs_size) return;
    first_ = offset_at(arrays, offsets + arrays.first());
    end_ = offset_at(arrays, offsets + arrays.first() + arrays.count());
}

}  // namespace tl
