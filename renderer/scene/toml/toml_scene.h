// Scene files: docs/scene-files.md is their reference.
#pragma once

#include <string>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene_document.h"

namespace tl {

/// Whether a table of this name holds settings of a renderer, builder or session. Defined with the
/// sections of settings, since scenes do not depend on renderers.
[[nodiscard]] bool is_settings_section(const std::string& id);

/// Reads a scene file into a document whose scene holds only material 0. A file that names another
/// scene makes the document complete, with its base, which gets default lights only if
/// `default_lights` is true as well; without `may_have_base` it is refused. Throws UserError
/// "file:line: what; what to do".
[[nodiscard]] SceneGaps read_toml_scene(SceneDocument& document, const std::string& path,
                                        bool may_have_base, bool default_lights,
                                        const ReadContext& reading);

}  // namespace tl
