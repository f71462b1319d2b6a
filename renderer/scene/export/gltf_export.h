// Writes a scene as a binary glTF 2.0 file (.glb) for other programs. docs/scene-files.md lists all
// conversions; the loader of glTF reads the file back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

struct GltfExportReport {
    std::size_t n_triangles = 0;  ///< in the file, each once
    int n_meshes = 0, n_nodes = 0, n_images = 0;
    std::size_t n_bytes = 0;            ///< of the file
    std::vector<std::string> warnings;  ///< losses and approximations, one line each
};

/// Callback with the number of objects that are done and their total; false stops the export.
using ExportProgress = std::function<bool(int done, int total)>;

/// Writes all of the scene. With `time`, in seconds, everything is as at that moment, without
/// motion. Without it, the file has the motion that glTF supports; other motion stays at its start.
/// The file appears at `path` only when it is complete. Throws UserError: a scene without surfaces,
/// one that is too large for the format, a file that cannot be written, an export that `progress`
/// stops.
GltfExportReport export_gltf(const Scene& scene, const std::string& path,
                             const ExportProgress& progress = {}, std::optional<float> time = {});

}  // namespace tl
