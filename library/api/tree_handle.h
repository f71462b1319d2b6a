// The tree behind the C interface's handle: what it is built over, and the streams that work on it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "accel/query/instance_tree.h"
#include "accel/query/point_set.h"
#include "accel/query/shape_tree.h"
#include "core/device/pinned_array.h"
#include "library/api/guarded.h"
#include "library/api/treelight_trees.h"

namespace tl {

/// A caller's stream of a GPU, which is not destroyed with the result; null is CUDA's default
/// stream. On the CPU a stream of its own.
[[nodiscard]] std::unique_ptr<Stream> stream_of(Device& device, void* native);
/// Waits for all work of a GPU, in any stream.
void wait_for_all(const Device& device);

/// Pinned memory, which a GPU reads and writes where it is. For a few bytes that takes less time
/// than copies to its memory and back.
class StagingMemory {
  public:
    /// Returns `bytes` that nothing else has taken since the last reset, or null if they are too
    /// many. Allocates on the first call.
    [[nodiscard]] void* take(Device& device, std::size_t bytes);
    /// Call when no work uses the memory any more.
    void reset() { used_ = 0; }

  private:
    PinnedArray<std::byte> memory_;
    std::size_t used_ = 0;
};

/// A stream that queries run on, with their temporary memory. One call at a time uses it.
struct QueryStream {
    std::unique_ptr<Stream> stream;
    Scratch scratch;
    StagingMemory staging;
    std::unique_ptr<Event> last_work;  ///< recorded after each call if there are other streams
    std::uint64_t seen_version = 0;    ///< version of the tree that this stream waits for
    std::mutex in_use;

    explicit QueryStream(std::unique_ptr<Stream> own)
        : stream(std::move(own)), scratch(*stream), last_work(stream->device().create_event()) {}
};

/// Orders the work on one tree between the streams of its callers. On the CPU a stream has no work
/// that is still to do, and calls in different threads need streams of their own.
class TreeStreams {
  public:
    explicit TreeStreams(Device& device);

    /// Waits for all work. What is freed later is freed on the default stream: callers may have
    /// destroyed theirs.
    void retire() noexcept;

    /// Takes the caller's stream for a query, until the lock is released. Its work comes after the
    /// last write.
    [[nodiscard]] std::pair<QueryStream*, std::unique_lock<std::mutex>> query_on(void* native);
    /// Call when a query's work has been given to its stream.
    void end_query(QueryStream& used) noexcept;
    /// Takes the caller's stream for a build: its work comes after that of all other streams.
    [[nodiscard]] Scratch& write_on(void* native);
    /// Call when the work of the build has been given to its stream.
    void end_write() noexcept;
    /// The stream that owns the tree's memory.
    [[nodiscard]] Stream& writer() { return *writer_; }

  private:
    [[nodiscard]] bool is_gpu() const { return device_.kind() == DeviceKind::cuda; }
    QueryStream& stream_for(void* native);
    QueryStream& free_cpu_stream();

    Device& device_;
    std::unique_ptr<Stream> writer_;
    Scratch write_scratch_;
    std::unique_ptr<Event> written_;
    std::uint64_t version_ = 0;
    std::mutex mutex_;  ///< guards the streams below
    std::map<void*, std::unique_ptr<QueryStream>> of_native_;
    std::atomic<int> n_streams_{0};  ///< of a GPU
    std::vector<std::unique_ptr<QueryStream>> of_cpu_;
};

/// Names and values of settings.
using TreeSettings = std::vector<std::pair<std::string, std::string>>;

/// Makes an empty tree of triangles. Throws UsageError for an unknown device, builder or setting.
[[nodiscard]] std::unique_ptr<tl_tree> make_tree(const std::string& device,
                                                 const TreeSettings& settings);

}  // namespace tl

struct tl_tree {
    tl::Device& device;
    std::string device_id;
    std::string builder;
    tl::TreeSettings settings;  ///< as they were given
    tl::TreeConfig config;
    tl::TreeSettings builder_settings;
    bool check_indices = true;

    tl_geometry_kind kind = TL_TRIANGLES;
    std::shared_mutex lock;  ///< shared by queries
    tl::TreeStreams streams;
    std::unique_ptr<tl::ShapeTree> shapes;        ///< of triangles, boxes and spheres
    std::unique_ptr<tl::PointSet> points;         ///< of points
    std::unique_ptr<tl::InstanceTree> instances;  ///< of instances

    explicit tl_tree(tl::Device& on) : device(on), device_id(on.id()), streams(on) {}
    ~tl_tree() { streams.retire(); }
    tl_tree(const tl_tree&) = delete;
    tl_tree& operator=(const tl_tree&) = delete;
    /// Resets to an empty tree of this kind.
    void start(tl_geometry_kind of);
    /// Applies the settings to a tree and its builder. Throws UsageError.
    void apply_settings(tl::TreeConfig& to, tl::TreeBuilder& to_builder) const;
    [[nodiscard]] std::size_t count() const;
};
