// Arrays as large as an image, whose memory also shrinks with it.
#pragma once

#include "core/device/array.h"

namespace tl {

/// DeviceArray::resize_discard() that also allocates to shrink: at most twice the memory that is
/// needed is held. For arrays whose size stays the same from frame to frame.
template <class T>
void resize_fitting(DeviceArray<T>& array, Stream& stream, std::size_t size) {
    if (array.capacity() / 2 > size) array = DeviceArray<T>();
    array.resize_discard(stream, size);
}

/// Frees an array's capacity beyond its elements, which stay. Temporarily memory holds both copies.
/// Throws UserError, and changes nothing, if they do not fit.
template <class T>
void give_back_rest(DeviceArray<T>& array, Stream& stream) {
    if (array.capacity() == array.size()) return;
    DeviceArray<T> fitting(stream, array.size());
    if (!array.empty())
        stream.device().copy(stream, fitting.data(), array.data(), array.size() * sizeof(T));
    std::swap(array, fitting);
}

}  // namespace tl
