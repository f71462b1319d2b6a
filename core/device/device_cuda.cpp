// The CUDA devices: streams, events, and for each GPU stream-ordered memory from one driver pool
// that never shrinks.
#include "core/device/device_cuda.h"

#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <set>

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

/// Makes a GPU the calling thread's current one. Asks first, which takes a tenth of the time.
void set_current_gpu(int index) {
    int current = -1;
    if (cudaGetDevice(&current) == cudaSuccess && current == index) return;
    TL_CUDA_CHECK(cudaSetDevice(index));
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
    /// Takes ownership of the stream, unless it is a caller's own.
    CudaStream(Device& device, const PartStream& stream, bool owned = true)
        : device_(device), stream_(stream), owned_(owned) {}
    ~CudaStream() override {
        if (!owned_) return;
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(stream_.native));
        TL_CUDA_CHECK_PRINT(cudaStreamDestroy(stream_.native));
    }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    Device& device() const override { return device_; }
    void* native() const override {
        device_.make_current();
        return stream_.native;
    }
    void synchronize() override { TL_CUDA_CHECK(cudaStreamSynchronize(stream_.native)); }
    int multiprocessors() const override { return stream_.multiprocessors; }
    /// native(), without making the GPU current.
    [[nodiscard]] cudaStream_t raw() const { return stream_.native; }
    void rebind(cudaStream_t other) { stream_.native = other; }

  private:
    Device& device_;
    PartStream stream_;
    bool owned_;
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
        TL_CUDA_CHECK(cudaGetDeviceProperties(&properties_, index));
    }
    /// Whether this program has kernels for the GPU. Sets the GPU up.
    [[nodiscard]] bool has_code() const {
        make_current();
        return has_code_for_current_device();
    }
    /// Whether the other GPU runs the same kernels.
    [[nodiscard]] bool is_like(const CudaDevice& o) const {
        return properties_.major == o.properties_.major && properties_.minor == o.properties_.minor;
    }
    DeviceKind kind() const override { return DeviceKind::cuda; }
    std::string name() const override {
        return std::string(properties_.name) + " (compute " + std::to_string(properties_.major) +
               "." + std::to_string(properties_.minor) + ", " +
               std::to_string(properties_.multiProcessorCount) + " SMs)";
    }
    int index() const override { return index_; }
    void make_current() const override { set_current_gpu(index_); }
    PeerLink link_to(const Device& peer) const override {
        if (peer.kind() != DeviceKind::cuda || peer.index() == index_) return {};
        int is_direct = 0, has_atomics = 0;
        TL_CUDA_CHECK(cudaDeviceCanAccessPeer(&is_direct, index_, peer.index()));
        TL_CUDA_CHECK(cudaDeviceGetP2PAttribute(&has_atomics, cudaDevP2PAttrNativeAtomicSupported,
                                                index_, peer.index()));
        return {is_direct != 0, has_atomics != 0};
    }

    /// Lets another GPU copy from and to this one's pool, where they are connected. Waits for this
    /// GPU: kernels that use the pool while its access changes fail.
    void open_to(const CudaDevice& peer) const {
        std::scoped_lock lock(peers_mutex_);
        if (peer.index_ == index_ || !peer.link_to(*this).is_direct) return;
        if (!peers_.insert(peer.index_).second) return;
        make_current();
        TL_CUDA_CHECK(cudaDeviceSynchronize());
        cudaMemAccessDesc access{};
        access.location.type = cudaMemLocationTypeDevice;
        access.location.id = peer.index_;
        access.flags = cudaMemAccessFlagsProtReadWrite;
        TL_CUDA_CHECK(cudaMemPoolSetAccess(pool(), &access, 1));
    }

    void* allocate(std::size_t bytes, Stream& stream) override {
        if (bytes == 0) return nullptr;
        void* pointer = nullptr;
        cudaError_t status = cudaMallocFromPoolAsync(&pointer, bytes, pool(), native(stream));
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // clear the error, which is reported here, not by the next launch
            throw refused_memory(*this, bytes, memory_stats().bytes_free, "one more block",
                                 "close other programs or ask for less");
        }
        TL_CUDA_CHECK(status);
        if (poisons_memory())
            TL_CUDA_CHECK(cudaMemsetAsync(pointer, kPoison, bytes, native(stream)));
        ++allocation_count_;
        return pointer;
    }
    void free(void* pointer, std::size_t, Stream& stream) noexcept override {
        // Not by native(), which throws where the GPU has failed.
        if (pointer)
            TL_CUDA_CHECK_PRINT(cudaFreeAsync(pointer, static_cast<CudaStream&>(stream).raw()));
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
    void copy_from_peer(Stream& s, void* to, const Device& peer, const void* from,
                        std::size_t bytes) override {
        TL_CUDA_CHECK(cudaMemcpyPeerAsync(to, index_, from, peer.index(), bytes, tl::native(s)));
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
        make_current();
        return whole_stream(StreamPriorities().ordinary);
    }
    std::unique_ptr<Stream> create_urgent_stream() override {
        make_current();
        return whole_stream(StreamPriorities().urgent);
    }
    std::unique_ptr<Stream> create_part_stream(float gpu_share) override {
        make_current();
        StreamPriorities priority;
        if (auto part = tl::create_part_stream(index_, gpu_share, priority.background))
            return std::make_unique<CudaStream>(*this, *part);
        return whole_stream(priority.background);
    }
    std::unique_ptr<Event> create_event() override {
        make_current();
        return std::make_unique<CudaEvent>();
    }
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
    void trim() override { TL_CUDA_CHECK(cudaMemPoolTrimTo(pool(), 0)); }
    /// A stream on all multiprocessors.
    [[nodiscard]] PartStream whole(cudaStream_t stream) const {
        return {stream, properties_.multiProcessorCount};
    }

    MemoryStats memory_stats() const override {
        MemoryStats stats;
        std::size_t free_bytes = 0, total = 0;
        std::uint64_t used = 0, peak = 0, reserved = 0;
        make_current();
        TL_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
        TL_CUDA_CHECK(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, &used));
        TL_CUDA_CHECK(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemHigh, &peak));
        TL_CUDA_CHECK(
            cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrReservedMemCurrent, &reserved));
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
        PartStream stream = whole(nullptr);
        TL_CUDA_CHECK(
            cudaStreamCreateWithPriority(&stream.native, cudaStreamNonBlocking, priority));
        return std::make_unique<CudaStream>(*this, stream);
    }

    /// The memory pool, made on first use.
    cudaMemPool_t pool() const {
        std::call_once(is_set_up_, [this] {
            cudaMemPoolProps pool_properties{};
            pool_properties.allocType = cudaMemAllocationTypePinned;
            pool_properties.location.type = cudaMemLocationTypeDevice;
            pool_properties.location.id = index_;
            TL_CUDA_CHECK(cudaMemPoolCreate(&pool_, &pool_properties));
            std::uint64_t keep = UINT64_MAX;  // freed memory stays in the pool
            TL_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
            // Reusing memory across streams must not make one stream wait for another: a frame
            // would then wait for whatever runs in the background.
            int wait_for_others = 0;
            TL_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolReuseAllowInternalDependencies,
                                                  &wait_for_others));
        });
        return pool_;
    }
    int index_;
    cudaDeviceProp properties_{};
    mutable std::once_flag is_set_up_;
    mutable cudaMemPool_t pool_ = nullptr;
    mutable std::mutex peers_mutex_;
    mutable std::set<int> peers_;  ///< GPUs that have access to the pool
    std::atomic<std::uint64_t> allocation_count_{0};
};

/// Makes the device of a GPU. `other`: a GPU that has kernels, or null; one like it has them too,
/// and is not set up to find out. Throws UserError where the program has none for it.
CudaDevice* usable_gpu(int index, const CudaDevice* other) {
    // Never destroyed: the driver may unload before static destructors run.
    auto* device = new CudaDevice(index);
    if ((other && device->is_like(*other)) || device->has_code()) return device;
    throw UserError("this program has no kernels for " + device->name() +
                    ": build it on this machine, or give the GPU's compute capability by cmake -D "
                    "CMAKE_CUDA_ARCHITECTURES");
}

/// The version of CUDA in words, from its number such as 12040.
std::string cuda_version_text(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Why CUDA finds no GPU: the reply of cudaGetDeviceCount(), in words.
std::string words_of_absence(cudaError_t status) {
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    if (status == cudaErrorInsufficientDriver && driver > 0)
        return "the NVIDIA driver is for CUDA " + cuda_version_text(driver) +
               " and this program needs " + cuda_version_text(CUDART_VERSION) +
               ": update the driver";
    if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice ||
        status == cudaSuccess)
        return "no NVIDIA GPU or driver found";
    return std::string("CUDA finds no GPU: ") + cudaGetErrorString(status);
}

}  // namespace

std::vector<Device*> cuda_devices(std::string& absence) {
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        absence = words_of_absence(status);
        cudaGetLastError();
        return {};
    }
    std::vector<Device*> list;
    CudaDevice* newest = nullptr;
    for (int i = 0; i < count; ++i) {
        try {
            newest = usable_gpu(i, newest);
            list.push_back(newest);
        } catch (const UserError& error) {
            if (absence.empty()) absence = error.what();
        }
    }
    if (!list.empty()) absence.clear();
    return list;
}

std::unique_ptr<Stream> borrow_stream(Device& gpu, void* native) {
    return std::make_unique<CudaStream>(
        gpu, static_cast<const CudaDevice&>(gpu).whole(static_cast<cudaStream_t>(native)), false);
}

void rebind_stream(Stream& borrowed, void* native) {
    static_cast<CudaStream&>(borrowed).rebind(static_cast<cudaStream_t>(native));
}

void synchronize_gpu(const Device& gpu) {
    gpu.make_current();
    TL_CUDA_CHECK(cudaDeviceSynchronize());
}

int gpu_of_memory(const void* pointer) {
    cudaPointerAttributes attributes{};
    TL_CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
    bool on_gpu =
        attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    return on_gpu ? attributes.device : -1;
}

void link_gpus(const std::vector<Device*>& gpus) {
    for (Device* gpu : gpus)
        for (Device* peer : gpus)
            static_cast<const CudaDevice*>(gpu)->open_to(*static_cast<const CudaDevice*>(peer));
}

}  // namespace tl
