#include "renderer/recorded_rays.h"

#include <cstdio>

#include "core/base/error.h"

namespace tl {

void require_room_for_rays(const Device& device, std::uint64_t n_rays, std::uint64_t most_bytes) {
    std::uint64_t bytes = n_rays * RecordedRays::kBytesPerRay;
    std::uint64_t free = device.memory_stats().bytes_free;
    if (bytes <= most_bytes && bytes <= free && n_rays < Hit::kNone) return;
    char text[256];
    std::snprintf(text, sizeof text,
                  "the frame's %llu rays take %.1f MB to record; %.1f MB are allowed and %.1f MB "
                  "free: choose a smaller size, less depth or fewer light samples",
                  static_cast<unsigned long long>(n_rays), static_cast<double>(bytes) * 1e-6,
                  static_cast<double>(most_bytes) * 1e-6, static_cast<double>(free) * 1e-6);
    throw UserError(text);
}

}  // namespace tl
