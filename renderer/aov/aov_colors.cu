// False colours of auxiliary pictures. Numbers are coloured by a hash, directions and coordinates
// by their components as red, green and blue, distances and counts by a ramp. Misses are black.
#include "renderer/aov/aov_colors.h"

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/images/srgb.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

/// The linear value that is displayed as the given sRGB value, 0 to 1.
TL_D vec3 shown_as(vec3 display) {
    vec3 linear;
    for (int c = 0; c < 3; ++c)
        linear[c] = linear_from_srgb(minimum(maximum(display[c], 0.0f), 1.0f));
    return linear;
}

/// Colour of a number by a hash, so that neighbouring numbers differ.
TL_D vec3 color_of_number(std::uint32_t id) {
    if (id == 0) return vec3(0);
    std::uint32_t bits = hash_bits(id);
    vec3 color;
    for (int c = 0; c < 3; ++c)
        color[c] = 0.2f + 0.75f * static_cast<float>(bits >> (8 * c) & 255u) / 255.0f;
    return shown_as(color);
}

/// A pixel's value relative to the channel's range, 0 to 1.
TL_D vec3 share_of(const AovRange& range, vec3 value) {
    vec3 share(0);
    for (int c = 0; c < 3; ++c) {
        float size = range.top[c] - range.bottom[c];
        if (size > 0) share[c] = minimum(maximum((value[c] - range.bottom[c]) / size, 0.0f), 1.0f);
    }
    return share;
}

TL_D vec3 fraction(vec3 v) {
    return v - vec3(floorf(v.x), floorf(v.y), floorf(v.z));
}

/// Whether the pixel has a hit. Positions exactly at the origin look like misses and count as such.
TL_D bool met_something(vec4 sum) {
    return sum.w > 0 && vec3(sum) != vec3(0);
}

/// values[i] = component `axis` of pixel i's mean; `neutral` for misses.
void gather_axis(Stream& stream, View<const vec4> sums, int axis, float neutral,
                 View<float> values) {
    parallel_for(
        stream, "auxiliary values", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) {
            vec4 sum = sums[i];
            values[i] = met_something(sum) ? sum[axis] / sum.w : neutral;
        });
}

/// values[i] = 1 where pixel i has a hit, else 0.
void mark_met(Stream& stream, View<const vec4> sums, View<float> values) {
    parallel_for(
        stream, "auxiliary count", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) { values[i] = met_something(sums[i]) ? 1.0f : 0.0f; });
}

/// Minimum and maximum over the pixels of one axis; for the first axis also sum and count.
void measure_axis(Scratch& scratch, View<const vec4> sums, int axis, AovRange* range) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto values = scratch.take<float>(sums.size);
    auto reduce_axis = [&](Operator op, float* to) {
        gather_axis(stream, sums, axis, identity_of<float>(op), values);
        reduce<float>(scratch, values, {to, 1}, op);
    };
    reduce_axis(Operator::minimum, &range->minimum[axis]);
    reduce_axis(Operator::maximum, &range->maximum[axis]);
    if (axis != 0) return;
    reduce_axis(Operator::sum, &range->sum);
    mark_met(stream, sums, values);
    reduce<float>(scratch, values, {&range->count, 1}, Operator::sum);
}

}  // namespace

void measure_aov(Scratch& scratch, const AovView& view, AovChannel channel, float top,
                 View<AovRange> range) {
    auto& stream = scratch.stream();
    int n_axes = channel == AovChannel::position ? 3 : 1;
    View<const vec4> sums(view.values_of(channel), static_cast<std::size_t>(view.extent.pixels()));
    for (int axis = 0; axis < n_axes; ++axis) measure_axis(scratch, sums, axis, range.data);
    bool from_zero = is_count(channel);
    parallel_for(
        stream, "auxiliary range", 1, TL_LAMBDA(std::uint32_t) {
            AovRange& r = range[0];
            for (int axis = 0; axis < 3; ++axis) {
                if (axis >= n_axes || !(r.minimum[axis] <= r.maximum[axis]))
                    r.minimum[axis] = r.maximum[axis] = 0;
                r.bottom[axis] = from_zero ? 0 : r.minimum[axis];
                r.top[axis] = r.maximum[axis];
            }
            if (top > 0) r.top[0] = top;
        });
}

void share_aov_range(Stream& stream, View<const AovRange> from, View<AovRange> to) {
    parallel_for(
        stream, "shared range", 1, TL_LAMBDA(std::uint32_t) {
            to[0].bottom = from[0].bottom;
            to[0].top = from[0].top;
        });
}

void color_aov(Stream& stream, const AovView& view, AovChannel channel, View<const AovRange> range,
               View<const vec3> ramp, FilmView film) {
    const vec4* sums = view.values_of(channel);
    const std::uint32_t* ids = view.ids_of(channel);
    parallel_for(
        stream, "false colors", static_cast<std::uint32_t>(view.extent.pixels()),
        TL_LAMBDA(std::uint32_t i) {
            vec3 color(0);
            if (ids) {
                color = color_of_number(ids[i]);
            } else if (met_something(sums[i])) {
                vec3 value = vec3(sums[i]) / sums[i].w;
                auto last = static_cast<float>(ramp.size - 1);
                switch (channel) {
                    case AovChannel::depth:
                    case AovChannel::node_visits:
                    case AovChannel::primitive_tests:
                    case AovChannel::bounces: {
                        float t = share_of(range[0], value).x;
                        color = ramp[static_cast<std::size_t>(t * last + 0.5f)];
                        break;
                    }
                    case AovChannel::position:
                        color = shown_as(share_of(range[0], value));
                        break;
                    case AovChannel::uv:
                        color = shown_as(fraction(value));
                        break;
                    case AovChannel::albedo:
                        color = value;
                        break;
                    default:
                        color = shown_as(value * 0.5f + 0.5f);
                }
            }
            film.radiance_sum[i] = vec4(color, 1);
        });
}

TL_DEVICE_END
