#include "accel/bvh/box_union.h"

#include "accel/parallel/parallel_for.h"
#if !defined(__CUDACC__)
#include <tbb/parallel_reduce.h>
#endif

TL_DEVICE_BEGIN

namespace {

/// Minimum and maximum give back the number where the other is NaN.
TL_HD void extend_by_number(Box& box, vec3 p) {
    for (int axis = 0; axis < 3; ++axis) {
        box.lo[axis] = fminf(box.lo[axis], p[axis]);
        box.hi[axis] = fmaxf(box.hi[axis], p[axis]);
    }
}

#if defined(__CUDACC__)

constexpr int kUnionBlock = 256;

/// All 32 lanes take part.
__device__ float warp_minimum(float value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value = fminf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

__global__ void __launch_bounds__(kUnionBlock)
    union_of_centers_kernel(View<const Box> boxes, std::uint32_t* ordered) {
    Box box;
    std::size_t stride = std::size_t(gridDim.x) * kUnionBlock;
    for (std::size_t i = blockIdx.x * kUnionBlock + threadIdx.x; i < boxes.size; i += stride)
        extend_by_number(box, boxes[i].center());
    __shared__ std::uint32_t of_block[kOrderedBoxSize];
    if (threadIdx.x < kOrderedBoxSize) of_block[threadIdx.x] = threadIdx.x < 3 ? 0xffffffffu : 0;
    __syncthreads();
    for (int axis = 0; axis < 3; ++axis) {
        float lo = warp_minimum(box.lo[axis]);
        float hi = -warp_minimum(-box.hi[axis]);
        if (threadIdx.x % 32 == 0) {
            atomicMin(&of_block[axis], ordered_from_float(lo));
            atomicMax(&of_block[axis + 3], ordered_from_float(hi));
        }
    }
    __syncthreads();
    if (threadIdx.x < 3)
        atomicMin(&ordered[threadIdx.x], of_block[threadIdx.x]);
    else if (threadIdx.x < kOrderedBoxSize)
        atomicMax(&ordered[threadIdx.x], of_block[threadIdx.x]);
}

#endif

}  // namespace

#if defined(__CUDACC__)

void union_of_centers(Stream& stream, View<const Box> boxes, View<std::uint32_t> ordered) {
    parallel_for(
        stream, "empty box", kOrderedBoxSize,
        TL_LAMBDA(std::uint32_t i) { ordered[i] = i < 3 ? 0xffffffffu : 0u; });
    if (boxes.empty()) return;
    // At most eight blocks to each of 132 SMs; each thread walks the array in strides.
    std::size_t n_blocks = (boxes.size + kUnionBlock - 1) / kUnionBlock;
    unsigned grid = static_cast<unsigned>(n_blocks < 1056 ? n_blocks : 1056);
    union_of_centers_kernel<<<grid, kUnionBlock, 0, static_cast<cudaStream_t>(stream.native())>>>(
        boxes, ordered.data);
    TL_CUDA_CHECK_LAUNCH("union of centers");
}

#else

void union_of_centers(Stream&, View<const Box> boxes, View<std::uint32_t> ordered) {
    using Range = tbb::blocked_range<std::size_t>;
    Box box = tbb::parallel_reduce(
        Range(0, boxes.size, 4096), Box{},
        [&](const Range& range, Box part) {
            for (std::size_t i = range.begin(); i < range.end(); ++i)
                extend_by_number(part, boxes[i].center());
            return part;
        },
        [](Box a, const Box& b) {
            a.extend(b);
            return a;
        });
    for (int axis = 0; axis < 3; ++axis) {
        ordered[axis] = ordered_from_float(box.lo[axis]);
        ordered[axis + 3] = ordered_from_float(box.hi[axis]);
    }
}

#endif

TL_DEVICE_END
