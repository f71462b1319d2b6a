// Loads and stores of structs in units of 16 bytes. Compilers copy structs member by member, and
// 4-byte stores of adjacent lanes that lie a struct apart cost a GPU a 32-byte sector each.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/base/math.h"

TL_DEVICE_BEGIN

/// T must be aligned to 16 bytes and its size a multiple of 16.
template <class T>
TL_HD inline void store_vectorized(T& to, const T& value) {
    static_assert(sizeof(T) % 16 == 0 && alignof(T) % 16 == 0);
#if defined(__CUDA_ARCH__)
    uint4 words[sizeof(T) / 16];
    memcpy(words, &value, sizeof(T));
    auto* out = reinterpret_cast<uint4*>(&to);
    for (std::size_t k = 0; k < sizeof(T) / 16; ++k) out[k] = words[k];
#else
    to = value;
#endif
}

template <class T>
TL_HD inline T load_vectorized(const T& from) {
    static_assert(sizeof(T) % 16 == 0 && alignof(T) % 16 == 0);
#if defined(__CUDA_ARCH__)
    uint4 words[sizeof(T) / 16];
    const auto* in = reinterpret_cast<const uint4*>(&from);
    for (std::size_t k = 0; k < sizeof(T) / 16; ++k) words[k] = in[k];
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
#else
    return from;
#endif
}

TL_DEVICE_END
