// Saves scenes as scene files.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene_document.h"
#include "session/session.h"

namespace tl {

/// Settings that a scene file must name so that opening it restores the session's, by section.
/// These are settings that differ from the base's file or, where that leaves them open, from their
/// defaults; renderer, builder, exposure and tone curve always.
[[nodiscard]] SettingTexts settings_to_save(Session& session, const SettingTexts& base);
/// Settings to save for the values that a scene's file requests.
[[nodiscard]] SettingTexts settings_to_save(const Scene& scene, const SettingTexts& base);

/// Writes a document as a scene file, completely or not at all. Returns warnings. Throws UserError.
std::vector<std::string> save_scene(const SceneDocument& document, const Camera& camera,
                                    const SettingTexts& settings, const std::string& path);

}  // namespace tl
