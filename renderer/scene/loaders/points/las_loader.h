// Points that laser scanners have measured: LAS files, of versions up to 1.4 and all point formats.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the points of a LAS file to a scene with a material 0, with their colours or, where all
/// of those are 0 or there are none, greys for intensities. Points with the flag "withheld" are
/// left out. Times, wave packets, near infrared and extra bytes are passed over. Throws UserError
/// naming the byte.
void add_las(Scene& scene, const std::string& path, bool with_materials);

}  // namespace tl
