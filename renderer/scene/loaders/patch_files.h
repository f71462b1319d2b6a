// Files of Bezier patches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Endings in lower case: ".bpt", ".bez", ".bbp", ".pov", ".inc".
[[nodiscard]] const std::vector<std::string>& patch_extensions();

/// Appends the patches of a file as one set with material 0; patches of lower degree are raised to
/// degree 3. Throws UserError "file:line: what".
void add_patches(Scene& scene, const std::string& path, const std::string& ending);

/// Reads .bpt and .bez: the count of patches, then for each its degrees in v and u (u changes from
/// row to row, as in the teapot's file) and its points, row after row.
[[nodiscard]] PatchSet read_bpt(const std::string& text, const std::string& file);
/// Reads .bbp: .bpt with a fourth number per point, its weight; points are not multiplied by it.
[[nodiscard]] PatchSet read_bbp(const std::string& text, const std::string& file);
/// Reads the bicubic_patch blocks of a POV-Ray file; skips everything else, with a warning if it
/// would move the patches.
[[nodiscard]] PatchSet read_povray_patches(const std::string& text, const std::string& file,
                                           std::vector<std::string>& warnings);

}  // namespace tl
