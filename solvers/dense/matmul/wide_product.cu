// Each block of two warpgroups has a tile of C in registers. Rows of slices of A and B lie along
// the depth and are rounded to TF32 already. Asynchronous copies load slices into shared memory,
// two ahead of the one that the tensor cores read there (wgmma). A row of a slice is 128 bytes. Its
// eight pieces are permuted by the row's number, and the tensor cores undo this (128-byte swizzle),
// so that no two lanes access the same bank.
#include "solvers/dense/matmul/wide_product.h"

#include <cstdint>

#include "solvers/dense/matmul/tile_order.h"

namespace tl::cuda {
namespace {

constexpr int kRows = 128, kCols = 256, kDepth = 32;  // sizes of a tile, depth of a slice
constexpr int kThreads = 256, kStages = 4, kAhead = 2;
constexpr int kRowBytes = kDepth * 4, kSliceBytes = (kRows + kCols) * kRowBytes;
constexpr int kAtom = 8 * kRowBytes;  // eight rows, the period of the swizzle
constexpr int kSums = kRows * kCols / kThreads;
static_assert(kSums == 128 && kDepth * 4 == 128, "as the instruction has them");

__host__ __device__ constexpr int padded(int n, int to) {
    return (n + to - 1) / to * to;
}

__device__ __forceinline__ float rounded_to_tf32(float value) {
    std::uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

/// Copies an operand to rows along the depth, rounded, with zeros up to whole tiles. Blocks of 32 x
/// 32 elements are read along the contiguous direction.
__global__ void __launch_bounds__(256) round_operand(const WideOperand from, float* to) {
    __shared__ float square[32][33];
    int i0 = static_cast<int>(blockIdx.y) * 32, k0 = static_cast<int>(blockIdx.x) * 32;
    int x = static_cast<int>(threadIdx.x) % 32, y = static_cast<int>(threadIdx.x) / 32;
    bool by_depth = from.across == 1;
#pragma unroll
    for (int step = 0; step < 32; step += 8) {
        int i = by_depth ? y + step : x, k = by_depth ? x : y + step;
        float value = 0;
        if (i0 + i < from.extent && k0 + k < from.depth)
            value = from.data[static_cast<std::size_t>(i0 + i) * from.along +
                              static_cast<std::size_t>(k0 + k) * from.across];
        square[i][k] = rounded_to_tf32(value);
    }
    __syncthreads();
    std::size_t pitch = static_cast<std::size_t>(gridDim.x) * 32;
#pragma unroll
    for (int step = 0; step < 32; step += 8)
        to[(i0 + y + step) * pitch + k0 + x] = square[y + step][x];
}

__device__ __forceinline__ void copy_async(std::uint32_t to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// Shared-memory descriptor of a slice's matrix for wgmma: address and distance of atoms in units
/// of 16 bytes, and the kind of swizzle.
__device__ __forceinline__ std::uint64_t matrix_at(std::uint32_t address) {
    constexpr std::uint64_t kPermuted = 1ull << 62, kUnused = 1ull << 16;
    return (address & 0x3FFFF) / 16 | kUnused | std::uint64_t(kAtom / 16) << 32 | kPermuted;
}

#define TL_SUMS_8(i)                                                                           \
    "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
        "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define TL_SUMS_32(i) TL_SUMS_8(i), TL_SUMS_8(i + 8), TL_SUMS_8(i + 16), TL_SUMS_8(i + 24)

/// A warpgroup's 64 x 256 sums gain a 64 x 8 matrix times a 256 x 8 one, transposed.
__device__ __forceinline__ void multiply_add(float (&sums)[kSums], std::uint64_t a,
                                             std::uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
        "%127}, "
        "%128, %129, 1, 1, 1;"
        : TL_SUMS_32(0), TL_SUMS_32(32), TL_SUMS_32(64), TL_SUMS_32(96)
        : "l"(a), "l"(b));
}
#undef TL_SUMS_32
#undef TL_SUMS_8

/// Rows of A and of B, as round_operand() leaves them.
struct RoundedOperands {
    const float *a, *b;
    int depth;
};

__global__ void __launch_bounds__(kThreads, 1)
    wide_product_kernel(const RoundedOperands from, const WideResult c) {
    extern __shared__ unsigned char memory[];
    auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
    base = (base + kAtom - 1) / kAtom * kAtom;
    int tile_row = 0, tile_col = 0, thread = static_cast<int>(threadIdx.x);
    place_tile<16>(static_cast<int>(blockIdx.x), padded(c.rows, kRows) / kRows,
                   padded(c.cols, kCols) / kCols, tile_row, tile_col);
    int first_row = tile_row * kRows, first_col = tile_col * kCols;
    int n_slices = from.depth / kDepth;
    int copied_row = thread / 8, piece = thread % 8;
    auto load_rows = [&](const float* rows, std::uint32_t to, int n, int slice) {
#pragma unroll
        for (int row = copied_row; row < n; row += kThreads / 8)
            copy_async(
                to + row * kRowBytes + (piece ^ row % 8) * 16,
                rows + static_cast<std::size_t>(row) * from.depth + slice * kDepth + piece * 4);
    };
    const float* a = from.a + static_cast<std::size_t>(first_row) * from.depth;
    const float* b = from.b + static_cast<std::size_t>(first_col) * from.depth;
    auto load = [&](int slice) {
        if (slice < n_slices) {
            std::uint32_t to = base + slice % kStages * kSliceBytes;
            load_rows(a, to, kRows, slice);
            load_rows(b, to + kRows * kRowBytes, kCols, slice);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sums[kSums];
#pragma unroll
    for (float& sum : sums) sum = 0;
    int group = thread / 128;
    for (int slice = 0; slice < kAhead; ++slice) load(slice);
    for (int slice = 0; slice < n_slices; ++slice) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kAhead - 1) : "memory");
        // Makes this thread's copies visible to the tensor cores; then those of all threads.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        // Both warpgroups are done with the slice two before this one, whose buffer is reused.
        load(slice + kAhead);
        std::uint32_t at = base + slice % kStages * kSliceBytes;
        std::uint64_t rows = matrix_at(at + group * 64 * kRowBytes);
        std::uint64_t cols = matrix_at(at + kRows * kRowBytes);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < kDepth / 8; ++k) multiply_add(sums, rows + 2 * k, cols + 2 * k);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int lane = thread % 32;
    int row0 = first_row + group * 64 + thread % 128 / 32 * 16 + lane / 4;
    int col0 = first_col + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
        int row = row0 + i % 4 / 2 * 8, col = col0 + i / 4 * 8 + i % 2;
        if (row >= c.rows || col >= c.cols) continue;
        float& to = c.data[row + static_cast<std::size_t>(col) * c.stride];
        to = c.beta == 0 ? c.alpha * sums[i] : c.alpha * sums[i] + c.beta * to;
    }
}

}  // namespace

bool suits_wide_product(int rows, int cols, int depth) {
    if (rows < kRows || cols < kCols || depth < 2 * kDepth) return false;
    int device = 0, major = 0, minor = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) ==
               cudaSuccess &&
           major == 9 && minor == 0;
}

std::size_t wide_product_floats(int rows, int cols, int depth) {
    return static_cast<std::size_t>(padded(rows, kRows) + padded(cols, kCols)) *
           static_cast<std::size_t>(padded(depth, kDepth));
}

cudaError_t multiply_wide(cudaStream_t stream, const WideOperand& a, const WideOperand& b,
                          float* copies, const WideResult& c) {
    int depth = padded(a.depth, kDepth), rows = padded(c.rows, kRows), cols = padded(c.cols, kCols);
    auto blocks = [](int n) { return static_cast<unsigned>(n); };
    float* copy_of_b = copies + static_cast<std::size_t>(rows) * static_cast<std::size_t>(depth);
    round_operand<<<dim3(blocks(depth / 32), blocks(rows / 32)), 256, 0, stream>>>(a, copies);
    round_operand<<<dim3(blocks(depth / 32), blocks(cols / 32)), 256, 0, stream>>>(b, copy_of_b);
    constexpr int kBytes = kStages * kSliceBytes + kAtom;
    cudaError_t status = cudaFuncSetAttribute(wide_product_kernel,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
    if (status != cudaSuccess) return status;
    wide_product_kernel<<<blocks(rows / kRows) * blocks(cols / kCols), kThreads, kBytes, stream>>>(
        {copies, copy_of_b, depth}, c);
    return cudaGetLastError();
}

}  // namespace tl::cuda
