// Files of interrupted pictures.
#pragma once

#include <string>

#include "app/jobs/picture_key.h"
#include "session/picture_state.h"

namespace tl {

/// Writes a checkpoint, which appears when it is complete; until then the former one stays. Throws
/// UserError.
void write_checkpoint(const std::string& path, const PictureKey& key, const PictureState& state);

/// The state in the bytes of a checkpoint. `path`: for messages. Throws UserError if they are none,
/// are damaged, or belong to a picture with another key, which is then said.
[[nodiscard]] PictureState read_checkpoint(const std::string& path, std::string_view bytes,
                                           const PictureKey& key);

}  // namespace tl
