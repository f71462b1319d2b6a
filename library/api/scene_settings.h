// Settings by name, as callers of the C interface give them, in the terms of a session.
#pragma once

#include <span>

#include "library/api/treelight.h"
#include "session/sequence.h"

namespace tl {

/// What tl_render() can be told, apart from the size.
struct PictureOptions : SessionOptions {
    int spp = kDefaultSamples;

    /// Renderer, builder and declared settings, where those that are left open are as in `base`.
    [[nodiscard]] Session::Choices choices(Session::Choices base) const;
};

/// What tl_sequence_open() can be told.
struct SequenceOptions : PictureOptions {
    SequencePlan plan;
};

/// Settings of a caller. Throws UserError for one that is null.
[[nodiscard]] std::span<const tl_setting> settings_from(const tl_setting* settings,
                                                        std::size_t count);
/// Throws UsageError for a name or an id that is unknown, UserError for a value that is wrong.
[[nodiscard]] PictureOptions picture_options(std::span<const tl_setting> settings);
/// The same, with the frames and how the camera moves.
[[nodiscard]] SequenceOptions sequence_options(std::span<const tl_setting> settings);
/// The same of what tl_scene_open() can be told: environment and allow_outside.
[[nodiscard]] SessionOptions opening_options(std::span<const tl_setting> settings);

/// The vector as the interface tells it.
void store(const vec3& vector, double (&numbers)[3]);

}  // namespace tl
