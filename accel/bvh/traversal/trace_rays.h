// Rays in memory against a tree of whatever layout, one launch for all of them. The kernels are
// compiled once, here: a renderer writes rays, and its shading kernels see hits.
#pragma once

#include <cstddef>

#include "accel/parallel/array.h"
#include "accel/tree.h"

namespace tl {

/// What is kept of a hit where its distance and its primitive are enough.
struct ProbeHit {
    float t = kInfinity;
    std::uint32_t primitive = Hit::kNone;
    [[nodiscard]] TL_HD bool found() const { return primitive != Hit::kNone; }
};
static_assert(sizeof(ProbeHit) == 8);

/// Rays to trace, in records of a fixed size whose first two words of 16 bytes hold origin and
/// direction. Records are of type Ray, or of a renderer's own.
struct RayRecords {
    /// The fourth component of the origin of a record that holds no ray, as bits.
    static constexpr std::uint32_t kNoRay = 0xffffffffu;

    const std::byte* data = nullptr;
    std::uint32_t stride = 0;  ///< bytes
    std::uint32_t size = 0;    ///< records
    /// Of the place on a patch where the ray starts (PatchPlace), bytes into the record.
    std::uint32_t from = 0;
    /// Whether the fourth components are t_min and t_max. Of other records' rays they mean nothing
    /// but kNoRay, and hits count from 0 to infinity.
    bool bounded = true;
    const std::uint32_t* count = nullptr;  ///< records in use, on the device; null: all

    RayRecords(View<const Ray> rays)
        : data(reinterpret_cast<const std::byte*>(rays.data)),
          stride(sizeof(Ray)),
          size(static_cast<std::uint32_t>(rays.size)),
          from(offsetof(Ray, from)) {}
    RayRecords(View<Ray> rays) : RayRecords(View<const Ray>(rays)) {}
    /// Of records of another type, `count` of them in use.
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

/// Where hits go, one for each record: to the first of these that is not empty.
struct HitRecords {
    View<Hit> hits;
    View<ProbeHit> probe_hits;
    View<std::uint8_t> found;  ///< 1 where there is a hit
};

/// How rays become threads of a GPU.
enum class RayLaunch {
    queue,  ///< warps refill from a queue (accel/bvh/traversal/trace_queue.h)
    each,   ///< a thread for each ray
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The nearest hit of each ray. Never waits; `name` is the profiler's range.
    void trace_closest(Scratch& scratch, const char* name, const TreeView& tree,
                       const RayRecords& rays, const HitRecords& hits,
                       RayLaunch launch = RayLaunch::queue);
    /// A hit of each ray that has one, of which only found() is right.
    void trace_any(Scratch& scratch, const char* name, const TreeView& tree,
                   const RayRecords& rays, const HitRecords& hits,
                   RayLaunch launch = RayLaunch::queue);
)
// clang-format on
