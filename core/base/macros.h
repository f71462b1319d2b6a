// One source for two devices: a `.cu` file is compiled by nvcc into `tl::cuda` and, through a
// generated wrapper that defines TL_DEVICE_CPU, by the host compiler into `tl::cpu`. Device code
// goes between TL_DEVICE_BEGIN and TL_DEVICE_END; host code that serves both devices selects a
// version with TL_DISPATCH.
#pragma once

#if defined(__CUDACC__)
#define TL_HD __host__ __device__
/// Marks functions of the device that this file is compiled for; TL_HD ones also run on the host.
#define TL_D __device__
#define TL_DEVICE_NAME cuda
/// A lambda for parallel_for: captures by value and runs on the device of this compilation.
#define TL_LAMBDA [=] __device__
/// Keeps a function from being inlined into the loops that call it.
#define TL_NO_INLINE __noinline__
#else
#define TL_HD
#define TL_D
#define TL_DEVICE_NAME cpu
#define TL_LAMBDA [=]
#define TL_NO_INLINE __attribute__((noinline))
#endif
/// Forces inlining. In files with many large functions the compiler reaches its size limit and no
/// longer inlines code that every node or hit needs, which costs a third of the speed.
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))

// The namespace of the device being compiled for is inline, so device code need not name it.
#if defined(__CUDACC__)
namespace tl {
inline namespace cuda {}
namespace cpu {}
}  // namespace tl
#elif defined(TL_DEVICE_CPU)
namespace tl {
inline namespace cpu {}
namespace cuda {}
}  // namespace tl
#else
namespace tl {
namespace cpu {}
namespace cuda {}
}  // namespace tl
#endif

#define TL_DEVICE_BEGIN \
    namespace tl {      \
    namespace TL_DEVICE_NAME {
#define TL_DEVICE_END \
    }                 \
    }

/// Declares host-callable functions that exist once per device: `TL_FOR_DEVICES(void f(int);)`.
#define TL_FOR_DEVICES(...) \
    namespace tl::cpu {     \
    __VA_ARGS__             \
    }                       \
    namespace tl::cuda {    \
    __VA_ARGS__             \
    }

/// Calls the version of a device function that belongs to `device`.
#if defined(TL_HAS_CUDA)
#define TL_DISPATCH(device, call) \
    ((device).kind() == ::tl::DeviceKind::cuda ? ::tl::cuda::call : ::tl::cpu::call)
#else
#define TL_DISPATCH(device, call) ((void)(device), ::tl::cpu::call)
#endif
