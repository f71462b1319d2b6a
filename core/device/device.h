// A device runs kernels and owns memory: the CPU (oneTBB) or a CUDA GPU. All code above this
// header is written once for both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/error.h"

namespace tl {

enum class DeviceKind { cpu, cuda };

/// Counters of a device's memory pool.
struct MemoryStats {
    std::uint64_t allocation_count = 0;  ///< allocations requested from the pool so far
    std::uint64_t bytes_in_use = 0;      ///< bytes allocated now
    std::uint64_t bytes_peak = 0;        ///< largest bytes_in_use so far
    std::uint64_t bytes_free = 0;        ///< memory that can still be allocated (estimate)
    std::uint64_t bytes_total = 0;       ///< memory of the device
};

/// A connection between the memories of two GPUs.
struct PeerLink {
    bool is_direct = false;  ///< each reads the other's memory; if not, copies go through the host
    bool has_atomics = false;  ///< atomic operations reach the other's memory, as over NVLink
};

class Stream;

/// A point in a stream's work, for timing and ordering. Owned by its creator.
class Event {
  public:
    virtual ~Event() = default;
    virtual void record(Stream& stream) = 0;
    /// True when the work before the event has run; never waits.
    [[nodiscard]] virtual bool ready() const = 0;
    /// Waits until the work before the event has run.
    virtual void wait() const = 0;
    /// Makes work that is given to `stream` from now on wait for the work before the event;
    /// recording the event again does not change that. The host does not wait.
    virtual void hold(Stream& stream) const = 0;
    /// Milliseconds from `earlier` to this event; both must be ready.
    [[nodiscard]] virtual float milliseconds_since(const Event& earlier) const = 0;
};

/// Work that was recorded from a stream, and can be given to streams of its device again and again
/// at the cost of one launch.
class Graph {
  public:
    virtual ~Graph() = default;
    virtual void launch(Stream& stream) = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    [[nodiscard]] virtual DeviceKind kind() const = 0;
    [[nodiscard]] virtual std::string name() const = 0;
    /// CUDA's number of a GPU, from 0; 0 for the CPU.
    [[nodiscard]] virtual int index() const { return 0; }
    /// Name in flags, files and reports: "cpu", "cuda" for the first GPU, "cuda:1" for the second.
    [[nodiscard]] std::string id() const;
    /// cudaSetDevice() for the calling thread; nothing on the CPU. Streams call it when they are
    /// used.
    virtual void make_current() const {}
    /// The connection to another GPU; none for the CPU.
    [[nodiscard]] virtual PeerLink link_to(const Device& /*peer*/) const { return {}; }

    /// Allocates 256-byte aligned, stream-ordered memory from the device's pool; a block freed on a
    /// stream can be reused by later work of that stream. Throws UserError with the bytes wanted
    /// and free if it does not fit. Returns nullptr for `bytes` 0.
    [[nodiscard]] virtual void* allocate(std::size_t bytes, Stream& stream) = 0;
    virtual void free(void* pointer, std::size_t bytes, Stream& stream) noexcept = 0;

    /// Copies in stream order. The host source of an upload may be reused on return; a download
    /// waits for its data.
    virtual void upload(Stream& s, void* to, const void* from_host, std::size_t bytes) = 0;
    virtual void download(Stream& s, void* to_host, const void* from, std::size_t bytes) = 0;
    virtual void copy(Stream& s, void* to, const void* from, std::size_t bytes) = 0;
    virtual void fill_zero(Stream& s, void* to, std::size_t bytes) = 0;
    /// Copies from the memory of a device of the same kind in stream order. Work of `peer` that
    /// writes there must be complete, or `s` must wait for an event recorded after it.
    virtual void copy_from_peer(Stream& s, void* to, const Device& peer, const void* from,
                                std::size_t bytes) = 0;

    /// Host memory for download_later: pinned on CUDA, so that copies to it do not wait.
    [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) { return ::operator new(bytes); }
    virtual void free_pinned(void* pointer) noexcept { ::operator delete(pointer); }
    /// Copies to pinned memory in stream order; complete once an event recorded later is ready.
    virtual void download_later(Stream& s, void* to_pinned, const void* from, std::size_t bytes) {
        download(s, to_pinned, from, bytes);
    }

    [[nodiscard]] virtual std::unique_ptr<Stream> create_stream() = 0;
    /// A high-priority stream for short work that other work waits for. On CUDA its blocks are
    /// scheduled before those of create_stream(); on the CPU it is an ordinary stream.
    [[nodiscard]] virtual std::unique_ptr<Stream> create_urgent_stream() { return create_stream(); }
    /// Creates the stream of create_background_stream(), whose kernels run on a part of a GPU.
    [[nodiscard]] virtual std::unique_ptr<Stream> create_part_stream(float /*gpu_share*/) {
        return create_stream();
    }
    [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
    /// Starts recording: work given to `s` is recorded instead of run, until end_graph(). Recorded
    /// work may neither allocate nor wait. Returns false where the device has no graphs (the CPU).
    [[nodiscard]] virtual bool begin_graph(Stream& /*s*/) { return false; }
    /// Returns the recorded work. Throws UserError if some of it cannot be recorded.
    [[nodiscard]] virtual std::unique_ptr<Graph> end_graph(Stream& /*s*/) { return nullptr; }
    [[nodiscard]] virtual MemoryStats memory_stats() const = 0;
    /// Returns the pool's unused memory to the system; later allocations take longer.
    virtual void trim() = 0;
};

/// An in-order queue of work on one device.
class Stream {
  public:
    virtual ~Stream() = default;

    /// Enables cancellation of the work given to the stream from now on. It ends early, with
    /// Cancelled, once `asked` is at least `least`. Another thread may set `asked`. Null:
    /// never. On a GPU only whole launches are skipped, where the work itself polls is_cancelled().
    void watch_cancellation(const std::atomic<Cancellation>* asked, Cancellation least) {
        asked_ = asked;
        least_ = least;
    }
    [[nodiscard]] bool is_cancelled() const {
        return asked_ && asked_->load(std::memory_order_relaxed) >= least_;
    }
    /// Polls for cancellation: throws Cancelled if is_cancelled().
    void check_cancelled() const {
        if (is_cancelled()) throw Cancelled();
    }
    /// Until the end of the scope only Cancellation::everything cancels the stream's work: for
    /// results that are valid for any view.
    class ForAnyView {
      public:
        explicit ForAnyView(Stream& stream) : stream_(stream), before_(stream.least_) {
            stream.least_ = Cancellation::everything;
        }
        ~ForAnyView() { stream_.least_ = before_; }
        ForAnyView(const ForAnyView&) = delete;
        ForAnyView& operator=(const ForAnyView&) = delete;

      private:
        Stream& stream_;
        Cancellation before_;
    };

    [[nodiscard]] virtual Device& device() const = 0;
    /// cudaStream_t on CUDA, whose GPU becomes current in the calling thread; nullptr on the CPU.
    [[nodiscard]] virtual void* native() const = 0;
    /// Waits until all work given so far has run; throws UserError if any of it failed.
    virtual void synchronize() = 0;
    /// Number of a GPU's multiprocessors that its kernels may run on; 0 on the CPU.
    [[nodiscard]] virtual int multiprocessors() const { return 0; }

  private:
    const std::atomic<Cancellation>* asked_ = nullptr;
    Cancellation least_ = Cancellation::everything;
};

/// The devices of this machine: the CPU first, then the CUDA GPUs that the build and the driver
/// support. The first GPU is set up now, the others when they are first used.
[[nodiscard]] const std::vector<Device*>& devices();
/// The first GPU; null where there is none.
[[nodiscard]] Device* first_gpu();
/// Reason why there is no CUDA device ("" when there is one).
[[nodiscard]] const std::string& cuda_absence();
/// Finds a device: "cpu", "cuda" (the first GPU), "cuda:1" (the second) or "auto" (the first GPU,
/// or the CPU where there is none). Throws UsageError listing the known ids, or UserError with the
/// reason why a GPU is not there.
[[nodiscard]] Device& find_device(const std::string& id);
/// Finds the devices of a list such as "cuda:0,cuda:1"; "cuda:all" names all GPUs. A device
/// may be listed twice. Throws as find_device(), and UsageError for an empty list.
[[nodiscard]] std::vector<Device*> find_devices(const std::string& ids);
/// The ids, as find_devices() reads them.
[[nodiscard]] std::string ids_of(const std::vector<Device*>& devices);
/// Their names: "NVIDIA H200", "2 x NVIDIA H200", or those of different devices joined by " + ".
[[nodiscard]] std::string names_of(const std::vector<Device*>& devices);
/// Id of the first device of a kind.
[[nodiscard]] const char* device_id(DeviceKind kind);

/// Call before allocating: throws refused_memory() if `bytes` exceed the device's free memory.
void require_memory(const Device& device, std::uint64_t bytes, const std::string& what,
                    const std::string& advice);
/// The error of an allocation that a device refused, in the words of refused_memory() of
/// core/base/host_memory.h.
[[nodiscard]] OutOfMemory refused_memory(const Device& device, std::uint64_t bytes,
                                         std::uint64_t free_bytes, const std::string& what,
                                         const std::string& advice);

}  // namespace tl
