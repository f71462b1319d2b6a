#include "accel/bvh/passes/box_union.h"

#include "core/device/parallel_for.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#include "core/device/warp.h"
#else
#include <tbb/parallel_reduce.h>
#endif

TL_DEVICE_BEGIN

namespace {

template <bool kCenters>
struct Union {
    Box box;
    std::uint32_t n_valid = 0;

    TL_HD void add(const Box& b) {
        if (!b.is_valid()) return;
        if (kCenters)
            box.extend(b.center());
        else
            box.extend(b);
        ++n_valid;
    }
};

#if defined(__CUDACC__)

constexpr int kUnionBlock = 256;
/// At most eight blocks for each of 132 SMs; grid-stride loop.
constexpr std::size_t kUnionGrid = 1056;

template <bool kCenters>
__global__ void __launch_bounds__(kUnionBlock)
    unite_kernel(View<const Box> boxes, TreeHeader* header) {
    Union<kCenters> sum;
    std::size_t stride = std::size_t(gridDim.x) * kUnionBlock;
    for (std::size_t i = blockIdx.x * kUnionBlock + threadIdx.x; i < boxes.size; i += stride)
        sum.add(boxes[i]);
    __shared__ std::uint32_t of_block[7];
    if (threadIdx.x < 7) of_block[threadIdx.x] = 0;
    __syncthreads();
    // Reduces over the warp, then over the block, then over the grid. All lanes take part.
    std::uint32_t values[7];
    for (int axis = 0; axis < 3; ++axis) {
        values[axis] = sum.n_valid ? ~ordered_from_float(sum.box.lo[axis]) : 0;
        values[axis + 3] = sum.n_valid ? ordered_from_float(sum.box.hi[axis]) : 0;
    }
    for (int k = 0; k < 6; ++k) {
        std::uint32_t value = warp_maximum(values[k]);
        if (threadIdx.x % 32 == 0 && value) atomicMax(&of_block[k], value);
    }
    std::uint32_t n_valid = warp_sum(sum.n_valid);
    if (threadIdx.x % 32 == 0) atomicAdd(&of_block[6], n_valid);
    __syncthreads();
    if (threadIdx.x < 6 && of_block[threadIdx.x])
        atomicMax(&header->center_union[threadIdx.x], of_block[threadIdx.x]);
    if (threadIdx.x == 6) atomicAdd(&header->n_valid, of_block[6]);
    if (threadIdx.x == 7) {
        std::size_t first = std::size_t(blockIdx.x) * kUnionBlock;
        std::uint32_t n_seen = 0;
        for (; first < boxes.size; first += stride)
            n_seen += boxes.size - first < kUnionBlock
                          ? static_cast<std::uint32_t>(boxes.size - first)
                          : kUnionBlock;
        atomicAdd(&header->n_dropped, n_seen - of_block[6]);
    }
}

template <bool kCenters>
void unite(Stream& stream, View<const Box> boxes, View<TreeHeader> header) {
    if (boxes.empty()) return;
    launch(stream, "union of boxes", blocks_for(boxes.size, kUnionBlock, kUnionGrid), kUnionBlock,
           unite_kernel<kCenters>, boxes, header.data);
}

#else

template <bool kCenters>
void unite(Stream&, View<const Box> boxes, View<TreeHeader> header) {
    using Range = tbb::blocked_range<std::size_t>;
    auto sum = tbb::parallel_reduce(
        Range(0, boxes.size, 4096), Union<kCenters>{},
        [&](const Range& range, Union<kCenters> part) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) part.add(boxes[i]);
            return part;
        },
        [](Union<kCenters> a, const Union<kCenters>& b) {
            a.box.extend(b.box);
            a.n_valid += b.n_valid;
            return a;
        });
    TreeHeader& h = header[0];
    h.n_valid += sum.n_valid;
    h.n_dropped += static_cast<std::uint32_t>(boxes.size) - sum.n_valid;
    if (sum.n_valid == 0) return;
    for (int axis = 0; axis < 3; ++axis) {
        h.center_union[axis] = ~ordered_from_float(sum.box.lo[axis]);
        h.center_union[axis + 3] = ordered_from_float(sum.box.hi[axis]);
    }
}

#endif

}  // namespace

void unite_centers(Stream& stream, View<const Box> boxes, View<TreeHeader> header) {
    unite<true>(stream, boxes, header);
}

void unite_boxes(Stream& stream, View<const Box> boxes, View<TreeHeader> header) {
    unite<false>(stream, boxes, header);
}

TL_DEVICE_END
