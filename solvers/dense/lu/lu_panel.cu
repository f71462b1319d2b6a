// A cluster of up to 16 blocks has the panel: every thread a row, or a few, of which it keeps kCols
// columns in registers while they are eliminated. Rows do not move until the end; a thread whose
// row was chosen only remembers the step. A column costs one barrier of the block, to find its best
// candidate, which it writes, with the whole row, into the shared memory of all blocks, and one
// barrier of the cluster, after which every thread chooses among the blocks' candidates and
// eliminates. The panel's further columns lie in the L2 cache and are updated after every kCols.
#include "solvers/dense/lu/lu_panel.h"

#include <cooperative_groups.h>

#include "accel/parallel/cuda_check.h"
#include "accel/parallel/warp.h"

namespace tl::cuda {
namespace {

constexpr int kMostBlocks = 16;
constexpr int kMostThreads = 1024;

// Parts of the cluster, which older GPUs do not have.
__device__ __forceinline__ int cluster_rank() {
#if __CUDA_ARCH__ >= 900
    return static_cast<int>(cooperative_groups::this_cluster().block_rank());
#else
    return 0;
#endif
}
/// All threads of the cluster; what they wrote before is then visible to all.
__device__ __forceinline__ void cluster_sync() {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#endif
}
/// The same variable of another block's shared memory.
template <class V>
__device__ __forceinline__ V* in_block(V* shared, int rank) {
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(shared, rank);
#else
    return shared;
#endif
}

/// A candidate's size as an unsigned number that grows with it; 0: there is none. NaN, which only
/// an overflow makes, is the largest.
struct Key {
    std::uint32_t high, low;
    std::uint32_t row;

    __device__ static Key none() { return {0, 0, 0xffffffffu}; }
    __device__ static Key of(double value, int row) {
        std::uint64_t bits =
            (static_cast<std::uint64_t>(__double_as_longlong(value)) & 0x7fffffffffffffffull) + 1;
        return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits),
                static_cast<std::uint32_t>(row)};
    }
    __device__ static Key of(float value, int row) {
        return {(static_cast<std::uint32_t>(__float_as_int(value)) & 0x7fffffffu) + 1, 0,
                static_cast<std::uint32_t>(row)};
    }
    __device__ bool operator>(const Key& other) const {
        return high > other.high || (high == other.high && low > other.low);
    }
    [[nodiscard]] __device__ bool empty() const { return high == 0 && low == 0; }
};

/// The largest key of a warp, the upper row of equals, in every lane.
template <class T>
__device__ __forceinline__ Key warp_best(Key key) {
    Key best;
    best.high = warp_maximum(key.high);
    bool among = key.high == best.high;
    best.low = 0;
    if constexpr (sizeof(T) == 8) {
        best.low = warp_maximum(among ? key.low : 0u);
        among = among && key.low == best.low;
    }
    best.row = warp_minimum(among ? key.row : 0xffffffffu);
    return best;
}

/// A block's candidate with its row, from the column that is eliminated on.
template <class T, int kCols>
struct alignas(16) Offer {
    T row[kCols];
    T reciprocal;
    Key key;
};

template <class T, int kCols>
struct PanelShared {
    Offer<T, kCols> offers[2][kMostBlocks];
    Offer<T, kCols> own;
    Key warp_keys[2][kMostThreads / 32];
    T square[kCols][kCols];  ///< the chosen rows of kCols columns
    union {
        T beside[kMostLeaf][kCols];  ///< U of the panel's further columns
        T moved[kCols / 2][2 * kMostLeaf];
    };
    int pivots[kMostLeaf];  ///< the row chosen in each step
    int row_at[kMostLeaf], place[kMostLeaf];
};

template <class T>
struct PanelTask {
    MatrixView<T> a;  ///< the panel's rows and columns
    RowMoves moves;
    int first;
    int* swaps;
    T least_reciprocal;  ///< smaller pivots divide, since their reciprocals may be infinite
    int n_blocks;        ///< of the cluster
};

constexpr int kActive = -1, kAbsent = -2;

/// The LAPACK exchange of a step: only rows of the panel's square ever make room for others.
template <class Shared>
__device__ void note_exchange(Shared& s, int k, int chosen, int width, int* swaps, int first) {
    int p = chosen < width ? s.place[chosen] : chosen, moved = s.row_at[k];
    s.place[moved] = p;
    if (p < width) s.row_at[p] = moved;
    if (chosen < width) s.place[chosen] = -1;
    swaps[k] = first + p;
}

template <class T, int kCols, int kRows>
struct Panel {
    using Shared = PanelShared<T, kCols>;
    const PanelTask<T>& task;
    Shared& s;
    int rank, thread, n_threads, width;
    T v[kRows][kCols];
    int step_of[kRows];  ///< in which step the row was chosen, kActive or kAbsent

    __device__ Panel(const PanelTask<T>& task, Shared& s)
        : task(task),
          s(s),
          rank(cluster_rank()),
          thread(static_cast<int>(threadIdx.x)),
          n_threads(static_cast<int>(blockDim.x)),
          width(task.a.cols) {}

    [[nodiscard]] __device__ int row_of(int q) const {
        return (q * task.n_blocks + rank) * n_threads + thread;
    }
    /// Which of the threads that have the fewest rows keeps the book.
    [[nodiscard]] __device__ bool keeps_book() const {
        return rank == task.n_blocks - 1 && thread == n_threads - 1;
    }

    __device__ void run() {
        for (int q = 0; q < kRows; ++q) step_of[q] = row_of(q) < task.a.rows ? kActive : kAbsent;
        if (keeps_book())
            for (int k = 0; k < width; ++k) s.row_at[k] = s.place[k] = k;
        sync_all();  // no block writes to the memory of one that has not started
        for (int column = 0; column < width; column += kCols) {
            load(column);
            int end = column + kCols < width ? column + kCols : width;
            // Not unrolled: instructions that are executed once would have to be fetched from
            // memory.
#pragma unroll 1
            for (int k = column; k < end; ++k) eliminate(k, end);
            if (end < width) update(column);
        }
        move();
        sync_all();  // nor to that of one that has ended
    }

    __device__ void load(int column) {
#pragma unroll
        for (int q = 0; q < kRows; ++q)
#pragma unroll
            for (int j = 0; j < kCols; ++j)
                v[q][j] = step_of[q] != kAbsent && column + j < width
                              ? task.a(row_of(q), column + j)
                              : T(0);
    }

    /// All threads of the cluster, or of the only block.
    __device__ __forceinline__ void sync_all() const {
        if (task.n_blocks == 1)
            __syncthreads();
        else
            cluster_sync();
    }

    /// Column k is the first in registers, and those after it move up by one. Multipliers go to
    /// memory at once, and the chosen row when it is chosen.
    __device__ __forceinline__ void eliminate(int k, int end) {
        int lane = thread % 32, warp = thread / 32, n_warps = n_threads / 32;
        Key key = Key::none();
#pragma unroll
        for (int q = 0; q < kRows; ++q)
            if (step_of[q] == kActive) {
                Key own = Key::of(v[q][0], row_of(q));
                if (own > key) key = own;
            }
        key = warp_best<T>(key);
        int parity = k % 2;
        if (lane == 0) s.warp_keys[parity][warp] = key;
        __syncthreads();
        key = warp_best<T>(lane < n_warps ? s.warp_keys[parity][lane] : Key::none());
        offer(key, lane, warp, parity);
        sync_all();
        int winner = 0;
        Key best = key;
        if (task.n_blocks > 1) {
            Key theirs = lane < task.n_blocks ? s.offers[parity][lane].key : Key::none();
            best = warp_best<T>(theirs);
            unsigned winners = __ballot_sync(kWholeWarp, !theirs.empty() && theirs.row == best.row);
            winner = __ffs(static_cast<int>(winners)) - 1;
        }
        const auto& chosen = s.offers[parity][winner];
        T pivot = chosen.row[0];
        bool divides = !(pivot >= task.least_reciprocal || -pivot >= task.least_reciprocal);
#pragma unroll
        for (int q = 0; q < kRows; ++q) {
            if (step_of[q] != kActive) continue;
            T* to = &task.a(row_of(q), k);
            if (row_of(q) == static_cast<int>(best.row)) {
                step_of[q] = k;
#pragma unroll
                for (int j = 0; j < kCols; ++j)
                    if (k + j < end) to[static_cast<std::size_t>(j) * task.a.stride] = v[q][j];
                continue;
            }
            T l = v[q][0];
            if (pivot != T(0)) l = divides ? l / pivot : l * chosen.reciprocal;
            *to = l;
#pragma unroll
            for (int j = 1; j < kCols; ++j) v[q][j - 1] = v[q][j] - l * chosen.row[j];
            v[q][kCols - 1] = T(0);
        }
        if (thread == 0) s.pivots[k] = static_cast<int>(best.row);
        if (keeps_book())
            note_exchange(s, k, static_cast<int>(best.row), width, task.swaps, task.first);
    }

    /// The warp that has the block's candidate writes it to all blocks.
    __device__ __forceinline__ void offer(Key key, int lane, int warp, int parity) {
        int owner = key.empty() ? 0 : static_cast<int>(key.row) % n_threads;
        if (warp != owner / 32) return;
        if (lane == owner % 32) {
            T pivot = T(1);
#pragma unroll
            for (int q = 0; q < kRows; ++q)
                if (row_of(q) == static_cast<int>(key.row)) {
                    pivot = v[q][0];
#pragma unroll
                    for (int j = 0; j < kCols; ++j) s.own.row[j] = v[q][j];
                }
            s.own.reciprocal = T(1) / pivot;
            s.own.key = key;
        }
        __syncwarp();
        constexpr int kParts = static_cast<int>(sizeof(Offer<T, kCols>) / sizeof(uint4));
        const auto* from = reinterpret_cast<const uint4*>(&s.own);
        auto* to = reinterpret_cast<uint4*>(&s.offers[parity][rank]);
        for (int e = lane; e < kParts * task.n_blocks; e += 32)
            in_block(to, e / kParts)[e % kParts] = from[e % kParts];
    }

    /// Eliminates the kCols columns from `column` from the panel's columns at their right.
    __device__ void update(int column) {
        int right = column + kCols, n = width - right;
        // The chosen rows are in memory.
        sync_all();
        for (int e = thread; e < kCols * kCols; e += n_threads) {
            int i = e / kCols, k = e % kCols;
            s.square[i][k] = __ldcg(&task.a(s.pivots[column + i], column + k));
        }
        __syncthreads();
        for (int j = thread; j < n; j += n_threads) {
            T x[kCols];
#pragma unroll
            for (int k = 0; k < kCols; ++k) x[k] = __ldcg(&task.a(s.pivots[column + k], right + j));
#pragma unroll
            for (int k = 0; k < kCols; ++k)
#pragma unroll
                for (int i = k + 1; i < kCols; ++i) x[i] -= s.square[i][k] * x[k];
#pragma unroll
            for (int k = 0; k < kCols; ++k) s.beside[j][k] = x[k];
        }
        // All blocks have read the chosen rows before their threads overwrite them.
        sync_all();
        load(column);
#pragma unroll
        for (int q = 0; q < kRows; ++q) {
            T* to = &task.a(row_of(q), right);
            auto stride = static_cast<std::size_t>(task.a.stride);
            if (step_of[q] == kActive) {
#pragma unroll 4
                for (int j = 0; j < n; ++j) {
                    T value = to[j * stride];
#pragma unroll
                    for (int k = 0; k < kCols; ++k) value -= v[q][k] * s.beside[j][k];
                    to[j * stride] = value;
                }
            } else if (step_of[q] >= column) {
                for (int j = 0; j < n; ++j) to[j * stride] = s.beside[j][step_of[q] - column];
            }
        }
    }

    /// Writes the moves, and moves the rows of the panel: each block has some columns.
    __device__ void move() {
        int *to = task.moves.to_of(task.first), *from = task.moves.from_of(task.first);
        __syncthreads();
        if (rank == task.n_blocks - 1)
            for (int e = thread; e < width; e += n_threads) {
                to[e] = task.first + e;
                from[e] = task.first + s.pivots[e];
                to[width + e] = s.place[e] < 0 ? -1 : task.first + s.place[e];
                from[width + e] = task.first + e;
            }
        sync_all();
        constexpr int kAtOnce = kCols / 2;
        for (int j = rank; j < width; j += kAtOnce * task.n_blocks) {
            for (int e = thread; e < 2 * width; e += n_threads) {
                if (__ldcg(to + e) < 0) continue;
                int row = __ldcg(from + e) - task.first;
#pragma unroll
                for (int c = 0; c < kAtOnce; ++c)
                    if (j + c * task.n_blocks < width)
                        s.moved[c][e] = __ldcg(&task.a(row, j + c * task.n_blocks));
            }
            __syncthreads();
            for (int e = thread; e < 2 * width; e += n_threads) {
                int row = __ldcg(to + e) - task.first;
                if (row < 0) continue;
#pragma unroll
                for (int c = 0; c < kAtOnce; ++c)
                    if (j + c * task.n_blocks < width)
                        task.a(row, j + c * task.n_blocks) = s.moved[c][e];
            }
            __syncthreads();
        }
    }
};

/// kThreads: the most that a block may have; fewer leave more registers to each.
template <class T, int kCols, int kRows, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) panel_kernel(const PanelTask<T> task) {
    __shared__ PanelShared<T, kCols> shared;
    Panel<T, kCols, kRows>(task, shared).run();
}

cudaLaunchConfig_t configured(int n_blocks, int n_threads, cudaStream_t stream,
                              cudaLaunchAttribute& cluster) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(n_blocks);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(n_blocks));
    config.blockDim = dim3(static_cast<unsigned>(n_threads));
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return config;
}

/// The largest cluster of whole multiprocessors that the GPU can run; 0: none.
template <class T, int kCols, int kRows, int kThreads>
int most_blocks() {
    static const int most = [] {
        int device = 0, major = 0;
        TL_CUDA_CHECK(cudaGetDevice(&device));
        TL_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        if (major < 9) return 0;
        auto* kernel = panel_kernel<T, kCols, kRows, kThreads>;
        TL_CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        for (int n = kMostBlocks; n > 1; n /= 2) {
            cudaLaunchAttribute cluster;
            auto config = configured(n, kThreads, nullptr, cluster);
            int n_clusters = 0;
            if (cudaOccupancyMaxActiveClusters(&n_clusters, kernel, &config) == cudaSuccess &&
                n_clusters > 0)
                return n;
            (void)cudaGetLastError();
        }
        return 1;
    }();
    return most;
}

template <class T, int kCols, int kRows, int kThreads>
bool launch_panel(Stream& stream, PanelTask<T> task) {
    int most = most_blocks<T, kCols, kRows, kThreads>(), rows = task.a.rows;
    if (most == 0 || rows > most * kThreads * kRows) return false;
    // Few warps a block keep its barriers short; few blocks those of the cluster.
    constexpr int kGoodThreads = 256;
    int n_blocks = 1;
    while (n_blocks < most && n_blocks * kGoodThreads * kRows < rows) n_blocks *= 2;
    int per_block = (rows + n_blocks * kRows - 1) / (n_blocks * kRows);
    task.n_blocks = n_blocks;
    cudaLaunchAttribute cluster;
    auto config = configured(n_blocks, (per_block + 31) / 32 * 32,
                             static_cast<cudaStream_t>(stream.native()), cluster);
    TL_CUDA_CHECK(cudaLaunchKernelEx(&config, panel_kernel<T, kCols, kRows, kThreads>, task));
    return true;
}

}  // namespace

template <class T>
bool factorise_in_cluster(Stream& stream, MatrixView<T> a, View<int> swaps, RowMoves moves,
                          int first) {
    // 32 registers have a thread's part of the panel.
    constexpr int kCols = 128 / static_cast<int>(sizeof(T));
    constexpr T kLeastReciprocal = sizeof(T) == 8 ? T(1e-307) : T(5e-38f);
    int width = moves.width(first);
    PanelTask<T> task{a.block(first, first, a.rows - first, width),
                      moves,
                      first,
                      swaps.data + first,
                      kLeastReciprocal,
                      1};
    constexpr int kFew = kMostThreads / 2;
    return launch_panel<T, kCols, 1, kFew>(stream, task) ||
           launch_panel<T, kCols, 1, kMostThreads>(stream, task) ||
           launch_panel<T, kCols / 2, 2, kMostThreads>(stream, task) ||
           launch_panel<T, kCols / 4, 4, kMostThreads>(stream, task);
}

template bool factorise_in_cluster(Stream&, MatrixView<float>, View<int>, RowMoves, int);
template bool factorise_in_cluster(Stream&, MatrixView<double>, View<int>, RowMoves, int);

}  // namespace tl::cuda
