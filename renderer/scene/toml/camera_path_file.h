// Reads camera paths: files of cameras with times. docs/scene-files.md is their reference.
#pragma once

#include <string>

#include "renderer/scene/camera_path.h"
#include "renderer/scene/warnings.h"

namespace tl {

/// Reads a TOML file, or, where its ending is .json, a JSON file of the same structure. It is for a
/// scene whose Scene::offset is `offset`. Properties that a camera lacks are those of `start`.
/// Throws UserError: file, line, what is wrong, what to do. `warnings` receives what is ignored.
[[nodiscard]] CameraPath read_camera_path(const std::string& path, const Camera& start,
                                          const glm::dvec3& offset, Warnings& warnings);

}  // namespace tl
