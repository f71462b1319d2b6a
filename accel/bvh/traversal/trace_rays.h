// Wavefront tracing: traces a buffer of rays through a tree of any layout in one launch. The
// traversal kernels are compiled only once. A renderer writes rays, and its shading kernels read
// hits. Implemented by trace_rays_pass.h.
#pragma once

#include <cstddef>

#include "accel/tree.h"
#include "core/device/records.h"

namespace tl {

/// Reduced hit: distance and primitive only.
struct ProbeHit {
    float t = kInfinity;
    std::uint32_t primitive = Hit::kNone;
    [[nodiscard]] TL_HD bool found() const { return primitive != Hit::kNone; }
};
static_assert(sizeof(ProbeHit) == 8);

/// Buffer of rays to trace. The first two 16-byte words of a record hold origin and direction.
/// Records are of type Ray, or of a renderer's own type.
struct RayRecords {
    /// Bits of the origin's fourth component that mark a record without a ray.
    static constexpr std::uint32_t kNoRay = 0xffffffffu;

    const std::byte* data = nullptr;
    std::uint32_t stride = 0;     ///< bytes from a record to the next
    std::uint32_t direction = 0;  ///< byte offset of the second word
    std::uint32_t size = 0;       ///< number of records
    /// Byte offset of the ray's start point on a patch (PatchPosition); 0 if it is not read.
    std::uint32_t on_patch = 0;
    /// Whether the fourth components are t_min and t_max. If not, they have no meaning except
    /// kNoRay, and hits count from 0 to infinity.
    bool bounded = true;
    const std::uint32_t* count = nullptr;  ///< number of records in use, on the device; null: all

    RayRecords(const Records<const Ray>& rays) : RayRecords(rays, nullptr, true) {}
    RayRecords(View<const Ray> rays) : RayRecords(Records<const Ray>(rays)) {}
    RayRecords(View<Ray> rays) : RayRecords(Records<const Ray>(rays)) {}
    /// Records of another type; the first *count are in use.
    template <class Record>
    RayRecords(const Records<const Record>& records, const std::uint32_t* count)
        : RayRecords(records, count, false) {}
    template <class Record>
    RayRecords(View<const Record> records, const std::uint32_t* count)
        : RayRecords(Records<const Record>(records), count, false) {}

  private:
    template <class Record>
    RayRecords(const Records<const Record>& records, const std::uint32_t* count, bool bounded)
        : data(records.data),
          stride(records.stride),
          direction(records.word_step),
          size(records.size),
          on_patch(offsetof(Record, on_patch) / 16 * records.word_step +
                   offsetof(Record, on_patch) % 16),
          bounded(bounded),
          count(count) {
        static_assert(offsetof(Record, origin) == 0 && offsetof(Record, direction) == 16);
    }
};

/// Radiance that an unoccluded shadow ray adds to the sum of a pixel.
struct alignas(16) ArrivingLight {
    vec3 radiance;
    std::uint32_t pixel;
};

/// Contributions of shadow rays to pixels.
struct LightOfRays {
    View<const ArrivingLight> lights;  ///< one per record; no two may have the same pixel
    View<vec4> sums;                   ///< accumulated radiance of the pixels
};

/// Output of hits, one per record, in the first of these views that is not empty. If all are empty,
/// `arriving` is added for records without a hit.
struct HitRecords {
    View<Hit> hits;
    View<ProbeHit> probe_hits;
    View<std::uint8_t> found;  ///< 1 if there is a hit
    LightOfRays arriving{};
};

/// Mapping of rays to threads of a GPU.
enum class RayLaunch {
    queue,  ///< persistent warps (accel/bvh/traversal/trace_queue.h)
    each,   ///< one thread per ray
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the closest hit of each ray. Never waits; `name` labels the profiler range.
    void trace_closest(Scratch& scratch, const char* name, const TreeView& tree,
                       const RayRecords& rays, const HitRecords& hits,
                       RayLaunch launch = RayLaunch::queue);
    /// Finds any hit of each ray, of which only found() is valid. Never waits.
    void trace_any(Scratch& scratch, const char* name, const TreeView& tree,
                   const RayRecords& rays, const HitRecords& hits,
                   RayLaunch launch = RayLaunch::queue);
)
// clang-format on
