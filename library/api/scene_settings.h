// Settings by name, as callers of the C interface give them, in the terms of a session.
#pragma once

#include <span>

#include "library/api/treelight.h"
#include "session/session_options.h"

namespace tl {

/// What tl_render() can be told, apart from the size.
struct PictureOptions : SessionOptions {
    int spp = kDefaultSamples;

    /// Renderer, builder and declared settings, where those that are left open are as in `base`.
    [[nodiscard]] Session::Choices choices(Session::Choices base) const;
};

/// Throws UsageError for a name or an id that is unknown, UserError for a value that is wrong.
[[nodiscard]] PictureOptions picture_options(std::span<const tl_setting> settings);
/// The same of what tl_scene_open() can be told: environment and allow_outside.
[[nodiscard]] SessionOptions opening_options(std::span<const tl_setting> settings);

}  // namespace tl
