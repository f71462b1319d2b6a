// Shared code of trace_closest.cu, trace_any.cu and trace_both.cu: reads rays from records, writes
// hits, and launches the traversal.
#pragma once

#include <cstring>

#include "accel/bvh/traversal/trace_queue.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "accel/bvh/traversal/tracer.h"
#include "core/device/atomics.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

/// Reads rays from records. A record without a ray gives one of infinite direction, which tracers
/// skip.
struct RaySource {
    RayRecords records;

    TL_D Ray operator()(std::uint32_t i) const {
        const std::byte* at = records.data + std::size_t(i) * records.stride;
        const auto first = load_vectorized(*reinterpret_cast<const Word*>(at));
        const auto second = load_vectorized(*reinterpret_cast<const Word*>(at + records.direction));
        if (!records.bounded) {
            std::uint32_t bits;
            memcpy(&bits, &first.beside, sizeof bits);
            if (bits == RayRecords::kNoRay) return none();
        }
        // Copies whole words: a load that spans several smaller stores stalls the processor.
        Ray ray;
        memcpy(static_cast<void*>(&ray), &first, sizeof first);
        memcpy(static_cast<void*>(&ray.direction), &second, sizeof second);
        if (!records.bounded) {
            ray.t_min = 0;
            ray.t_max = kInfinity;
        }
        if (records.on_patch) memcpy(&ray.on_patch, at + records.on_patch, sizeof ray.on_patch);
        return ray;
    }

  private:
    struct alignas(16) Word {
        vec3 vector;
        float beside;
    };
    TL_D static Ray none() {
        Ray ray;
        ray.direction = vec3(kInfinity);
        return ray;
    }
};

/// Writes hits to records, or adds radiance for rays without a hit.
struct HitSink {
    HitRecords out;

    TL_D void operator()(std::uint32_t i, const Hit& hit) const {
        if (out.hits.data)
            out.hits[i] = hit;
        else if (out.probe_hits.data)
            out.probe_hits[i] = {hit.t, hit.primitive};
        else if (out.found.data)
            out.found[i] = hit.found();
        else if (!hit.found())
            add_light(load_vectorized(out.arriving.lights[i]));
    }

  private:
    TL_D void add_light(const ArrivingLight& light) const {
        add_to_sum(out.arriving.sums[light.pixel], vec4(light.radiance, 0));
    }
};

/// Combines records and outputs for a tree. Start points on patches are read only if the tree has
/// patches.
inline RaysToTrace<RaySource, HitSink> rays_to_trace(const TreeView& tree, RayRecords rays,
                                                     const HitRecords& hits) {
    if (tree.patches.empty()) rays.on_patch = 0;
    return {{rays}, {hits}, rays.size, rays.count};
}

template <bool kAnyHit>
struct TraceRaysPass {
    Scratch& scratch;
    const char* name;
    RaysToTrace<RaySource, HitSink> rays;
    RayLaunch launch;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (launch == RayLaunch::queue)
            trace_queue<kAnyHit>(scratch, name, tracer, rays);
        else
            trace_each<kAnyHit>(scratch.stream(), name, tracer, rays);
    }
};

template <bool kAnyHit>
void trace_rays(Scratch& scratch, const char* name, const TreeView& tree, const RayRecords& rays,
                const HitRecords& hits, RayLaunch launch) {
    visit_tracer(tree,
                 TraceRaysPass<kAnyHit>{scratch, name, rays_to_trace(tree, rays, hits), launch});
}

TL_DEVICE_END
