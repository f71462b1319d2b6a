// Writes a scene as a binary glTF 2.0 file (.glb) for other programs. docs/scene-files.md tells
// what becomes of what; the loader of glTF reads it back.
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
    std::vector<std::string> warnings;  ///< what the file lacks or has otherwise, a line each
};

/// Is called with the objects that are done and their total; false stops the export.
using ExportProgress = std::function<bool(int done, int total)>;

/// Writes all of the scene: with `time`, seconds, as it is at that moment, without motion; without,
/// with the motion that glTF knows, and what moves otherwise as it is at the start. The file
/// appears at `path` only when it is complete. Throws UserError: a scene without surfaces, one that
/// is too large for the format, a file that cannot be written, an export that `progress` stops.
GltfExportReport export_gltf(const Scene& scene, const std::string& path,
                             const ExportProgress& progress = {}, std::optional<float> time = {});

}  // namespace tl
