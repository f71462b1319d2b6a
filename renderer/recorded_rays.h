// The rays that a frame traces, by kind, to be traced again without shading.
#pragma once

#include <array>
#include <cstdint>

#include "renderer/probe/ray_probes.h"
#include "renderer/renderer.h"
#include "renderer/shading/ray_purpose.h"

namespace tl {

/// On the device of the stream that they were recorded on, which must outlive them.
struct RecordedRays {
    DeviceArray<Ray> rays;       ///< those of one kind lie together
    DeviceArray<ProbeHit> seen;  ///< what each ray met in the frame; of any-hit rays found() alone
    /// Where each kind starts, and the end of all.
    std::array<std::uint64_t, kRayPurposes + 1> first{};
    bool any_hit_shadows = true;  ///< shadow rays asked for any hit and not for the nearest one

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
    /// Of device memory that one ray takes.
    static constexpr std::size_t kBytesPerRay = sizeof(Ray) + sizeof(ProbeHit);
};

class RayRecorder {
  public:
    virtual ~RayRecorder() = default;
    /// The rays of the newest frame, `frame`, of the pixels of `film` that are not done. Of each
    /// kind, 32 neighbouring pixels go in step, as a warp's threads do: the first ray of each, the
    /// second of each that has one, and so on, each pixel's in the order of the single kernel. They
    /// are counted first; throws UserError where they need more than `most_bytes`, or more than the
    /// device has free. Waits.
    [[nodiscard]] virtual RecordedRays record_rays(const Frame& frame, LiveScene& scene,
                                                   const FilmView& film, Scratch& scratch,
                                                   std::uint64_t most_bytes) = 0;
};

}  // namespace tl
