// Auxiliary pictures as false colours.
#pragma once

#include "core/device/array.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film.h"

namespace tl {

/// Statistics of the pixels with hits, in device memory; zeros if there are none, and for axes that
/// the channel lacks.
struct AovRange {
    vec3 minimum, maximum;
    float sum, count;  ///< sum of the first axis; number of pixels
    vec3 bottom, top;  ///< values of the first and the last colour
};
static_assert(sizeof(AovRange) == 56);

/// Whether the channel's colours are scaled to the picture's values: depth, position, counts.
[[nodiscard]] inline bool has_range(AovChannel channel) {
    return channel == AovChannel::depth || channel == AovChannel::position || is_count(channel);
}

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes range[0] of a channel that has one; `top` above 0 replaces the maximum as the value
    /// of the first axis' last colour. Never waits.
    void measure_aov(Scratch& scratch, const AovView& view, AovChannel channel, float top,
                     View<AovRange> range);
    /// Sets the colour range of to[0] to that of from[0].
    void share_aov_range(Stream& stream, View<const AovRange> from, View<AovRange> to);
    /// Writes the film: one sample per pixel, linear sRGB that is shown without tone mapping.
    /// `ramp`: colours from bottom to top.
    void color_aov(Stream& stream, const AovView& view, AovChannel channel,
                   View<const AovRange> range, View<const vec3> ramp, FilmView film);
)
// clang-format on
