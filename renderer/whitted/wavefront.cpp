#include "renderer/whitted/wavefront.h"

#include <algorithm>

namespace tl {
namespace {

/// Capacity of a level that had no rays, so that its first rays are counted and processed there.
constexpr std::uint32_t kLeastRoom = 256;

}  // namespace

std::array<std::uint32_t, kWavefrontLevels> WavefrontPlan::capacities(std::uint32_t n_camera,
                                                                      int max_depth) {
    if (n_camera != n_camera_ || max_depth != max_depth_) {
        n_camera_ = n_camera;
        max_depth_ = max_depth;
        ++version_;
        // Initial guess, before the first counts: half of a level's rays spawn another.
        room_ = {};
        for (int level = 0; level <= max_depth; ++level)
            room_[level] = level == 0 ? n_camera : std::max(room_[level - 1] / 2, kLeastRoom);
    }
    if (readback_)
        if (auto taken = readback_->take(); taken && taken->tag == version_)
            for (int level = 1; level <= max_depth; ++level) {
                std::uint64_t wanted = taken->value.wanted[level];
                room_[level] = static_cast<std::uint32_t>(
                    std::clamp<std::uint64_t>(wanted + wanted / 4, kLeastRoom, kMostRays));
                // Levels beyond the first empty one get capacity once that one has rays.
                if (wanted == 0) {
                    std::fill(room_.begin() + level + 1, room_.end(), 0u);
                    break;
                }
            }
    return room_;
}

void WavefrontPlan::read_back(Stream& stream, const WavefrontCounts* counts) {
    if (!readback_) readback_ = std::make_unique<Readback<WavefrontCounts>>(stream.device());
    readback_->request(stream, counts, version_);
}

}  // namespace tl
