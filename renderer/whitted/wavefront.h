// The Whitted tracer as a wavefront, bounce by bounce (Zeidan 2011, section 5.1): queues of rays
// are traced, classified, scanned and compacted. Either rays carry their throughput forward, or the
// pixels' shade trees are kept and evaluated afterwards.
//
// Only the device knows the number of rays of a bounce. Buffer capacities are the counts of earlier
// frames plus a quarter. A thread whose ray's children exceed the capacity traces that ray to its
// end, depth first. No ray is lost, the host never waits, and no memory is reserved for the worst
// case.
#pragma once

#include <array>
#include <memory>

#include "core/device/readback.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/whitted/whitted_config.h"

namespace tl {

/// Number of levels with queues, from the camera rays (bounce 0) on.
inline constexpr int kWavefrontLevels = WhittedConfig::kMaxDepth + 1;

/// Counters in device memory.
struct WavefrontCounts {
    std::uint32_t n_rays[kWavefrontLevels + 1] = {};  ///< rays of each level within its capacity
    std::uint32_t n_leaves = 0;                       ///< leaves of all levels so far
    std::uint32_t n_overflows = 0;  ///< rays traced to their end for lack of capacity
    /// Largest demand of each level in one chunk of this frame.
    std::uint32_t wanted[kWavefrontLevels + 1] = {};
};

/// Chooses the queue capacity of each level.
class WavefrontPlan {
  public:
    /// Camera rays in one chunk of the picture.
    static constexpr std::uint32_t kChunk = 1u << 20;
    /// Most rays of any level; its counts are scanned in 21 bits.
    static constexpr std::uint32_t kMostRays = (1u << 21) - 1;

    /// Capacity of each level in the next frame, with this many camera rays per chunk: by the
    /// counts of earlier frames, or a guess. Never waits.
    [[nodiscard]] std::array<std::uint32_t, kWavefrontLevels> capacities(std::uint32_t n_camera,
                                                                         int max_depth);
    /// Starts the readback of the counts; called at the end of a frame.
    void read_back(Stream& stream, const WavefrontCounts* counts);

  private:
    std::uint32_t n_camera_ = 0;
    int max_depth_ = 0;
    std::uint64_t version_ = 0;  ///< identifies the picture size and depth of the counts
    std::array<std::uint32_t, kWavefrontLevels> room_{};
    std::unique_ptr<Readback<WavefrontCounts>> readback_;
};

}  // namespace tl
