// The Whitted tracer bounce by bounce (Zeidan 2011, section 5.1): queues of rays are traced,
// classified, scanned and compacted. Either rays carry their weight in the pixel forward, or the
// pixels' shade trees are kept and evaluated afterwards.
//
// How many rays a bounce has is known on the device alone. Buffers have room for what earlier
// frames needed and a quarter more; a ray whose children find no room is followed to its end, depth
// first, where it is. So nothing is lost, nothing waits, and nothing is reserved for the worst
// case.
#pragma once

#include <array>
#include <memory>

#include "accel/parallel/readback.h"
#include "renderer/film/film.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/whitted/whitted_config.h"

namespace tl {

/// Bounces from the camera's rays (0) on that have queues.
inline constexpr int kWavefrontLevels = WhittedConfig::kMaxDepth + 1;

/// Counts on the device.
struct WavefrontCounts {
    std::uint32_t n_rays[kWavefrontLevels + 1] = {};  ///< of the level, those that found room
    std::uint32_t n_leaves = 0;                       ///< of all levels so far
    std::uint32_t n_reflections = 0, n_refractions = 0;
    std::uint32_t n_overflows = 0;  ///< rays followed to their end for want of room
    /// The most rays that the level wanted in one chunk of this frame.
    std::uint32_t wanted[kWavefrontLevels + 1] = {};
};

/// How many rays each level gets room for.
class WavefrontPlan {
  public:
    /// Rays of the camera in one chunk of the picture.
    static constexpr std::uint32_t kChunk = 1u << 20;
    /// Of any level; its counts are scanned in 21 bits.
    static constexpr std::uint32_t kMostRays = (1u << 21) - 1;

    /// Room for the next frame of pictures with this many camera rays a chunk: what is known of
    /// earlier frames, or a guess. Never waits.
    [[nodiscard]] std::array<std::uint32_t, kWavefrontLevels> capacities(std::uint32_t n_camera,
                                                                         int max_depth);
    /// To be called at the end of a frame.
    void read_back(Stream& stream, const WavefrontCounts* counts);

  private:
    std::uint32_t n_camera_ = 0;
    int max_depth_ = 0;
    std::uint64_t version_ = 0;  ///< of picture size and depth that counts belong to
    std::array<std::uint32_t, kWavefrontLevels> room_{};
    std::unique_ptr<Readback<WavefrontCounts>> readback_;
};

}  // namespace tl
