// The CUDA device: streams, events, and stream-ordered memory from one driver pool that never
// shrinks.
#include "core/device/device_cuda.h"

#include <cuda_runtime.h>

#include <atomic>

#include "core/base/error.h"
#include "core/base/poison.h"
#include "core/device/cuda_check.h"
#include "core/device/device_code_cuda.h"
#include "core/device/part_stream_cuda.h"

namespace tl {

void throw_cuda_error(cudaError_t error, const char* what, const char* file, int line) {
    throw UserError(std::string("CUDA: ") + cudaGetErrorString(error) + " in " + what + " (" +
                    file + ":" + std::to_string(line) + ")");
}

void print_cuda_error(cudaError_t error, const char* what, const char* file, int line) noexcept {
    if (error == cudaErrorCudartUnloading) return;  // memory ends with the process
    std::fprintf(stderr, "CUDA: %s in %s (%s:%d)\n", cudaGetErrorString(error), what, file, line);
}

namespace {

cudaStream_t native(const Stream& stream) {
    return static_cast<cudaStream_t>(stream.native());
}

/// Priorities of streams: waiting blocks of higher-priority streams are scheduled first, and
/// smaller numbers mean higher priority. CUDA's default is the lowest, so ordinary streams must
/// request a higher one. On GPUs with only two priorities urgent streams equal ordinary ones.
struct StreamPriorities {
    int background = 0, ordinary = 0, urgent = 0;
    StreamPriorities() {
        TL_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&background, &urgent));
        ordinary = background - urgent >= 2 ? urgent + 1 : urgent;
    }
};

class CudaStream final : public Stream {
  public:
    /// Takes ownership of the stream.
    CudaStream(Device& device, const PartStream& stream) : device_(device), stream_(stream) {}
    ~CudaStream() override {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(stream_.native));
        TL_CUDA_CHECK_PRINT(cudaStreamDestroy(stream_.native));
    }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    Device& device() const override { return device_; }
    void* native() const override { return stream_.native; }
    void synchronize() override { TL_CUDA_CHECK(cudaStreamSynchronize(stream_.native)); }
    int multiprocessors() const override { return stream_.multiprocessors; }

  private:
    Device& device_;
    PartStream stream_;
};

class CudaEvent final : public Event {
  public:
    CudaEvent() { TL_CUDA_CHECK(cudaEventCreate(&event_)); }
    ~CudaEvent() override { TL_CUDA_CHECK_PRINT(cudaEventDestroy(event_)); }
    void record(Stream& stream) override { TL_CUDA_CHECK(cudaEventRecord(event_, native(stream))); }
    bool ready() const override {
        cudaError_t state = cudaEventQuery(event_);
        if (state == cudaErrorNotReady) return false;
        TL_CUDA_CHECK(state);
        return true;
    }
    void wait() const override { TL_CUDA_CHECK(cudaEventSynchronize(event_)); }
    void hold(Stream& stream) const override {
        TL_CUDA_CHECK(cudaStreamWaitEvent(native(stream), event_, 0));
    }
    float milliseconds_since(const Event& earlier) const override {
        float ms = 0;
        TL_CUDA_CHECK(
            cudaEventElapsedTime(&ms, static_cast<const CudaEvent&>(earlier).event_, event_));
        return ms;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

class CudaGraph final : public Graph {
  public:
    /// Takes ownership of the graph, whose nodes are copied into the executable one.
    explicit CudaGraph(cudaGraph_t graph) {
        cudaError_t status = cudaGraphInstantiate(&launchable_, graph, 0);
        TL_CUDA_CHECK_PRINT(cudaGraphDestroy(graph));
        TL_CUDA_CHECK(status);
    }
    ~CudaGraph() override { TL_CUDA_CHECK_PRINT(cudaGraphExecDestroy(launchable_)); }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;
    void launch(Stream& stream) override {
        TL_CUDA_CHECK(cudaGraphLaunch(launchable_, native(stream)));
    }

  private:
    cudaGraphExec_t launchable_ = nullptr;
};

class CudaDevice final : public Device {
  public:
    explicit CudaDevice(int index) : index_(index) {
        TL_CUDA_CHECK(cudaSetDevice(index));
        TL_CUDA_CHECK(cudaGetDeviceProperties(&properties_, index));
        if (!has_code_for_current_device())
            throw UserError("this program has no kernels for " + name() +
                            ": build it on this machine, or give the GPU's compute capability by "
                            "cmake -D CMAKE_CUDA_ARCHITECTURES");
        cudaMemPoolProps pool_properties{};
        pool_properties.allocType = cudaMemAllocationTypePinned;
        pool_properties.location.type = cudaMemLocationTypeDevice;
        pool_properties.location.id = index;
        TL_CUDA_CHECK(cudaMemPoolCreate(&pool_, &pool_properties));
        std::uint64_t keep = UINT64_MAX;  // freed memory stays in the pool
        TL_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
        // Reusing memory across streams must not make one stream wait for another: a frame would
        // then wait for whatever runs in the background.
        int wait_for_others = 0;
        TL_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowInternalDependencies,
                                              &wait_for_others));
    }
    DeviceKind kind() const override { return DeviceKind::cuda; }
    std::string name() const override {
        return std::string(properties_.name) + " (compute " + std::to_string(properties_.major) +
               "." + std::to_string(properties_.minor) + ", " +
               std::to_string(properties_.multiProcessorCount) + " SMs)";
    }

    void* allocate(std::size_t bytes, Stream& stream) override {
        if (bytes == 0) return nullptr;
        void* pointer = nullptr;
        cudaError_t status = cudaMallocFromPoolAsync(&pointer, bytes, pool_, native(stream));
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // clear the error, which is reported here, not by the next launch
            throw refused_memory(kind(), bytes, memory_stats().bytes_free, "one more block",
                                 "close other programs or ask for less");
        }
        TL_CUDA_CHECK(status);
        if (poisons_memory())
            TL_CUDA_CHECK(cudaMemsetAsync(pointer, kPoison, bytes, native(stream)));
        ++allocation_count_;
        return pointer;
    }
    void free(void* pointer, std::size_t, Stream& stream) noexcept override {
        if (pointer) TL_CUDA_CHECK_PRINT(cudaFreeAsync(pointer, native(stream)));
    }

    void upload(Stream& s, void* to, const void* from, std::size_t bytes) override {
        // The call returns once the source, which is pageable memory, has been staged.
        TL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, native(s)));
    }
    void download(Stream& s, void* to, const void* from, std::size_t bytes) override {
        // A copy to pageable memory waits inside the driver, where it can block other threads'
        // calls, so wait for the stream first.
        TL_CUDA_CHECK(cudaStreamSynchronize(native(s)));
        TL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, native(s)));
        TL_CUDA_CHECK(cudaStreamSynchronize(native(s)));
    }
    void copy(Stream& s, void* to, const void* from, std::size_t bytes) override {
        TL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, native(s)));
    }
    void fill_zero(Stream& s, void* to, std::size_t bytes) override {
        TL_CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, native(s)));
    }

    void* allocate_pinned(std::size_t bytes) override {
        void* pointer = nullptr;
        TL_CUDA_CHECK(cudaMallocHost(&pointer, bytes));
        return pointer;
    }
    void free_pinned(void* pointer) noexcept override {
        TL_CUDA_CHECK_PRINT(cudaFreeHost(pointer));
    }
    void download_later(Stream& s, void* to, const void* from, std::size_t bytes) override {
        TL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, native(s)));
    }

    std::unique_ptr<Stream> create_stream() override {
        return whole_stream(StreamPriorities().ordinary);
    }
    std::unique_ptr<Stream> create_urgent_stream() override {
        return whole_stream(StreamPriorities().urgent);
    }
    std::unique_ptr<Stream> create_part_stream(float gpu_share) override {
        StreamPriorities priority;
        if (auto part = tl::create_part_stream(index_, gpu_share, priority.background))
            return std::make_unique<CudaStream>(*this, *part);
        return whole_stream(priority.background);
    }
    std::unique_ptr<Event> create_event() override { return std::make_unique<CudaEvent>(); }
    bool begin_graph(Stream& s) override {
        // Relaxed: other threads, and this one, may call the driver meanwhile.
        TL_CUDA_CHECK(cudaStreamBeginCapture(native(s), cudaStreamCaptureModeRelaxed));
        return true;
    }
    std::unique_ptr<Graph> end_graph(Stream& s) override {
        cudaGraph_t graph = nullptr;
        TL_CUDA_CHECK(cudaStreamEndCapture(native(s), &graph));
        return std::make_unique<CudaGraph>(graph);
    }
    void trim() override { TL_CUDA_CHECK(cudaMemPoolTrimTo(pool_, 0)); }

    MemoryStats memory_stats() const override {
        MemoryStats stats;
        std::size_t free_bytes = 0, total = 0;
        std::uint64_t used = 0, peak = 0, reserved = 0;
        TL_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
        TL_CUDA_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used));
        TL_CUDA_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &peak));
        TL_CUDA_CHECK(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved));
        stats.allocation_count = allocation_count_;
        stats.bytes_in_use = used;
        stats.bytes_peak = peak;
        stats.bytes_free = free_bytes + (reserved - used);
        stats.bytes_total = total;
        return stats;
    }

  private:
    /// Creates a stream on all multiprocessors.
    std::unique_ptr<Stream> whole_stream(int priority) {
        PartStream stream{nullptr, properties_.multiProcessorCount};
        TL_CUDA_CHECK(
            cudaStreamCreateWithPriority(&stream.native, cudaStreamNonBlocking, priority));
        return std::make_unique<CudaStream>(*this, stream);
    }

    int index_;
    cudaDeviceProp properties_{};
    cudaMemPool_t pool_ = nullptr;
    std::atomic<std::uint64_t> allocation_count_{0};
};

}  // namespace

Device* cuda_device(std::string& absence) {
    static std::string reason;
    // Never destroyed: the driver may unload before static destructors run.
    static Device* device = []() -> Device* {
        int count = 0;
        cudaError_t status = cudaGetDeviceCount(&count);
        if (status != cudaSuccess || count == 0) {
            reason = status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice || !count
                         ? "no NVIDIA GPU or driver found"
                         : cudaGetErrorString(status);
            cudaGetLastError();
            return nullptr;
        }
        try {
            return new CudaDevice(0);
        } catch (const UserError& error) {
            reason = error.what();
            return nullptr;
        }
    }();
    absence = reason;
    return device;
}

}  // namespace tl
