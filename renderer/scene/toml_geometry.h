// The geometry tables of scene files: [[mesh]], [[sphere]] and [[generate]].
#pragma once

#include <filesystem>

#include "renderer/scene/mtl_loader.h"
#include "renderer/scene/toml_table.h"

namespace tl {

/// What geometry tables refer to.
struct TomlContext {
    Scene& scene;
    const std::string& file;
    std::filesystem::path folder;  ///< relative paths start here
    MaterialNames materials;       ///< of the file's [[material]] tables
    /// Whether the next generator places the camera, and whether it may bring lights: the first
    /// that does is the last.
    bool generators_set_camera = false;
    bool generators_add_lights = false;
};

void read_mesh(TomlContext& context, const toml::table& table);
void read_sphere(TomlContext& context, const toml::table& table);
void read_generate(TomlContext& context, const toml::table& table);

/// The index of the material that the table names with key "material"; `fallback` without the key.
[[nodiscard]] std::int32_t read_material_name(TomlContext& context, TomlTable& table,
                                              std::int32_t fallback);

}  // namespace tl
