// Auxiliary pictures as false colours.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film.h"

namespace tl {

/// Of the pixels that met something, in device memory; zeros where none did. Axes that a channel
/// has not are zero.
struct AovRange {
    vec3 minimum, maximum;
    float sum, count;  ///< of the first axis; pixels
    vec3 bottom, top;  ///< values of the first and the last colour
};
static_assert(sizeof(AovRange) == 56);

/// Channels whose colours follow the picture's values: depth, position, counts.
[[nodiscard]] inline bool has_range(AovChannel channel) {
    return channel == AovChannel::depth || channel == AovChannel::position || is_count(channel);
}

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// range[0] of a channel that has one; `top` above 0 is the first axis' last colour instead of
    /// the maximum. Nothing waits.
    void measure_aov(Scratch& scratch, const AovView& view, AovChannel channel, float top,
                     View<AovRange> range);
    /// Colours of to[0] become those of from[0].
    void share_aov_range(Stream& stream, View<const AovRange> from, View<AovRange> to);
    /// Writes the film: one sample a pixel, linear sRGB that the display shows as it is. `ramp`:
    /// colours from bottom to top.
    void color_aov(Stream& stream, const AovView& view, AovChannel channel,
                   View<const AovRange> range, View<const vec3> ramp, FilmView film);
)
// clang-format on
