// Panel factorisation by a cluster of up to 16 blocks. Every thread has a row, or a few, of which
// it keeps kCols columns in registers while they are eliminated. Rows do not move until the end;
// the thread of a pivot row only records the step. A column costs one barrier of the block, to find
// its best candidate, and one exchange of candidates. Every thread then selects the pivot among
// them and eliminates. The panel's further columns are in shared memory, or in the L2 cache if the
// panel is too large, and are updated after every kCols.
#include "solvers/dense/lu/lu_panel.h"

#include "core/device/cuda_check.h"
#include "core/device/per_gpu.h"
#include "solvers/dense/lu/panel_exchange.h"

namespace tl::cuda {
namespace {

/// Few warps a block keep its barriers short.
constexpr int kGoodThreads = 64;

/// Between the columns of a tile, odd so that neighbours in a row lie in different banks.
__host__ __device__ constexpr int tile_stride(int n_threads) {
    return n_threads + 1;
}

/// kWarps: the most of a block.
template <class T, int kCols, int kWarps>
struct PanelShared {
    Offers<T, kCols, kWarps> offers;
    T square[kCols][kCols];  ///< the chosen rows of kCols columns
    union {
        /// U of the panel's further columns; neighbours begin in different banks.
        T beside[kMostLeaf][kCols + 16 / sizeof(T)];
        T moved[kCols / 2][2 * kMostLeaf];
    };
    int pivots[kMostLeaf];  ///< the row chosen in each step
    int row_at[kMostLeaf], place[kMostLeaf], swaps[kMostLeaf];
};

template <class T>
struct PanelTask {
    MatrixView<T> a;  ///< the panel's rows and columns
    RowMoves moves;
    int first;
    int* swaps;
    int n_blocks;  ///< blocks of the cluster, a power of two
};

constexpr int kActive = -1, kAbsent = -2;

/// The LAPACK exchange of a step: only rows of the panel's square are ever displaced.
template <class Shared>
__device__ void note_exchange(Shared& s, int k, int width) {
    int chosen = s.pivots[k];
    int p = chosen < width ? s.place[chosen] : chosen, moved = s.row_at[k];
    s.place[moved] = p;
    if (p < width) s.row_at[p] = moved;
    if (chosen < width) s.place[chosen] = -1;
    s.swaps[k] = p;
}

/// kTiled: the block's rows of the panel are in `tile`, column by column, until they are written to
/// their final rows. If not, they stay in the matrix, and move at the end.
template <class T, int kCols, int kRows, int kWarps, bool kTiled>
struct Panel {
    static_assert(!kTiled || kRows == 1);
    using Shared = PanelShared<T, kCols, kWarps>;
    const PanelTask<T>& task;
    Shared& s;
    T* tile;
    int rank, thread, n_threads, width;
    T v[kRows][kCols];
    int step_of[kRows];  ///< in which step the row was chosen, kActive or kAbsent

    __device__ Panel(const PanelTask<T>& task, Shared& s, T* tile)
        : task(task),
          s(s),
          tile(tile),
          rank(cluster_rank()),
          thread(static_cast<int>(threadIdx.x)),
          n_threads(static_cast<int>(blockDim.x)),
          width(task.a.cols) {}

    /// A tile has every n_blocks-th four rows (32 bytes of a column). So the panel's square, and
    /// the pivots of matrices that need no exchanges, are distributed over all blocks.
    [[nodiscard]] __device__ int row_of(int q) const {
        if constexpr (kTiled) return (thread / 4 * task.n_blocks + rank) * 4 + thread % 4;
        return (q * task.n_blocks + rank) * n_threads + thread;
    }
    /// Column j of a thread's row.
    [[nodiscard]] __device__ __forceinline__ T* at(int q, int j) const {
        if constexpr (kTiled) return tile + in_tile(thread, j);
        return &task.a(row_of(q), j);
    }
    [[nodiscard]] __device__ std::size_t stride() const {
        return kTiled ? static_cast<std::size_t>(tile_stride(n_threads))
                      : static_cast<std::size_t>(task.a.stride);
    }
    [[nodiscard]] __device__ int in_tile(int row, int j) const {
        return j * tile_stride(n_threads) + row;
    }

    __device__ void run() {
        for (int q = 0; q < kRows; ++q) step_of[q] = row_of(q) < task.a.rows ? kActive : kAbsent;
        for (int k = thread; k < width; k += n_threads) s.row_at[k] = s.place[k] = k;
        if (thread < 2) s.offers.inbox[thread].init();
        load_panel();
        sync_all();  // no block writes to the memory of one that has not started
        for (int column = 0; column < width; column += kCols) {
            if (!kTiled || column > 0) load(column);
            int end = column + kCols < width ? column + kCols : width;
            // Not unrolled: instructions that are executed once would have to be fetched from
            // memory.
#pragma unroll 1
            for (int k = column; k < end; ++k) eliminate(k, end);
            if (end < width) update(column);
        }
        if (thread == 0) note_exchange(s, width - 1, width);
        __syncthreads();
        // Nor does a block use the memory of one that has ended.
        if constexpr (kTiled) {
            if (task.n_blocks > 1) cluster_arrive();
            write_moves();
            write_rows();
            if (task.n_blocks > 1) cluster_wait();
        } else {
            write_moves();
            move_rows();
            sync_all();
        }
    }

    /// The first columns to registers, the others to the tile.
    __device__ __forceinline__ void load_panel() {
        if constexpr (kTiled) {
            bool present = step_of[0] == kActive;
            const T* from = &task.a(row_of(0), 0);
            auto stride = static_cast<std::size_t>(task.a.stride);
#pragma unroll
            for (int j = 0; j < kCols; ++j)
                v[0][j] = present && j < width ? from[j * stride] : T(0);
            if (present)
                for (int j = kCols; j < width; ++j) fetch(at(0, j), from + j * stride);
        }
    }

    __device__ __forceinline__ void load(int column) {
#pragma unroll
        for (int q = 0; q < kRows; ++q)
#pragma unroll
            for (int j = 0; j < kCols; ++j)
                v[q][j] = step_of[q] != kAbsent && column + j < width ? *at(q, column + j) : T(0);
    }

    /// All threads of the cluster, or of the only block.
    __device__ __forceinline__ void sync_all() const {
        if (task.n_blocks == 1)
            __syncthreads();
        else
            cluster_sync();
    }

    /// Column k is the first in registers, and those after it move up by one. Multipliers leave the
    /// registers at once, and the chosen row when it is chosen.
    __device__ __forceinline__ void eliminate(int k, int end) {
        const auto& chosen = choose(k, end - k);
        int row = static_cast<int>(chosen.number);
        if (thread == 0) s.pivots[k] = row;
        T reciprocal = chosen.reciprocal;
#pragma unroll
        for (int q = 0; q < kRows; ++q) {
            if (step_of[q] != kActive) continue;
            T* to = at(q, k);
            if (row_of(q) == row) {
                step_of[q] = k;
#pragma unroll
                for (int j = 0; j < kCols; ++j)
                    if (k + j < end) to[static_cast<std::size_t>(j) * stride()] = v[q][j];
                continue;
            }
            T l = v[q][0] * reciprocal;
            if (reciprocal == T(0)) l = chosen.row[0] != T(0) ? v[q][0] / chosen.row[0] : v[q][0];
            *to = l;
            // Elements behind the last column of the candidate's row are never used.
#pragma unroll
            for (int j = 1; j < kCols / 2; ++j) v[q][j - 1] = v[q][j] - l * chosen.row[j];
            if (end - k > kCols / 2) {
#pragma unroll
                for (int j = kCols / 2; j < kCols; ++j) v[q][j - 1] = v[q][j] - l * chosen.row[j];
            }
        }
    }

    /// Returns the pivot candidate of the cluster. Each warp writes its own, from which every warp
    /// finds that of the block; all blocks send theirs, and find the best of the received ones.
    __device__ __forceinline__ const Offer<T, kCols>& choose(int k, int left) {
        int lane = thread % 32, warp = thread / 32, n_warps = n_threads / 32, half = k % 2;
        Key key = Key::none();
#pragma unroll
        for (int q = 0; q < kRows; ++q)
            if (step_of[q] == kActive) {
                Key own = Key::of(v[q][0], row_of(q));
                if (own > key) key = own;
            }
        write_offer(s.offers.from_warp[half][warp], key, lane, left);
        __syncthreads();
        key = lane < n_warps ? s.offers.from_warp[half][lane].key() : Key::none();
        const auto& own = s.offers.from_warp[half][best_lane<T>(key)];
        if (task.n_blocks > 1) send_offer(own, half, left);
        // Overlaps with the transfer of the candidates.
        if (thread == 0 && k > 0) note_exchange(s, k - 1, width);
        if (task.n_blocks == 1) return own;
        s.offers.inbox[half].wait(k / 2 % 2);
        key = lane < task.n_blocks ? s.offers.from_block[half][lane].key() : Key::none();
        return s.offers.from_block[half][best_lane<T>(key)];
    }

    /// Writes the warp's best candidate.
    __device__ __forceinline__ void write_offer(Offer<T, kCols>& offer, const Key& key, int lane,
                                                int left) const {
        // Computed in every lane, concurrently with the search for the best candidate.
        T reciprocals[kRows];
#pragma unroll
        for (int q = 0; q < kRows; ++q) reciprocals[q] = reciprocal_or_0(v[q][0]);
        if (lane != best_lane<T>(key)) return;
        offer.number = key.row;
#pragma unroll
        for (int q = 0; q < kRows; ++q)
            if (kRows == 1 || row_of(q) == static_cast<int>(key.row)) {
                offer.reciprocal = reciprocals[q];
#pragma unroll
                for (int j = 0; j < kCols / 2; ++j) offer.row[j] = v[q][j];
                if (left > kCols / 2) {
#pragma unroll
                    for (int j = kCols / 2; j < kCols; ++j) offer.row[j] = v[q][j];
                }
            }
    }

    __device__ __forceinline__ void send_offer(const Offer<T, kCols>& offer, int half, int left) {
        int n_blocks = task.n_blocks, n = n_blocks * Offer<T, kCols>::parts(left);
        if (thread == 0)
            s.offers.inbox[half].expect(static_cast<std::uint32_t>(n) *
                                        static_cast<std::uint32_t>(sizeof(uint4)));
        const auto* from = reinterpret_cast<const uint4*>(&offer);
        auto* to = reinterpret_cast<uint4*>(&s.offers.from_block[half][rank]);
        int shift = __ffs(n_blocks) - 1;
        for (int e = thread; e < n; e += n_threads) {
            int part = e >> shift;
            send(to + part, from[part], &s.offers.inbox[half], e & (n_blocks - 1));
        }
    }

    /// Eliminates the kCols columns from `column` from the panel's columns at their right.
    __device__ void update(int column) {
        int right = column + kCols, n = width - right;
        if constexpr (kTiled) wait_for_fetched();
        // Waits until the chosen rows are complete.
        sync_all();
        read_chosen(column, n);
        __syncthreads();
        for (int j = thread; j < n; j += n_threads) {
            T x[kCols];
#pragma unroll
            for (int k = 0; k < kCols; ++k) x[k] = s.beside[j][k];
#pragma unroll
            for (int k = 0; k < kCols; ++k)
#pragma unroll
                for (int i = k + 1; i < kCols; ++i) x[i] -= s.square[i][k] * x[k];
#pragma unroll
            for (int k = 0; k < kCols; ++k) s.beside[j][k] = x[k];
            // U is at its final position already; each block writes some of its columns.
            if (kTiled && j % task.n_blocks == rank)
#pragma unroll
                for (int k = 0; k < kCols; ++k) task.a(column + k, right + j) = x[k];
        }
        // In the matrix, all blocks have read the chosen rows before their threads overwrite them.
        if constexpr (kTiled)
            __syncthreads();
        else
            sync_all();
        load(column);
#pragma unroll
        for (int q = 0; q < kRows; ++q) {
            T* to = at(q, right);
            if (step_of[q] == kActive) {
#pragma unroll 8
                for (int j = 0; j < n; ++j) {
                    T value = to[j * stride()];
#pragma unroll
                    for (int k = 0; k < kCols; ++k) value -= v[q][k] * s.beside[j][k];
                    to[j * stride()] = value;
                }
            } else if (!kTiled && step_of[q] >= column) {
                for (int j = 0; j < n; ++j) to[j * stride()] = s.beside[j][step_of[q] - column];
            }
        }
    }

    /// Column j of a row that some block has.
    [[nodiscard]] __device__ __forceinline__ T chosen_element(int row, int j) const {
        if constexpr (kTiled) {
            int shift = __ffs(task.n_blocks) - 1, four = row / 4;
            int owner = four & (task.n_blocks - 1), own = (four >> shift) * 4 + row % 4;
            return in_block(tile, owner)[in_tile(own, j)];
        } else {
            return __ldcg(&task.a(row, j));
        }
    }
    /// Copies the rows that were chosen for the kCols columns from `column`, and these rows' n
    /// elements further to the right. A warp has four rows in flight.
    __device__ __forceinline__ void read_chosen(int column, int n) {
        constexpr int kAtOnce = 4;
        int lane = thread % 32, n_warps = n_threads / 32;
        for (int first = thread / 32 * kAtOnce; first < kCols; first += n_warps * kAtOnce)
            for (int j = lane; j < kCols + n; j += 32) {
                T values[kAtOnce];
#pragma unroll
                for (int i = 0; i < kAtOnce; ++i)
                    values[i] = chosen_element(s.pivots[column + first + i], column + j);
#pragma unroll
                for (int i = 0; i < kAtOnce; ++i)
                    if (j < kCols)
                        s.square[first + i][j] = values[i];
                    else
                        s.beside[j - kCols][first + i] = values[i];
            }
    }

    __device__ void write_moves() {
        if (rank != task.n_blocks - 1) return;
        int *to = task.moves.to_of(task.first), *from = task.moves.from_of(task.first);
        for (int e = thread; e < width; e += n_threads) {
            to[e] = task.first + e;
            from[e] = task.first + s.pivots[e];
            to[width + e] = s.place[e] < 0 ? -1 : task.first + s.place[e];
            from[width + e] = task.first + e;
            task.swaps[e] = task.first + s.swaps[e];
        }
    }

    /// Writes the tile's rows to their final positions; of a pivot row only the elements that
    /// update() has not written.
    __device__ void write_rows() {
        int row = row_of(0), step = step_of[0], n = width;
        if (step == kAbsent) return;
        if (step >= 0) {
            row = step;
            n = (step / kCols + 1) * kCols;
            if (n > width) n = width;
        } else if (row < width) {
            row = s.place[row];
        }
        T* to = &task.a(row, 0);
        const T* from = at(0, 0);
#pragma unroll 8
        for (int j = 0; j < n; ++j)
            to[static_cast<std::size_t>(j) * task.a.stride] = from[j * stride()];
    }

    /// Moves the rows in the matrix: each block has some columns.
    __device__ void move_rows() {
        const int *to = task.moves.to_of(task.first), *from = task.moves.from_of(task.first);
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

/// Largest shared memory of a block on compute capability 9.0.
constexpr int kMostShared = 227 * 1024;

/// Most threads of a block (fewer leave more registers to each), and the panel's part of a block.
template <class Element, int kColumns, int kRowsPerThread, int kMost, bool kInTile>
struct Shape {
    using T = Element;
    static constexpr int kCols = kColumns, kRows = kRowsPerThread, kThreads = kMost;
    static constexpr bool kTiled = kInTile;
    using Panel = cuda::Panel<T, kCols, kRows, kThreads / 32, kTiled>;
    static constexpr int kMostTile =
        kTiled ? kMostShared - static_cast<int>(sizeof(typename Panel::Shared)) : 0;
};

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    panel_kernel(const PanelTask<typename Shape::T> task) {
    __shared__ typename Shape::Panel::Shared shared;
    extern __shared__ __align__(16) unsigned char tile[];
    typename Shape::Panel(task, shared, reinterpret_cast<typename Shape::T*>(tile)).run();
}

/// A launch of one cluster.
struct Launch {
    cudaLaunchAttribute cluster{};
    cudaLaunchConfig_t config{};

    Launch(int n_blocks, int n_threads, int tile, cudaStream_t stream) {
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = static_cast<unsigned>(n_blocks);
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.gridDim = dim3(static_cast<unsigned>(n_blocks));
        config.blockDim = dim3(static_cast<unsigned>(n_threads));
        config.dynamicSmemBytes = static_cast<std::size_t>(tile);
        config.stream = stream;
        config.attrs = &cluster;
        config.numAttrs = 1;
    }
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
};

/// The largest cluster of whole multiprocessors that a GPU can run; 0: none.
template <class Shape>
int most_blocks(const Device& gpu) {
    static PerGpu<int> most;
    return most.of(gpu, [&] {
        int major = 0;
        TL_CUDA_CHECK(
            cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu.index()));
        if (major < 9) return 0;
        auto* kernel = panel_kernel<Shape>;
        TL_CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        // Fails where a block may have less; the GPU then cannot run such a panel.
        if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 Shape::kMostTile) != cudaSuccess) {
            (void)cudaGetLastError();
            return 0;
        }
        for (int n = kMostBlocks; n > 1; n /= 2) {
            Launch launch(n, Shape::kThreads, Shape::kMostTile, nullptr);
            int n_clusters = 0;
            if (cudaOccupancyMaxActiveClusters(&n_clusters, kernel, &launch.config) ==
                    cudaSuccess &&
                n_clusters > 0)
                return n;
            (void)cudaGetLastError();
        }
        return 1;
    });
}

template <class Shape>
bool launch_panel(Stream& stream, PanelTask<typename Shape::T> task) {
    int most = most_blocks<Shape>(stream.device()), rows = task.a.rows;
    if (most == 0 || rows > most * Shape::kThreads * Shape::kRows) return false;
    int n_blocks = 1;
    while (n_blocks < most && n_blocks * kGoodThreads * Shape::kRows < rows) n_blocks *= 2;
    int per_block = (rows + n_blocks * Shape::kRows - 1) / (n_blocks * Shape::kRows);
    int n_threads = (per_block + 31) / 32 * 32, tile = 0;
    if (Shape::kTiled) {
        tile = task.a.cols * tile_stride(n_threads) * static_cast<int>(sizeof(typename Shape::T));
        if (tile > Shape::kMostTile) return false;
    }
    task.n_blocks = n_blocks;
    Launch launch(n_blocks, n_threads, tile, static_cast<cudaStream_t>(stream.native()));
    TL_CUDA_CHECK(cudaLaunchKernelEx(&launch.config, panel_kernel<Shape>, task));
    return true;
}

}  // namespace

template <class T>
bool factorise_in_cluster(Stream& stream, MatrixView<T> a, View<int> swaps, RowMoves moves,
                          int first) {
    // Registers have 16 columns of a tile's rows; 32 of them a thread's part of other panels.
    constexpr int kCols = 128 / static_cast<int>(sizeof(T)), kTileCols = 16;
    int width = moves.width(first);
    PanelTask<T> task{a.block(first, first, a.rows - first, width), moves, first,
                      swaps.data + first, 1};
    constexpr int kFew = 512, kMost = 1024;
    return launch_panel<Shape<T, kTileCols, 1, kFew, true>>(stream, task) ||
           launch_panel<Shape<T, kCols, 1, kFew, false>>(stream, task) ||
           launch_panel<Shape<T, kCols, 1, kMost, false>>(stream, task) ||
           launch_panel<Shape<T, kCols / 2, 2, kMost, false>>(stream, task) ||
           launch_panel<Shape<T, kCols / 4, 4, kMost, false>>(stream, task);
}

template bool factorise_in_cluster(Stream&, MatrixView<float>, View<int>, RowMoves, int);
template bool factorise_in_cluster(Stream&, MatrixView<double>, View<int>, RowMoves, int);

}  // namespace tl::cuda
