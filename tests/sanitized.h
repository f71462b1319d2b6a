// Whether the tests run under sanitizers, which make them ten times as slow: tests of pictures and
// random samples then take fewer samples, since they look for faults in memory only.
#pragma once

#include <dlfcn.h>
#include <link.h>

namespace tl::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Keeps all libraries loaded that are loaded now. A leak detector would report memory that only a
/// driver's own variables point to, once the driver is unloaded.
inline void keep_libraries() {
    if (!kSanitized) return;
    auto keep = [](dl_phdr_info* library, std::size_t, void*) {
        if (library->dlpi_name[0])
            dlopen(library->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        return 0;
    };
    dl_iterate_phdr(keep, nullptr);
}

}  // namespace tl::test
