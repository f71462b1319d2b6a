// Files of Bezier patches.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Endings in lower case: ".bpt", ".bez", ".bbp", ".pov", ".inc".
[[nodiscard]] const std::vector<std::string>& patch_extensions();

/// Appends the patches of a file as one set with material 0; patches of lower degree are raised to
/// degree 3. Throws UserError "file:line: what".
void add_patches(Scene& scene, const std::string& path, const std::string& ending,
                 const ReadContext& context = {});

/// Reads the bicubic_patch blocks of a POV-Ray file; skips everything else, with a warning if it
/// has transforms, which may move the patches.
[[nodiscard]] PatchSet read_povray_patches(const std::string& text, const std::string& file,
                                           Warnings& warnings);

}  // namespace tl
