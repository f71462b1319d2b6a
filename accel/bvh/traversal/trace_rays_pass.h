// Shared code of trace_closest.cu and trace_any.cu.
#pragma once

#include <cstring>

#include "accel/bvh/traversal/trace_queue.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "accel/bvh/traversal/tracer.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

/// Reads rays from records. A record without a ray gives an infinite one, which tracers skip.
struct RaySource {
    RayRecords records;

    TL_D Ray operator()(std::uint32_t i) const {
        const std::byte* at = records.data + std::size_t(i) * records.stride;
        const Start start = load_whole(*reinterpret_cast<const Start*>(at));
        Ray ray;
        ray.origin = start.origin;
        ray.direction = start.direction;
        if (records.bounded) {
            ray.t_min = start.beside_origin;
            ray.t_max = start.beside_direction;
        } else {
            std::uint32_t bits;
            memcpy(&bits, &start.beside_origin, sizeof bits);
            if (bits == RayRecords::kNoRay) return none();
        }
        if (records.from) memcpy(&ray.from, at + records.from, sizeof ray.from);
        return ray;
    }

  private:
    /// Layout of the first two 16-byte words of a record.
    struct alignas(16) Start {
        vec3 origin;
        float beside_origin;
        vec3 direction;
        float beside_direction;
    };
    TL_D static Ray none() {
        Ray ray;
        ray.direction = vec3(kInfinity);
        return ray;
    }
};

struct HitSink {
    HitRecords out;

    TL_D void add(const ArrivingLight& light) const {
        vec4& sum = out.arriving.sums[light.pixel];
        sum = sum + vec4(light.radiance, 0);
    }

    TL_D void operator()(std::uint32_t i, const Hit& hit) const {
        if (out.hits.data)
            out.hits[i] = hit;
        else if (out.probe_hits.data)
            out.probe_hits[i] = {hit.t, hit.primitive};
        else if (out.found.data)
            out.found[i] = hit.found();
        else if (!hit.found())
            add(load_whole(out.arriving.lights[i]));
    }
};

template <bool kAnyHit>
struct TraceRaysPass {
    Scratch& scratch;
    const char* name;
    RaySource source;
    HitSink sink;
    RayLaunch launch;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        if (launch == RayLaunch::queue)
            trace_queue<kAnyHit>(scratch, name, tracer, source.records.size, source, sink,
                                 source.records.count);
        else
            trace_each<kAnyHit>(scratch.stream(), name, tracer, source.records.size, source, sink,
                                source.records.count);
    }
};

template <bool kAnyHit>
void trace_rays(Scratch& scratch, const char* name, const TreeView& tree, const RayRecords& rays,
                const HitRecords& hits, RayLaunch launch) {
    RaySource source{rays};
    if (tree.patches.empty()) source.records.from = 0;
    visit_tracer(tree, TraceRaysPass<kAnyHit>{scratch, name, source, {hits}, launch});
}

TL_DEVICE_END
