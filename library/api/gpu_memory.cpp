#include "library/api/gpu_memory.h"

#include <memory>

#include "library/api/tree_handle.h"

struct tl_gpu_mark {
    std::unique_ptr<tl::Event> event;
};

namespace tl {
namespace {

/// Runs work(device, stream) for a caller's stream.
template <class Work>
tl_status on_stream(const char* id, void* native, const Work& work) {
    return guarded(
        [&] {
            Device& device = find_device(id);
            device.make_current();
            auto stream = stream_of(device, native);
            work(device, *stream);
            return TL_OK;
        },
        TL_INVALID);
}

}  // namespace
}  // namespace tl

using tl::Device;
using tl::Stream;

tl_status tl_gpu_allocate(const char* device, size_t bytes, void* stream, void** memory) {
    *memory = nullptr;
    return tl::on_stream(device, stream, [&](Device& on, Stream& in) {  //
        *memory = on.allocate(bytes, in);
    });
}

void tl_gpu_free(const char* device, void* memory, size_t bytes, void* stream) {
    (void)tl::on_stream(device, nullptr, [&](Device& on, Stream& in) {
        if (stream) tl::wait_for_all(on);
        on.free(memory, bytes, in);
    });
}

tl_status tl_gpu_upload(const char* device, void* to, const void* from, size_t bytes,
                        void* stream) {
    return tl::on_stream(device, stream, [&](Device& on, Stream& in) {
        if (bytes) on.upload(in, to, from, bytes);
    });
}

tl_status tl_gpu_download(const char* device, void* to, const void* from, size_t bytes,
                          void* stream) {
    return tl::on_stream(device, stream, [&](Device& on, Stream& in) {
        if (bytes) on.download(in, to, from, bytes);
    });
}

tl_status tl_gpu_hold(const char* device, void* stream, void* before) {
    return tl::on_stream(device, before, [&](Device& on, Stream& first) {
        auto event = on.create_event();
        event->record(first);
        event->hold(*tl::stream_of(on, stream));
    });
}

tl_status tl_gpu_mark_create(const char* device, void* stream, tl_gpu_mark** mark) {
    *mark = nullptr;
    return tl::on_stream(device, stream, [&](Device& on, Stream& in) {
        auto event = on.create_event();
        event->record(in);
        *mark = new tl_gpu_mark{std::move(event)};
    });
}

int tl_gpu_mark_is_reached(const tl_gpu_mark* mark) {
    try {
        return mark->event->ready() ? 1 : 0;
    } catch (const std::exception&) {  // the GPU has failed, and runs nothing any more
        return 1;
    }
}

void tl_gpu_mark_destroy(tl_gpu_mark* mark) {
    delete mark;
}
