// Saves the light that the renderer `radiosity` finds at points of surfaces.
#pragma once

#include <cstddef>
#include <string>

#include "session/session.h"

namespace tl {

struct SavedIllumination {
    std::size_t n_points = 0, n_bytes = 0;
};

/// Writes the illumination map of the session's newest frame as a binary PLY
/// (write_ply_illumination()). Colours are radiosity / pi, by the film's exposure and tone curve.
/// Waits for the stream. Throws UserError where the renderer has none, no light reaches a point, or
/// the file cannot be written.
SavedIllumination save_illumination(Session& session, const std::string& path);

}  // namespace tl
