// A block has a tile of C in registers. Slices of A and B, kDepth columns and rows, come into
// shared memory by asynchronous copies, some slices ahead of the one that is multiplied; both lie
// there with neighbouring elements along the tile's edge, whichever way the matrices do. Floats are
// multiplied thread by thread, 8 x 8 elements each; doubles, and floats in TF32, by tensor cores,
// whose fragments are read without bank conflicts, since rows are 4 (8) elements longer, and while
// the ones before are multiplied. On compute capability 9.0 large products in TF32 are those of
// wide_product.h.
#include "solvers/dense/matmul/tile_product.h"

#include <algorithm>
#include <cstdint>

#include "core/device/cuda_check.h"
#include "solvers/dense/matmul/tile_order.h"
#include "solvers/dense/matmul/wide_product.h"
#include "solvers/dense/matrix_kernels.h"

namespace tl::cuda {
namespace {

/// op(A), or op(B) with its columns along the tile: element (i, k) is data[i * along + k * across].
template <class T>
struct Operand {
    const T* data;
    std::size_t along, across;
    int extent, depth;
    bool vectors;  ///< neighbours along the tile may be copied 16 bytes at a time
};

/// Copies kBytes, of which those past `valid` become zero.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* shared, const void* from, int valid) {
#if __CUDA_ARCH__ >= 800
    auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    if constexpr (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(valid)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from),
                     "n"(kBytes), "r"(valid)
                     : "memory");
#endif
}
__device__ __forceinline__ void end_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups of copies but the newest kLeft.
template <int kLeft>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#endif
}

/// Adds the product of a 16 x 8 and an 8 x 8 matrix to a 16 x 8 one, by tensor cores. Lane 4 g + t
/// has rows g and g + 8 of A and C, and column g of B. It has columns t and t + 4 of A, rows t and
/// t + 4 of B, and columns 2 t and 2 t + 1 of C.
__device__ __forceinline__ void multiply_fragments(double (&c)[4], const double (&a)[4],
                                                   const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}
__device__ __forceinline__ std::uint32_t rounded_to_tf32(float value) {
    std::uint32_t bits = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
#endif
    return bits;
}
__device__ __forceinline__ void multiply_fragments(float (&c)[4], const std::uint32_t (&a)[4],
                                                   const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/// Converts elements to the type of fragments.
__device__ __forceinline__ double as_fragment(double value) {
    return value;
}
__device__ __forceinline__ std::uint32_t as_fragment(float value) {
    return rounded_to_tf32(value);
}

constexpr int kTileEdge = 128;

/// Multiplies slices by tensor cores, in a warp: kM x kN fragments of 16 x 8.
template <class Number, int kM, int kN, int kSlices>
struct ByTensorCores {
    using T = Number;
    using Fragment = std::conditional_t<sizeof(T) == 8, double, std::uint32_t>;
    static constexpr int kWarpsAcross = kTileEdge / (8 * kN);
    static constexpr int kThreads = 32 * kWarpsAcross * (kTileEdge / (16 * kM));
    static constexpr int kDepth = 128 / static_cast<int>(sizeof(T));
    static constexpr int kStages = kSlices;
    static constexpr int kStride = kTileEdge + (sizeof(T) == 8 ? 4 : 8);

    T sums[kM][kN][4] = {};
    Fragment of_a[2][kM][4], of_b[2][kN][2];  ///< fragments of the newest two eights of the depth
    int row, col;                             ///< position of the lane's first element of C

    __device__ explicit ByTensorCores(int thread) {
        int warp = thread / 32, lane = thread % 32;
        row = warp / kWarpsAcross * (16 * kM) + lane / 4;
        col = warp % kWarpsAcross * (8 * kN) + lane % 4 * 2;
    }
    /// Reads the fragments of eight columns of A and rows of B, from k of a slice on.
    __device__ __forceinline__ void read(const T* a, int k, int lane) {
        const T* b = a + kDepth * kStride;
        int t = lane % 4, b_col = col - 2 * t + lane / 4, to = k / 8 % 2;
#pragma unroll
        for (int m = 0; m < kM; ++m)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                of_a[to][m][e] =
                    as_fragment(a[(k + t + e / 2 * 4) * kStride + row + m * 16 + e % 2 * 8]);
#pragma unroll
        for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = 0; e < 2; ++e)
                of_b[to][n][e] = as_fragment(b[(k + t + e * 4) * kStride + b_col + n * 8]);
    }
    __device__ __forceinline__ void begin(const T* slice, int lane) {
        read(slice, 0, lane);
    }
    /// Multiplies by a slice. `next` waits for the one after it, and returns it.
    template <class Next>
    __device__ __forceinline__ void multiply(const T* slice, int lane, Next next) {
#pragma unroll
        for (int k = 0; k < kDepth; k += 8) {
            if (k + 8 < kDepth)
                read(slice, k + 8, lane);
            else
                read(next(), 0, lane);
#pragma unroll
            for (int m = 0; m < kM; ++m)
#pragma unroll
                for (int n = 0; n < kN; ++n)
                    multiply_fragments(sums[m][n], of_a[k / 8 % 2][m], of_b[k / 8 % 2][n]);
        }
    }
    /// Calls op(row, column, sum) for the lane's elements.
    template <class Op>
    __device__ __forceinline__ void for_each(Op op) const {
#pragma unroll
        for (int m = 0; m < kM; ++m)
#pragma unroll
            for (int n = 0; n < kN; ++n)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    op(row + m * 16 + e / 2 * 8, col + n * 8 + e % 2, sums[m][n][e]);
    }
};

/// Multiplies slices of floats, in a thread. Its rows and columns are in groups of four, so that a
/// warp reads a slice's row at once.
struct ByThreads {
    using T = float;
    static constexpr int kThreads = 256;
    static constexpr int kDepth = 16;
    static constexpr int kStages = 3;
    static constexpr int kStride = kTileEdge + 4;

    float sums[8][8] = {};
    int row, col;

    __device__ explicit ByThreads(int thread) {
        int warp = thread / 32, lane = thread % 32;
        row = warp % 4 * 32 + lane / 8 * 4;
        col = warp / 4 * 64 + lane % 8 * 4;
    }
    __device__ __forceinline__ void begin(const float* /*slice*/, int /*lane*/) {}
    template <class Next>
    __device__ __forceinline__ void multiply(const float* a, int /*lane*/, Next next) {
        const float* b = a + kDepth * kStride;
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float of_a[8], of_b[8];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                auto four_a = *reinterpret_cast<const float4*>(a + k * kStride + row + half * 16);
                auto four_b = *reinterpret_cast<const float4*>(b + k * kStride + col + half * 32);
                of_a[half * 4] = four_a.x, of_a[half * 4 + 1] = four_a.y;
                of_a[half * 4 + 2] = four_a.z, of_a[half * 4 + 3] = four_a.w;
                of_b[half * 4] = four_b.x, of_b[half * 4 + 1] = four_b.y;
                of_b[half * 4 + 2] = four_b.z, of_b[half * 4 + 3] = four_b.w;
            }
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int i = 0; i < 8; ++i) sums[i][j] += of_a[i] * of_b[j];
        }
        next();
    }
    template <class Op>
    __device__ __forceinline__ void for_each(Op op) const {
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int i = 0; i < 8; ++i)
                op(row + i / 4 * 16 + i % 4, col + j / 4 * 32 + j % 4, sums[i][j]);
    }
};

/// Starts copying the slice of an operand whose first element is (first, k0).
template <class Method>
__device__ __forceinline__ void load_slice(const Operand<typename Method::T>& from, int first,
                                           int k0, typename Method::T* to, int thread) {
    using T = typename Method::T;
    constexpr int kElements = kTileEdge * Method::kDepth;
    if (from.vectors) {
        constexpr int kEach = 16 / static_cast<int>(sizeof(T)), kAcross = kTileEdge / kEach;
#pragma unroll
        for (int e = thread; e < kElements / kEach; e += Method::kThreads) {
            int i = e % kAcross * kEach, k = e / kAcross;
            int left = from.extent - first - i;
            int valid = k0 + k >= from.depth || left < 0 ? 0 : left < kEach ? left : kEach;
            const T* source = from.data;
            if (valid > 0) source += first + i + static_cast<std::size_t>(k0 + k) * from.across;
            copy_async<16>(to + k * Method::kStride + i, source,
                           valid * static_cast<int>(sizeof(T)));
        }
        return;
    }
    // If columns are contiguous along the depth, a warp copies four neighbouring elements of eight
    // columns, which go to different banks.
    constexpr int kSteps = Method::kDepth / 4;
    bool by_depth = from.across == 1;
#pragma unroll 4
    for (int e = thread; e < kElements; e += Method::kThreads) {
        int i = by_depth ? e / (32 * kSteps) * 8 + e % 32 / 4 : e % kTileEdge;
        int k = by_depth ? e / 32 % kSteps * 4 + e % 4 : e / kTileEdge;
        bool valid = first + i < from.extent && k0 + k < from.depth;
        const T* source = from.data;
        if (valid)
            source += static_cast<std::size_t>(first + i) * from.along +
                      static_cast<std::size_t>(k0 + k) * from.across;
        copy_async<sizeof(T)>(to + k * Method::kStride + i, source,
                              valid ? static_cast<int>(sizeof(T)) : 0);
    }
}

template <class T>
struct ProductTask {
    Operand<T> a, b;
    MatrixView<T> c;
    T alpha, beta;
    int n_tile_rows, n_tile_cols;
};

template <class Method>
__device__ void multiply_block(const ProductTask<typename Method::T>& task,
                               typename Method::T* memory, int block, int thread) {
    using T = typename Method::T;
    constexpr int kSlice = Method::kDepth * Method::kStride, kStages = Method::kStages;
    int tile_row = 0, tile_col = 0;
    place_tile<8>(block, task.n_tile_rows, task.n_tile_cols, tile_row, tile_col);
    int first_row = tile_row * kTileEdge, first_col = tile_col * kTileEdge;
    int n_slices = (task.a.depth + Method::kDepth - 1) / Method::kDepth;
    auto load = [&](int slice) {
        if (slice < n_slices) {
            T* to = memory + slice % kStages * 2 * kSlice;
            load_slice<Method>(task.a, first_row, slice * Method::kDepth, to, thread);
            load_slice<Method>(task.b, first_col, slice * Method::kDepth, to + kSlice, thread);
        }
        end_copies();
    };
    Method method(thread);
    for (int slice = 0; slice < kStages - 1; ++slice) load(slice);
    auto ready = [&](int slice) {
        wait_for_copies<kStages - 2>();
        // The slice has arrived, and all threads have read the one before it.
        __syncthreads();
        return memory + slice % kStages * 2 * kSlice;
    };
    const T* from = ready(0);
    method.begin(from, thread % 32);
    for (int slice = 0; slice < n_slices; ++slice) {
        load(slice + kStages - 1);
        const T* here = from;
        method.multiply(here, thread % 32, [&] { return from = ready(slice + 1); });
    }
    method.for_each([&](int i, int j, T sum) {
        int row = first_row + i, col = first_col + j;
        if (row >= task.c.rows || col >= task.c.cols) return;
        T& to = task.c(row, col);
        to = task.beta == T(0) ? task.alpha * sum : task.alpha * sum + task.beta * to;
    });
}

/// kBlocks of them fit on a multiprocessor.
template <class Method, int kBlocks>
__global__ void __launch_bounds__(Method::kThreads, kBlocks)
    product_kernel(const ProductTask<typename Method::T> task) {
    extern __shared__ __align__(16) unsigned char product_memory[];
    multiply_block<Method>(task, reinterpret_cast<typename Method::T*>(product_memory),
                           static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

template <class T>
Operand<T> operand(MatrixView<const T> m, bool transposed) {
    auto stride = static_cast<std::size_t>(m.stride);
    Operand<T> result{m.data,
                      transposed ? stride : 1,
                      transposed ? 1 : stride,
                      transposed ? m.cols : m.rows,
                      transposed ? m.rows : m.cols,
                      false};
    result.vectors = !transposed && reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
                     stride * sizeof(T) % 16 == 0;
    return result;
}

/// The operand or, if its elements could only be copied one by one, `copy` of it, whose columns lie
/// along the tile and are aligned. Each element is used in `other_extent` products, so the copy
/// costs only a few bytes per product.
template <class T>
Operand<T> aligned_operand(Stream& stream, MatrixView<const T> m, bool transposed, int other_extent,
                           Matrix<T>& copy) {
    auto direct = operand(m, transposed);
    constexpr int kWorth = 512;
    if (direct.vectors || other_extent < kWorth || m.empty()) return direct;
    copy = Matrix<T>(stream, (direct.extent + 3) / 4 * 4, direct.depth);
    auto to = copy.view().block(0, 0, direct.extent, direct.depth);
    if (transposed)
        transpose_matrix<T>(stream, m, to);
    else
        copy_matrix<T>(stream, m, to);
    return operand<T>(to, false);
}

void require_compute_8(const Device& gpu) {
    int major = 0;
    TL_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu.index()));
    if (major < 8)
        throw UserError("matmul: this GPU is older than compute capability 8.0; use mode cublas");
}

template <class Method, int kBlocks, class T>
void launch_product(Stream& stream, Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                    MatrixView<const T> b, T beta, MatrixView<T> c) {
    if (c.empty()) return;
    require_compute_8(stream.device());
    auto tiles = [](int n) { return (n + kTileEdge - 1) / kTileEdge; };
    Matrix<T> copy_of_a, copy_of_b;
    ProductTask<T> task{aligned_operand(stream, a, op_a == Transpose::yes, c.cols, copy_of_a),
                        aligned_operand(stream, b, op_b == Transpose::no, c.rows, copy_of_b),
                        c,
                        alpha,
                        beta,
                        tiles(c.rows),
                        tiles(c.cols)};
    constexpr int kBytes =
        Method::kStages * 2 * Method::kDepth * Method::kStride * static_cast<int>(sizeof(T));
    auto* kernel = product_kernel<Method, kBlocks>;
    stream.device().make_current();
    TL_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    kernel<<<static_cast<unsigned>(task.n_tile_rows) * static_cast<unsigned>(task.n_tile_cols),
             Method::kThreads, kBytes, static_cast<cudaStream_t>(stream.native())>>>(task);
    TL_CUDA_CHECK_LAUNCH("product of tiles");
}

}  // namespace

template <>
void multiply_by_tiles(Stream& stream, Transpose op_a, Transpose op_b, float alpha,
                       MatrixView<const float> a, MatrixView<const float> b, float beta,
                       MatrixView<float> c) {
    launch_product<ByThreads, 2>(stream, op_a, op_b, alpha, a, b, beta, c);
}
template <>
void multiply_by_tiles(Stream& stream, Transpose op_a, Transpose op_b, double alpha,
                       MatrixView<const double> a, MatrixView<const double> b, double beta,
                       MatrixView<double> c) {
    launch_product<ByTensorCores<double, 2, 8, 4>, 1>(stream, op_a, op_b, alpha, a, b, beta, c);
}
void multiply_tf32(Stream& stream, Transpose op_a, Transpose op_b, float alpha,
                   MatrixView<const float> a, MatrixView<const float> b, float beta,
                   MatrixView<float> c) {
    auto left = operand(a, op_a == Transpose::yes), right = operand(b, op_b == Transpose::no);
    stream.device().make_current();
    if (!suits_wide_product(c.rows, c.cols, left.depth))
        return launch_product<ByTensorCores<float, 4, 8, 3>, 2>(stream, op_a, op_b, alpha, a, b,
                                                                beta, c);
    DeviceArray<float> copies(stream, wide_product_floats(c.rows, c.cols, left.depth));
    auto wide = [](const Operand<float>& o) {
        return WideOperand{o.data, o.along, o.across, o.extent, o.depth};
    };
    TL_CUDA_CHECK(multiply_wide(
        static_cast<cudaStream_t>(stream.native()), wide(left), wide(right), copies.data(),
        {c.data, static_cast<std::size_t>(c.stride), c.rows, c.cols, alpha, beta}));
}

}  // namespace tl::cuda
