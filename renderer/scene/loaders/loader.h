// Opens a scene by its file: TOML scene files, models (framed and lit), or
// "generate:NAME[,key=value]".
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene_document.h"

namespace tl {

/// Loads `path`: a file by its ending (else by its content), "model:bunny.obj", or
/// "generate:NAME[,key=value...]". docs/scene-files.md is the reference. A scene without lights
/// gets a key and a fill light, one without a camera gets one that shows all of it. Throws
/// UserError: file, line or byte, what is wrong, what to do. `environment`, unless "", is the .hdr
/// or .exr file of a map that replaces the scene's own and the lights that would be added.
/// Files that the scene names are read where scene_paths.h says, or anywhere if `allow_outside`.
/// `observer` receives the files and the progress.
[[nodiscard]] Scene load_scene(const std::string& path, const std::string& environment = "",
                               bool allow_outside = false, const ReadObserver& observer = {});

/// Loads a scene with all that is needed to edit and save it. `environment` counts as an edit.
[[nodiscard]] SceneDocument load_document(const std::string& path,
                                          const std::string& environment = "",
                                          bool allow_outside = false,
                                          const ReadObserver& observer = {});

/// Loads the scene that a scene file names, for the reader of scene files. It is complete with
/// camera and lights, which are added unless `default_lights` is false. `context` is that of the
/// opened scene. Throws UserError, also for a file that names a scene itself.
[[nodiscard]] SceneDocument load_base(const std::string& name, bool default_lights,
                                      const ReadContext& context);

/// Endings that load_scene opens, for messages and file lists: ".toml" and those of models.
[[nodiscard]] const std::vector<std::string>& scene_extensions();

/// Throws UserError if load_scene() would find no file of this name; reads nothing.
void require_scene_file(const std::string& name);

}  // namespace tl
