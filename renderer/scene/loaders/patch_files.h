// Files of Bezier patches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Endings in lower case: ".bpt", ".bez", ".bbp", ".pov", ".inc".
[[nodiscard]] const std::vector<std::string>& patch_extensions();

/// Appends the patches of a file as one set of material 0; patches of a degree below 3 are raised
/// to it. Throws UserError "file:line: what".
void add_patches(Scene& scene, const std::string& path, const std::string& ending);

/// .bpt and .bez: the count of patches, then for each its degrees in v and u (the rows that follow
/// one another are those of u, as the teapot's file has it) and its points, row after row.
[[nodiscard]] PatchSet read_bpt(const std::string& text, const std::string& file);
/// .bbp: the same with a fourth number a point, its weight; points are not multiplied by it.
[[nodiscard]] PatchSet read_bbp(const std::string& text, const std::string& file);
/// The bicubic_patch blocks of a POV-Ray file; all else in it is passed over, with a warning where
/// it would move the patches.
[[nodiscard]] PatchSet read_povray_patches(const std::string& text, const std::string& file,
                                           std::vector<std::string>& warnings);

}  // namespace tl
