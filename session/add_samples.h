// Renders a picture of a session sample by sample, as `treelight render` and the library do.
#pragma once

#include <functional>

#include "renderer/aov/aov_samples.h"
#include "session/session.h"

namespace tl {

/// Adds samples to the session's picture and to the layers until there are `spp`, every pixel has
/// the requested error, or `stopped` returns true. Calls `stopped` before each sample and `show`
/// after it. Layers have samples in the session's region alone, as the picture.
void add_samples(Session& session, int spp, AovBuffers& layers,
                 const std::function<bool()>& stopped, const std::function<void()>& show);

}  // namespace tl
