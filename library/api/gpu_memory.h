/* Device memory, and order between streams, for the Python module: it calls no CUDA of its own.
 * Not installed. `device`: its id ("cuda:1"); `stream`: a cudaStream_t, null for CUDA's default
 * stream. Devices of host memory ("cpu") work too, without streams. */
#ifndef TREELIGHT_GPU_MEMORY_H
#define TREELIGHT_GPU_MEMORY_H

#include "library/api/treelight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory in stream order, null for 0 bytes. TL_NO_MEMORY: it does not fit. */
TL_API tl_status tl_gpu_allocate(const char* device, size_t bytes, void* stream, void** memory);
/* Frees memory of tl_gpu_allocate() after the work of the default stream and, if it is another one,
 * after that of all streams: the caller may have destroyed `stream`. */
TL_API void tl_gpu_free(const char* device, void* memory, size_t bytes, void* stream);
/* Copies from host memory in stream order. Returns when `from` may be used again. */
TL_API tl_status tl_gpu_upload(const char* device, void* to, const void* from, size_t bytes,
                               void* stream);
/* Copies to host memory, and waits for it. */
TL_API tl_status tl_gpu_download(const char* device, void* to, const void* from, size_t bytes,
                                 void* stream);
/* Makes later work of `stream` wait for the work that `before` has now. The host does not wait. */
TL_API tl_status tl_gpu_hold(const char* device, void* stream, void* before);

/* A point in the work of a stream. */
typedef struct tl_gpu_mark tl_gpu_mark;
/* Marks the work that the stream has now. Null after an error. */
TL_API tl_status tl_gpu_mark_create(const char* device, void* stream, tl_gpu_mark** mark);
/* Whether the work before the mark is done, also where it has failed. Never waits. */
TL_API int tl_gpu_mark_is_reached(const tl_gpu_mark* mark);
TL_API void tl_gpu_mark_destroy(tl_gpu_mark* mark);

#ifdef __cplusplus
}
#endif

#endif
