// Traces rays in memory through a tree of any layout in one launch. The traversal kernels are
// compiled only once: a renderer writes rays, and its shading kernels read hits.
#pragma once

#include <cstddef>

#include "accel/parallel/array.h"
#include "accel/tree.h"

namespace tl {

/// A reduced hit, for uses that need only distance and primitive.
struct ProbeHit {
    float t = kInfinity;
    std::uint32_t primitive = Hit::kNone;
    [[nodiscard]] TL_HD bool found() const { return primitive != Hit::kNone; }
};
static_assert(sizeof(ProbeHit) == 8);

/// Rays to trace, in records of fixed size whose first two 16-byte words hold origin and direction.
/// Records are of type Ray, or of a renderer's own type.
struct RayRecords {
    /// Marks a record without a ray: the bits of the origin's fourth component.
    static constexpr std::uint32_t kNoRay = 0xffffffffu;

    const std::byte* data = nullptr;
    std::uint32_t stride = 0;  ///< bytes
    std::uint32_t size = 0;    ///< records
    /// Byte offset in the record of the place on a patch where the ray starts (PatchPlace).
    std::uint32_t from = 0;
    /// Whether the fourth components are t_min and t_max. If not, they have no meaning except
    /// kNoRay, and hits count from 0 to infinity.
    bool bounded = true;
    const std::uint32_t* count = nullptr;  ///< number of records in use, on the device; null: all

    RayRecords(View<const Ray> rays)
        : data(reinterpret_cast<const std::byte*>(rays.data)),
          stride(sizeof(Ray)),
          size(static_cast<std::uint32_t>(rays.size)),
          from(offsetof(Ray, from)) {}
    RayRecords(View<Ray> rays) : RayRecords(View<const Ray>(rays)) {}
    /// Records of another type, `count` of which are in use.
    template <class Record>
    RayRecords(View<const Record> records, const std::uint32_t* count)
        : data(reinterpret_cast<const std::byte*>(records.data)),
          stride(sizeof(Record)),
          size(static_cast<std::uint32_t>(records.size)),
          from(offsetof(Record, from)),
          bounded(false),
          count(count) {
        static_assert(sizeof(Record) % 16 == 0 && offsetof(Record, origin) == 0 &&
                      offsetof(Record, direction) == 16);
    }
};

/// Light that a ray brings to the sum of a pixel where nothing is in its way.
struct alignas(16) ArrivingLight {
    vec3 radiance;
    std::uint32_t pixel;
};

/// That of record i is lights[i]; no two records may have the same pixel.
struct LightOfRays {
    View<const ArrivingLight> lights;
    View<vec4> sums;  ///< of pixels
};

/// Where hits are stored, one per record: in the first of these views that is not empty; if all
/// are, light is added where there is no hit.
struct HitRecords {
    View<Hit> hits;
    View<ProbeHit> probe_hits;
    View<std::uint8_t> found;  ///< 1 if there is a hit
    LightOfRays arriving{};
};

/// How rays are mapped to threads of a GPU.
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
    /// Finds any hit of each ray, of which only found() is valid.
    void trace_any(Scratch& scratch, const char* name, const TreeView& tree,
                   const RayRecords& rays, const HitRecords& hits,
                   RayLaunch launch = RayLaunch::queue);
)
// clang-format on
