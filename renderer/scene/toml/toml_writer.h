// Writes scene files: a scene by the name of its base, and all changes to it.
#pragma once

#include <string>

#include "renderer/scene/scene_document.h"

namespace tl {

/// The text of a scene file at `path` that opens to the document's scene: with its changes and
/// bookmarks, this camera and these settings, of which section "render" names renderer and builder.
/// Files are named relative to `path`. The same arguments give the same text. Throws UserError if
/// `path` is the document's base.
[[nodiscard]] std::string scene_file_text(const SceneDocument& document, const Camera& camera,
                                          const SettingTexts& settings, const std::string& path);

/// Files that the text names, but that a scene at `path` may read only with --allow-outside.
[[nodiscard]] std::vector<std::string> files_outside(const SceneDocument& document,
                                                     const std::string& path);

}  // namespace tl
