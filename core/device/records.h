// Queues of records that threads read and write whole, in words of 16 bytes. On a GPU they can be a
// structure of arrays: word k of all records is contiguous. Neighbouring threads, with consecutive
// records, then fill whole memory sectors with each store, not halves of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/device/array.h"

namespace tl {

/// Records of type T, const or not, of which word k of record i is at data + i * stride +
/// k * word_step. On the CPU the words of a record follow each other.
template <class T>
struct Records {
    using Value = std::remove_const_t<T>;
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    static constexpr std::uint32_t kWords = sizeof(T) / 16;
    static_assert(sizeof(T) % 16 == 0 && alignof(T) % 16 == 0);

    Byte* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t stride = sizeof(T), word_step = 16;  ///< bytes

    Records() = default;
    /// One record after the other.
    template <class U>
    requires std::is_convertible_v<U*, T*> Records(const View<U>& records)
        : data(reinterpret_cast<Byte*>(records.data)),
          size(static_cast<std::uint32_t>(records.size)) {}
    template <class U>
    requires(std::is_convertible_v<U*, T*> && !std::is_same_v<U, T>)
        Records(const Records<U>& other)
        : data(other.data), size(other.size), stride(other.stride), word_step(other.word_step) {}
    /// Loads a record. With kUsed only its first words are read; members in the others have their
    /// defaults.
    template <std::uint32_t kUsed = kWords>
    [[nodiscard]] TL_HD Value load(std::uint32_t i) const {
        TL_ASSERT_OP(i, <, size);
        const std::byte* from = data + std::size_t(i) * stride;
#if defined(__CUDA_ARCH__)
        Value value{};
        uint4 words[kWords];
        if (kUsed < kWords) memcpy(words, &value, sizeof(T));
        for (std::uint32_t k = 0; k < kUsed; ++k)
            words[k] = *reinterpret_cast<const uint4*>(from + std::size_t(k) * word_step);
        memcpy(&value, words, sizeof(T));
        return value;
#else
        return *reinterpret_cast<const Value*>(from);
#endif
    }
    /// Prefetches a record into a GPU's L2 cache, without waiting.
    template <std::uint32_t kUsed = kWords>
    TL_HD void prefetch([[maybe_unused]] std::uint32_t i) const {
#if defined(__CUDA_ARCH__)
        const std::byte* from = data + std::size_t(i) * stride;
        for (std::uint32_t k = 0; k < kUsed; ++k)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(from + std::size_t(k) * word_step));
#endif
    }
    /// Stores a record in device memory, not shared memory. With kUsed a GPU writes only the first
    /// words.
    template <std::uint32_t kUsed = kWords>
    TL_HD void store(std::uint32_t i, const Value& value) const {
        TL_ASSERT_OP(i, <, size);
        std::byte* to = data + std::size_t(i) * stride;
#if defined(__CUDA_ARCH__)
        uint4 words[kWords];
        memcpy(words, &value, sizeof(T));
        // Compilers would skip words that are undefined, and write the rest with smaller words.
        for (std::uint32_t k = 0; k < kUsed; ++k)
            __stcg(reinterpret_cast<uint4*>(to + std::size_t(k) * word_step), words[k]);
#else
        *reinterpret_cast<Value*>(to) = value;
#endif
    }
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Records in scratch memory; on a GPU as a structure of arrays of words.
template <class T>
Records<T> take_records(Scratch& scratch, std::uint32_t n) {
    Records<T> records(scratch.take<T>(n));
#if defined(__CUDACC__)
    records.stride = 16;
    records.word_step = 16 * n;
#endif
    return records;
}

TL_DEVICE_END
