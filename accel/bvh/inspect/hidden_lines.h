// Which parts of lines lie behind something, for drawing them over a picture.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

/// For visit_any_tracer: hidden[i] gets bit s where part s of line i cannot be seen from `eye`, by
/// a ray to its middle. `Lines` has ends(i, from, to), false where there is no line i, and
/// n_parts(), at most 32.
template <class Lines>
struct HiddenLines {
    Stream& stream;
    vec3 eye;
    Lines lines;
    View<std::uint32_t> hidden;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        vec3 eye = this->eye;
        auto lines = this->lines;
        auto hidden = this->hidden;
        parallel_for<Tracer::kBlocks>(
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
                    // Lines may lie in surfaces, as a box's edges in what it holds.
                    ray.t_max = 0.999f;
                    if (tracer.occluded(ray)) bits |= 1u << s;
                }
                hidden[i] = bits;
            },
            64);
    }
};

TL_DEVICE_END
