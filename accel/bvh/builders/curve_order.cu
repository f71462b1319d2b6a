#include "accel/bvh/builders/curve_order.h"

#include "accel/bvh/passes/box_union.h"
#include "accel/morton.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Morton code of a box's centre. An invalid box gets a code greater than any of n_bits.
template <class Code>
TL_HD Code code_of(const Box& box, const MortonGrid& grid, int n_bits) {
    return box.is_valid() ? grid.code<Code>(box.center()) : Code(1) << n_bits;
}

#if defined(__CUDACC__)

constexpr int kCodeBlock = 256;
constexpr std::size_t kCodeGrid = 1056;  // eight blocks for each of 132 SMs, grid-stride loop

template <class Code>
__global__ void __launch_bounds__(kCodeBlock)
    morton_codes_kernel(View<const Box> boxes, const TreeHeader* header, int n_bits,
                        Pairs<Code> pairs) {
    __shared__ MortonGrid grid;
    if (threadIdx.x == 0) grid = MortonGrid::make(center_union_of(*header), n_bits);
    __syncthreads();
    std::size_t stride = std::size_t(gridDim.x) * kCodeBlock;
    for (std::size_t i = blockIdx.x * kCodeBlock + threadIdx.x; i < boxes.size; i += stride) {
        pairs.keys[i] = code_of<Code>(boxes[i], grid, n_bits);
        pairs.values[i] = static_cast<std::uint32_t>(i);
    }
}

template <class Code>
void write_codes(Stream& stream, View<const Box> boxes, View<const TreeHeader> header, int n_bits,
                 Pairs<Code> pairs) {
    launch(stream, "morton codes", blocks_for(boxes.size, kCodeBlock, kCodeGrid), kCodeBlock,
           morton_codes_kernel<Code>, boxes, header.data, n_bits, pairs);
}

#else

template <class Code>
void write_codes(Stream& stream, View<const Box> boxes, View<const TreeHeader> header, int n_bits,
                 Pairs<Code> pairs) {
    MortonGrid grid = MortonGrid::make(center_union_of(header[0]), n_bits);
    parallel_for(stream, "morton codes", static_cast<std::uint32_t>(boxes.size),
                 [=](std::uint32_t i) {
                     pairs.keys[i] = code_of<Code>(boxes[i], grid, n_bits);
                     pairs.values[i] = i;
                 });
}

#endif

template <class Code>
View<const Code> sort_codes(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                            int n_bits) {
    std::size_t n = input.boxes.size;
    Pairs<Code> pairs{scratch.take<Code>(n), tree.order};
    Pairs<Code> spare{scratch.take<Code>(n), scratch.take<std::uint32_t>(n)};
    write_codes<Code>(scratch.stream(), input.boxes, tree.header, n_bits, pairs);
    auto sorted = sort_pairs(scratch, pairs, spare, 0, n_bits + 1);
    tree.order = sorted.values;
    return sorted.keys;
}

}  // namespace

CurveOrder sort_along_curve(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                            CodeBits bits) {
    unite_centers(scratch.stream(), input.boxes, tree.header);
    CurveOrder order;
    bool few = bits == CodeBits::automatic && input.boxes.size <= kFewPrimitives;
    if (bits == CodeBits::bits63)
        order.codes63 = sort_codes<std::uint64_t>(scratch, input, tree, 63);
    else
        order.codes30 = sort_codes<std::uint32_t>(scratch, input, tree, few ? 23 : 30);
    return order;
}

TL_DEVICE_END
