// Converts the settings by name of the C interface to a session's options.
#pragma once

#include <span>

#include "library/api/treelight.h"
#include "session/sequence.h"

namespace tl {

/// Options of tl_render(), apart from the size.
struct PictureOptions : SessionOptions {
    int spp = kDefaultSamples;

    /// Renderer, builder and declared settings; those left open are as in `base`.
    [[nodiscard]] SessionSettings::Choices choices(SessionSettings::Choices base) const;
};

/// Options of tl_sequence_open().
struct SequenceOptions : PictureOptions {
    SequencePlan plan;
};

/// Wraps a caller's settings. Throws UserError for one that is null.
[[nodiscard]] std::span<const tl_setting> settings_from(const tl_setting* settings,
                                                        std::size_t count);
/// Parses options of tl_render(). Throws UsageError for an unknown name or id, UserError for an
/// invalid value.
[[nodiscard]] PictureOptions picture_options(std::span<const tl_setting> settings);
/// Parses options of tl_sequence_open(), with the frames and the camera's motion. Throws like
/// picture_options().
[[nodiscard]] SequenceOptions sequence_options(std::span<const tl_setting> settings);
/// Parses options of tl_scene_open(): environment and allow_outside. Throws like picture_options().
[[nodiscard]] SessionOptions opening_options(std::span<const tl_setting> settings);

/// Stores the vector as the C interface represents it.
void store(const vec3& vector, double (&numbers)[3]);

}  // namespace tl
