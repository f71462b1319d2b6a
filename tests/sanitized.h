// Whether the tests run under sanitizers, which make them ten times as slow: tests of pictures and
// random samples then take fewer samples, since they look for faults in memory only.
#pragma once

namespace tl::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tl::test
