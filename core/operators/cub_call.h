// The two-step call of CUB's device algorithms, with the temporary storage lent by the scratch
// arena.
#pragma once

#include "core/device/array.h"
#include "core/device/cuda_check.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

/// call(storage, bytes, stream) is a CUB algorithm; it is called for its storage size, then to run.
template <class Call>
void cub_call(Scratch& scratch, Call call) {
    Scratch::Scope scope(scratch);
    auto stream = static_cast<cudaStream_t>(scratch.stream().native());
    std::size_t bytes = 0;
    TL_CUDA_CHECK(call(nullptr, bytes, stream));
    if (bytes == 0) bytes = 1;  // for null storage CUB would only return the size again
    void* storage = scratch.take_bytes(bytes);
    TL_CUDA_CHECK(call(storage, bytes, stream));
}

/// An operator chosen at run time, in the form that CUB takes.
template <class T>
struct ApplyOperator {
    Operator op;
    TL_HD T operator()(T a, T b) const { return apply(op, a, b); }
};

TL_DEVICE_END
