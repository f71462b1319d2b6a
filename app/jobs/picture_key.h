// Everything that the samples of a picture depend on, as texts that can be compared and shown.
#pragma once

#include <string>
#include <vector>

#include "core/base/read_log.h"
#include "renderer/aov/aov_channels.h"
#include "session/session_options.h"

namespace tl {

struct PictureFact {
    std::string name;   ///< "--path-max-depth", "/scenes/room.ply"
    std::string value;  ///< "5", "contents of checksum 5f3a..."
    bool operator==(const PictureFact&) const = default;
};
/// Facts in an order that depends on the scene and its renderer alone.
using PictureKey = std::vector<PictureFact>;

/// The key of the session's picture: program, device, scene, contents of its files, view, seed,
/// renderer, builder and all settings but those of the display. `files`: log of the scene's
/// reading. Reads the files once more; throws UserError if that fails.
[[nodiscard]] PictureKey picture_key(Session& session, const SessionOptions& options, AovSet layers,
                                     const ReadLog& files);

/// The differences in words: "--seed is 2 instead of 1, ..."; at most three are named. "" for equal
/// keys.
[[nodiscard]] std::string differences(const PictureKey& wanted, const PictureKey& found);

}  // namespace tl
