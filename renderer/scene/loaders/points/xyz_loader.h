// Points as lines of text: .xyz and .pts files, as scanners and programs for clouds write them.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the points of a text file to a scene with a material 0: a line for each with x y z
/// [intensity] [r g b] [nx ny nz], separated by blanks, commas or semicolons; `#` and `//` start
/// comments. docs/scene-files.md has the details. Throws UserError "file:line: what".
void add_xyz(Scene& scene, const std::string& path, bool with_materials);

}  // namespace tl
