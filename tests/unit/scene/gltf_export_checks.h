// Helpers for tests of scenes exported as .glb.
#pragma once

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/files.h"
#include "renderer/scene/export/gltf_export.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::test {

/// JSON of a .glb file.
inline nlohmann::json json_of(const std::string& path) {
    std::string bytes = read_file(path);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + 12, 4);
    return nlohmann::json::parse(bytes.substr(20, size));
}

/// Exports the scene, and reads it back.
inline Scene exported(const TempFolder& folder, const Scene& scene,
                      GltfExportReport* report = nullptr) {
    auto made = export_gltf(scene, folder.path("x.glb"));
    if (report) *report = made;
    return load_scene(folder.path("x.glb"));
}

/// A quad in the plane z = `z`, of two triangles with these materials.
inline Mesh quad(float z, std::int32_t a = 0, std::int32_t b = 0) {
    Mesh mesh;
    mesh.name = "quad";
    mesh.positions = {{0, 0, z}, {1, 0, z}, {1, 1, z}, {0, 1, z}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {a, b};
    return mesh;
}

/// A scene of one mesh and one material.
inline Scene scene_of(Mesh mesh) {
    Scene scene;
    scene.materials.emplace_back();
    scene.meshes.push_back(std::move(mesh));
    return scene;
}

}  // namespace tl::test
