// The geometry tables of scene files: [[mesh]], [[patches]], [[sphere]], [[generate]] and
// [[instances]].
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene_items.h"
#include "renderer/scene/toml/toml_models.h"
#include "renderer/scene/toml/toml_table.h"
#include "renderer/scene/transform.h"

namespace tl {

/// The state shared by the readers of geometry tables.
struct TomlContext {
    Scene& scene;
    const std::string& file;
    const ReadContext& reading;    ///< of the files that the scene file names
    std::filesystem::path folder;  ///< relative paths start here
    glm::dvec3 offset{0};          ///< offset that is subtracted from all positions
    /// indices of the file's [[material]] tables, by name
    std::map<std::string, std::int32_t> materials;
    /// Whether the next generator may set the camera; only the first one does.
    bool generators_set_camera = false;
    /// Whether the next generator may add lights; only the first one does.
    bool generators_add_lights = false;
    /// Indices of the meshes that [[instances]] may name.
    std::map<std::string, std::uint32_t> instanced_meshes{};
    RepeatedModels models{};
    std::map<ItemId, std::string> names{};  ///< names of spheres and lights
};

/// Reads the key "name" of a sphere or light; `index`: in its list.
void note_name(TomlContext& context, TomlTable& table, ItemKind kind, std::size_t index);

void read_mesh(TomlContext& context, const toml::table& table);
/// The mesh of a table without a file; `material`: of all its triangles. Its coordinates may be
/// recentred, by the value that Scene::offset is set to. Defined in toml_own_mesh.cpp.
[[nodiscard]] Mesh read_own_mesh(Scene& scene, TomlTable& table, std::int32_t material);
/// Defined in toml_patches.cpp.
void read_patches(TomlContext& context, const toml::table& table);
void read_sphere(TomlContext& context, const toml::table& table);
void read_generate(TomlContext& context, const toml::table& table);
/// Reads one [[instances]] table, after all meshes and generators (toml_instances.cpp).
void read_instances(TomlContext& context, const toml::table& table);

/// Reads the keys scale, rotate and translate.
[[nodiscard]] Transform read_transform(TomlTable& table);
/// Reads the same keys for geometry that is moved by `offset` afterwards.
[[nodiscard]] Transform read_transform(TomlTable& table, const glm::dvec3& offset);

/// Throws UserError with the line of `key` if a coordinate of `p` is beyond kLargestCoordinate.
void check_place(vec3 p, const TomlTable& table, const char* key);
/// Checks all geometry added since `mark` in the same way.
void check_places(const Scene& scene, const SceneMark& mark, const TomlTable& table,
                  const char* key);

/// Gives the meshes and patches added since `mark` the motion of the table's key "animation", if
/// present. `offset` was subtracted from their positions.
void read_animation(TomlContext& context, TomlTable& table, const SceneMark& mark,
                    const glm::dvec3& offset);

/// The path of the file that the table names with key "file", and its ending in lower case.
struct FileName {
    std::string path, ending;
};
[[nodiscard]] FileName read_file_name(const TomlContext& context, TomlTable& table);

/// The index of a material of the file; throws UserError with the line of the key "material" where
/// there is none of that name.
[[nodiscard]] std::int32_t find_material(const TomlContext& context, const TomlTable& table,
                                         const std::string& name);
/// The index of the material that the table names with key "material"; `fallback` without the key.
[[nodiscard]] std::int32_t read_material_name(TomlContext& context, TomlTable& table,
                                              std::int32_t fallback);

}  // namespace tl
