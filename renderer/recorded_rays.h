// The rays that a frame traces, sorted by kind, for tracing them again without shading.
#pragma once

#include <array>
#include <cstdint>

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/frame_context.h"
#include "renderer/shading/ray_purpose.h"

namespace tl {

struct FilmView;

/// Recorded rays, in memory of the device that recorded them. The recording stream must outlive
/// them.
struct RecordedRays {
    DeviceArray<Ray> rays;       ///< rays of one kind are adjacent
    DeviceArray<ProbeHit> seen;  ///< their hits in the frame; of any-hit rays only found() is valid
    /// First index of each kind's rays, and the number of all rays at the end.
    std::array<std::uint64_t, kRayPurposes + 1> first{};
    bool any_hit_shadows = true;  ///< shadow rays were any-hit rays and not closest-hit ones

    [[nodiscard]] std::size_t count(RayPurpose kind) const {
        auto k = static_cast<std::size_t>(kind);
        return first[k + 1] - first[k];
    }
    [[nodiscard]] View<const Ray> rays_of(RayPurpose kind) const {
        return {rays.data() + first[static_cast<std::size_t>(kind)], count(kind)};
    }
    [[nodiscard]] View<const ProbeHit> seen_of(RayPurpose kind) const {
        return {seen.data() + first[static_cast<std::size_t>(kind)], count(kind)};
    }
    [[nodiscard]] bool is_any_hit(RayPurpose kind) const {
        return kind == RayPurpose::shadow && any_hit_shadows;
    }
    /// Bytes of device memory per ray.
    static constexpr std::size_t kBytesPerRay = sizeof(Ray) + sizeof(ProbeHit);
};

/// Throws UserError where this many rays need more than `most_bytes`, or more than the device has
/// free.
void require_room_for_rays(const Device& device, std::uint64_t n_rays, std::uint64_t most_bytes);

class RayRecorder {
  public:
    virtual ~RayRecorder() = default;
    /// Records the rays of the newest frame, `frame`, for the pixels of `film` that are not done.
    /// Rays of one kind come in the order in which a GPU traces them. Those of 32 neighbouring
    /// pixels are interleaved as by a warp's threads: the first ray of each pixel, then the second
    /// of each that has one, and so on. The path tracer's come bounce after bounce, as its queues
    /// hold them. Counts them first. Throws UserError where they need more than `most_bytes`, or
    /// more than the device has free. Waits.
    [[nodiscard]] virtual RecordedRays record_rays(const Frame& frame, LiveScene& scene,
                                                   const FilmView& film, Scratch& scratch,
                                                   std::uint64_t most_bytes) = 0;
};

}  // namespace tl
