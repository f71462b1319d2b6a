// Tracing of a wavefront's level in scenes with holes.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"
#include "renderer/shading/cutouts.h"
#include "renderer/whitted/wavefront_kernels.h"

TL_DEVICE_BEGIN

/// Traces rays that pass through holes, one thread per ray.
struct SolidPass {
    Stream& stream;
    const SceneView& scene;
    const WaveLevel& level;
    const std::uint32_t* count;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        SceneView scene = this->scene;
        WaveLevel level = this->level;
        const std::uint32_t* count = this->count;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "trace rays", level.capacity,
            TL_LAMBDA(std::uint32_t i) {
                if (i >= *count) return;
                const PathRay from = load_vectorized(level.rays[i]);
                if (from.pixel == kNoPixel) return;
                Ray ray = as_ray(from);
                level.hits[i] = closest_solid(tracer, seen_by<Tracer>(scene), ray);
            },
            256);
    }
};

/// Runs the pass and returns true where the tree has a layout that is chosen automatically.
[[nodiscard]] bool trace_solid_by_default_tracer(const SolidPass& pass);

TL_DEVICE_END
