#include "solvers/dense/devices/cusolver_mg.h"

#define DISABLE_CUSOLVERMG_DEPRECATED
#include <cusolverMg.h>

#include <algorithm>
#include <chrono>

#include "core/device/cuda_check.h"
#include "solvers/dense/cusolver_check.h"
#include "solvers/dense/cusolver_handle.h"

#define TL_TEXT_OF(text) #text
#define TL_TEXT(text) TL_TEXT_OF(text)
#define TL_LATE(function) \
    inline const LateFunction<decltype(::function)> function(cusolver_mg, #function)

namespace tl {
namespace late {

const LateLibrary cusolver_mg("cuSOLVERMg", "libcusolverMg.so." TL_TEXT(CUSOLVER_VER_MAJOR),
                              TL_CUDA_LIBRARY_FOLDER, "CUDA's libraries");

TL_LATE(cusolverMgCreate);
TL_LATE(cusolverMgCreateDeviceGrid);
TL_LATE(cusolverMgCreateMatrixDesc);
TL_LATE(cusolverMgDestroy);
TL_LATE(cusolverMgDestroyGrid);
TL_LATE(cusolverMgDestroyMatrixDesc);
TL_LATE(cusolverMgDeviceSelect);
TL_LATE(cusolverMgGetrf);
TL_LATE(cusolverMgGetrf_bufferSize);

}  // namespace late
namespace {

/// Memory of one GPU that all reach: the library's kernels read that of other GPUs.
class PeerMemory {
  public:
    PeerMemory(const Device& gpu, std::size_t bytes) : gpu_(gpu) {
        require_memory(gpu, bytes, "cuSOLVERMg's part of the matrix", "take a smaller matrix");
        gpu.make_current();
        TL_CUDA_CHECK(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)));
    }
    ~PeerMemory() {
        gpu_.make_current();
        TL_CUDA_CHECK_PRINT(cudaFree(data_));
    }
    PeerMemory(const PeerMemory&) = delete;
    PeerMemory& operator=(const PeerMemory&) = delete;
    [[nodiscard]] void* data() const { return data_; }

  private:
    const Device& gpu_;
    void* data_ = nullptr;
};

/// Memory of one size on each GPU of a group, as the library takes it.
struct PeerArrays {
    std::vector<std::unique_ptr<PeerMemory>> memory;
    std::vector<void*> pointers;

    PeerArrays(DeviceGroup& group, std::size_t bytes) {
        for (int d = 0; d < group.size(); ++d) {
            memory.push_back(std::make_unique<PeerMemory>(group.device(d), bytes));
            pointers.push_back(memory.back()->data());
        }
    }
};

void enable_peer_access(DeviceGroup& group) {
    for (int d = 0; d < group.size(); ++d)
        for (int e = 0; e < group.size(); ++e) {
            if (!group.device(d).link_to(group.device(e)).is_direct) continue;
            group.device(d).make_current();
            auto status = cudaDeviceEnablePeerAccess(group.device(e).index(), 0);
            if (status == cudaErrorPeerAccessAlreadyEnabled)
                (void)cudaGetLastError();  // clear the error
            else
                TL_CUDA_CHECK(status);
        }
}

/// The library's handle with a grid of one row of GPUs.
struct MgHandle {
    cusolverMgHandle_t handle = nullptr;
    cudaLibMgGrid_t grid = nullptr;

    explicit MgHandle(DeviceGroup& group) {
        std::vector<int> gpus;
        for (int d = 0; d < group.size(); ++d) gpus.push_back(group.device(d).index());
        check_cusolver(late::cusolverMgCreate(&handle), "cusolverMgCreate");
        check_cusolver(late::cusolverMgDeviceSelect(handle, group.size(), gpus.data()),
                       "cusolverMgDeviceSelect");
        check_cusolver(late::cusolverMgCreateDeviceGrid(&grid, 1, group.size(), gpus.data(),
                                                        CUDALIBMG_GRID_MAPPING_COL_MAJOR),
                       "cusolverMgCreateDeviceGrid");
    }
    ~MgHandle() {
        if (grid) (void)late::cusolverMgDestroyGrid(grid);
        if (handle) (void)late::cusolverMgDestroy(handle);
    }
    MgHandle(const MgHandle&) = delete;
    MgHandle& operator=(const MgHandle&) = delete;
};

struct MgMatrix {
    cudaLibMgMatrixDesc_t description = nullptr;

    MgMatrix(const MgHandle& handle, int rows, int cols, int block, cudaDataType type) {
        check_cusolver(late::cusolverMgCreateMatrixDesc(&description, rows, cols, rows, block, type,
                                                        handle.grid),
                       "cusolverMgCreateMatrixDesc");
    }
    ~MgMatrix() { (void)late::cusolverMgDestroyMatrixDesc(description); }
    MgMatrix(const MgMatrix&) = delete;
    MgMatrix& operator=(const MgMatrix&) = delete;
};

/// Columns that the library's GPUs each have memory for: whole blocks, as many on each.
template <class T>
int padded_columns(const SpreadMatrix<T>& a, int n_devices) {
    int n_blocks = (a.cols() + a.block() - 1) / a.block();
    return (n_blocks + n_devices - 1) / n_devices * a.block();
}

template <class T>
void copy_parts(DeviceGroup& group, SpreadMatrix<T>& a, const PeerArrays& arrays, bool to_arrays) {
    for (int d = 0; d < group.size(); ++d) {
        auto part = a.view(d);
        auto bytes =
            sizeof(T) * static_cast<std::size_t>(part.rows) * static_cast<std::size_t>(part.cols);
        void* array = arrays.pointers[static_cast<std::size_t>(d)];
        if (bytes > 0)
            group.device(d).copy(group.stream(d), to_arrays ? array : part.data,
                                 to_arrays ? part.data : array, bytes);
    }
    group.synchronize();
}

/// Waits for all work of each GPU, on whatever stream.
void wait_for_gpus(DeviceGroup& group) {
    for (int d = 0; d < group.size(); ++d) {
        group.device(d).make_current();
        TL_CUDA_CHECK(cudaDeviceSynchronize());
    }
}

/// The pivots, each at the GPU that has its column.
template <class T>
std::vector<int> swaps_of(DeviceGroup& group, SpreadMatrix<T>& a, const PeerArrays& pivots) {
    std::vector<int> swaps;
    for (auto& block : a.blocks()) {
        int count = std::min(block.width, a.rows() - block.first);
        std::vector<int> part(static_cast<std::size_t>(std::max(count, 0)));
        auto* from =
            static_cast<const int*>(pivots.pointers[static_cast<std::size_t>(block.owner)]);
        auto& stream = group.stream(block.owner);
        if (!part.empty())
            stream.device().download(stream, part.data(), from + block.local,
                                     part.size() * sizeof(int));
        for (int row : part) swaps.push_back(row - 1);
    }
    return swaps;
}

}  // namespace

bool has_cusolver_mg() {
    try {
        return late::cusolver_mg.function("cusolverMgGetrf") != nullptr;
    } catch (const UserError&) {
        return false;
    }
}

template <class T>
SpreadLuResult factorise_by_cusolver_mg(DeviceGroup& group, SpreadMatrix<T>& a) {
    constexpr auto kType = kCudaType<T>;
    enable_peer_access(group);
    // The library's memory does not come from the devices' pools.
    for (int d = 0; d < group.size(); ++d) group.device(d).trim();
    MgHandle handle(group);
    MgMatrix matrix(handle, a.rows(), a.cols(), a.block(), kType);
    auto columns = static_cast<std::size_t>(padded_columns(a, group.size()));
    PeerArrays parts(group, sizeof(T) * static_cast<std::size_t>(a.rows()) * columns);
    PeerArrays pivots(group, sizeof(int) * columns);
    std::vector<int*> pivot_pointers;
    for (void* pointer : pivots.pointers) pivot_pointers.push_back(static_cast<int*>(pointer));
    copy_parts(group, a, parts, true);
    std::int64_t work_size = 0;
    check_cusolver(late::cusolverMgGetrf_bufferSize(handle.handle, a.rows(), a.cols(),
                                                    parts.pointers.data(), 1, 1, matrix.description,
                                                    pivot_pointers.data(), kType, &work_size),
                   "cusolverMgGetrf_bufferSize");
    PeerArrays work(group, sizeof(T) * static_cast<std::size_t>(work_size));
    wait_for_gpus(group);
    auto start = std::chrono::steady_clock::now();
    int info = 0;
    check_cusolver(late::cusolverMgGetrf(handle.handle, a.rows(), a.cols(), parts.pointers.data(),
                                         1, 1, matrix.description, pivot_pointers.data(), kType,
                                         work.pointers.data(), work_size, &info),
                   "cusolverMgGetrf");
    wait_for_gpus(group);
    SpreadLuResult result;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // A positive info only says that a pivot is zero.
    if (info < 0) throw UserError("cusolverMgGetrf failed with info " + std::to_string(info));
    copy_parts(group, a, parts, false);
    result.swaps = swaps_of(group, a, pivots);
    return result;
}

template SpreadLuResult factorise_by_cusolver_mg(DeviceGroup&, SpreadMatrix<float>&);
template SpreadLuResult factorise_by_cusolver_mg(DeviceGroup&, SpreadMatrix<double>&);

}  // namespace tl

#undef TL_LATE
#undef TL_TEXT
#undef TL_TEXT_OF
