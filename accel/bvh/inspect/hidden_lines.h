// Hidden-line removal by shadow rays: finds the parts of lines that the scene occludes, for
// overlays.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

/// Visitor for visit_any_tracer that computes the visibility of lines from `eye`. Sets bit s of
/// hidden[i] if the ray to the midpoint of part s of line i is occluded. `Lines` has ends(i, from,
/// to), which returns false if there is no line i, and n_parts(), at most 32.
template <class Lines>
struct HiddenLines {
    Stream& stream;
    vec3 eye;
    Lines lines;
    View<std::uint32_t> hidden;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a device lambda does not capture members.
        vec3 eye = this->eye;
        auto lines = this->lines;
        auto hidden = this->hidden;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "hidden lines", static_cast<std::uint32_t>(hidden.size),
            TL_LAMBDA(std::uint32_t i) {
                vec3 from, to;
                if (!lines.ends(i, from, to)) return;
                std::uint32_t n_parts = lines.n_parts(), bits = 0;
                for (std::uint32_t s = 0; s < n_parts; ++s) {
                    float along = (static_cast<float>(s) + 0.5f) / static_cast<float>(n_parts);
                    Ray ray;
                    ray.origin = eye;
                    ray.direction = from + along * (to - from) - eye;
                    // Shortened, since lines may lie in surfaces: a box's edges touch the
                    // primitives in it.
                    ray.t_max = 0.999f;
                    if (tracer.occluded(ray)) bits |= 1u << s;
                }
                hidden[i] = bits;
            },
            64);
    }
};

TL_DEVICE_END
