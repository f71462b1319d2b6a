// Saves scenes as scene files.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene_document.h"
#include "session/session.h"

namespace tl {

/// The settings that a scene file must name so that opening it sets what the session has, by
/// section: those that differ from the base's file or, where that leaves them open, from their
/// defaults; renderer, builder, exposure and tone curve always.
[[nodiscard]] SettingTexts settings_to_save(Session& session, const SettingTexts& base);
/// The same for what a scene's file asks for.
[[nodiscard]] SettingTexts settings_to_save(const Scene& scene, const SettingTexts& base);

/// Writes a document as a scene file, whole or not at all. Returns warnings. Throws UserError.
std::vector<std::string> save_scene(const SceneDocument& document, const Camera& camera,
                                    const SettingTexts& settings, const std::string& path);

}  // namespace tl
