#include "library/api/tree_handle.h"

#include <algorithm>

#include "core/device/registry.h"
#if defined(TL_HAS_CUDA)
#include "core/device/device_cuda.h"
#endif

namespace tl {

std::unique_ptr<Stream> stream_of([[maybe_unused]] Device& device, [[maybe_unused]] void* native) {
#if defined(TL_HAS_CUDA)
    if (device.kind() == DeviceKind::cuda) return borrow_stream(device, native);
#endif
    return device.create_stream();
}

void wait_for_all([[maybe_unused]] const Device& device) {
#if defined(TL_HAS_CUDA)
    if (device.kind() == DeviceKind::cuda) synchronize_gpu(device);
#endif
}

namespace {

void rebind([[maybe_unused]] Stream& stream, [[maybe_unused]] void* native) {
#if defined(TL_HAS_CUDA)
    if (stream.device().kind() == DeviceKind::cuda) rebind_stream(stream, native);
#endif
}

/// Throws UserError for cudaStreamPerThread, a handle that names another stream in each thread.
void refuse_thread_stream(void* native) {
    constexpr std::uintptr_t kPerThread = 2;
    if (reinterpret_cast<std::uintptr_t>(native) == kPerThread)
        throw UserError("cudaStreamPerThread is several streams: give one that you have created");
}

}  // namespace

void* StagingMemory::take(Device& device, std::size_t bytes) {
    constexpr std::size_t kSize = 1u << 16, kLargest = kSize / 4, kAlignment = 256;
    const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > kLargest || used_ + taken > kSize) return nullptr;
    if (!memory_.data()) memory_ = PinnedArray<std::byte>(device, kSize);
    void* at = memory_.data() + used_;
    used_ += taken;
    return at;
}

TreeStreams::TreeStreams(Device& device)
    : device_(device),
      writer_(stream_of(device, nullptr)),
      write_scratch_(*writer_),
      written_(device.create_event()) {}

void TreeStreams::retire() noexcept {
    try {
        wait_for_all(device_);
        rebind(*writer_, nullptr);
        for (auto& [native, query] : of_native_) rebind(*query->stream, nullptr);
    } catch (const std::exception&) {  // the GPU has failed; its memory ends with the process
    }
}

QueryStream& TreeStreams::stream_for(void* native) {
    refuse_thread_stream(native);
    auto& entry = of_native_[native];
    if (!entry) {
        // A single stream does not record its work. Whoever has not seen the second one here has
        // given it all that this waits for.
        if (++n_streams_ == 2) wait_for_all(device_);
        entry = std::make_unique<QueryStream>(stream_of(device_, native));
    }
    return *entry;
}

QueryStream& TreeStreams::free_cpu_stream() {
    for (auto& entry : of_cpu_)
        if (std::unique_lock lock(entry->in_use, std::try_to_lock); lock.owns_lock()) return *entry;
    return *of_cpu_.emplace_back(std::make_unique<QueryStream>(device_.create_stream()));
}

std::pair<QueryStream*, std::unique_lock<std::mutex>> TreeStreams::query_on(void* native) {
    std::unique_lock lock(mutex_);
    QueryStream& query = is_gpu() ? stream_for(native) : free_cpu_stream();
    if (!is_gpu()) return {&query, std::unique_lock(query.in_use)};
    lock.unlock();
    std::unique_lock in_use(query.in_use);
    if (query.seen_version != version_) {
        written_->hold(*query.stream);
        query.seen_version = version_;
    }
    return {&query, std::move(in_use)};
}

void TreeStreams::end_query(QueryStream& used) noexcept {
    if (!is_gpu() || n_streams_ <= 1) return;
    try {
        used.last_work->record(*used.stream);
    } catch (const std::exception&) {  // the GPU has failed, and with it all later work
    }
}

Scratch& TreeStreams::write_on(void* native) {
    if (!is_gpu()) return write_scratch_;
    refuse_thread_stream(native);
    // The next work of this stream comes after what the writer has done in another one.
    rebind(*writer_, native);
    if (version_ > 0) written_->hold(*writer_);
    for (auto& [other, query] : of_native_) {
        if (other == native) continue;
        if (n_streams_ == 1) wait_for_all(device_);
        query->last_work->hold(*writer_);
    }
    return write_scratch_;
}

void TreeStreams::end_write() noexcept {
    ++version_;
    if (!is_gpu()) return;
    try {
        written_->record(*writer_);
    } catch (const std::exception&) {  // the GPU has failed, and with it all later work
    }
}

}  // namespace tl

void tl_tree::apply_settings(tl::TreeConfig& to, tl::TreeBuilder& to_builder) const {
    auto update = to.update;
    to = config;
    to.update = update;
    auto known = to_builder.settings();
    for (const auto& [id, value] : builder_settings) {
        // "hploc-radius" or "radius"
        const std::string own = id.starts_with(builder + "-") ? id.substr(builder.size() + 1) : id;
        auto found = std::ranges::find(known, own, [](auto& setting) { return setting->id; });
        if (found == known.end()) {
            std::string ids;
            for (auto& setting : known) ids += (ids.empty() ? "" : ", ") + setting->id;
            throw tl::UsageError("neither trees nor builder " + builder + " have a setting '" + id +
                                 "'; this builder's: " + (ids.empty() ? "none" : ids));
        }
        found->set(value);
    }
}

void tl_tree::start(tl_geometry_kind of) {
    if (kind != of || (!shapes && !points && !instances)) {
        shapes.reset();
        points.reset();
        instances.reset();
    }
    kind = of;
    if (of == TL_POINTS) {
        if (!points) points = TL_DISPATCH(device, make_point_set());
    } else if (of == TL_INSTANCES) {
        if (instances) return;
        instances = std::make_unique<tl::InstanceTree>(device, builder);
        apply_settings(instances->tree().config, instances->builder());
    } else if (!shapes) {
        shapes = std::make_unique<tl::ShapeTree>(device, builder);
        apply_settings(shapes->config(), shapes->builder());
    }
}

std::size_t tl_tree::count() const {
    return shapes ? shapes->count() : points ? points->count() : instances ? instances->count() : 0;
}
