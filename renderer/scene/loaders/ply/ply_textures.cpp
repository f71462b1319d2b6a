#include "renderer/scene/loaders/ply/ply_textures.h"

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"

namespace tl {
namespace {

/// Appends a material that shows a texture. Returns its index, or 0, with a warning, if the texture
/// cannot be read.
std::int32_t add_textured_material(Scene& scene, const std::string& name, const std::string& path,
                                   const ReadContext& context) {
    try {
        auto file =
            find_referenced_file(name, {std::filesystem::path(path).parent_path()}, context);
        if (file.empty()) throw UserError(path + ": texture '" + name + "' not found");
        Material material;
        material.name = file.stem().string();
        material.diffuse = vec3(1);
        material.diffuse_texture = add_texture(scene, file.string(), {}, context);
        cut_out_by_diffuse(scene, material);
        scene.materials.push_back(std::move(material));
    } catch (const UserError& error) {
        warn_once(scene, std::string(error.what()) + "; its faces are plain grey");
        return 0;
    }
    return static_cast<std::int32_t>(scene.materials.size()) - 1;
}

}  // namespace

void take_ply_materials(Scene& scene, Mesh& mesh, const std::vector<std::string>& textures,
                        std::int32_t plain, const std::string& path, const ReadContext& context) {
    bool are_shown = !textures.empty() && !mesh.uvs.empty();
    if (!textures.empty() && !are_shown)
        warn_once(scene, path + ": has no texture coordinates, so its texture '" + textures[0] +
                             "' is not used");
    constexpr std::int32_t kNotMade = -1;
    std::vector<std::int32_t> materials(textures.size(), kNotMade);
    std::size_t n_unknown = 0;
    for (auto& number : mesh.material_of_triangle) {
        auto texture = static_cast<std::size_t>(std::max(number, 0));
        bool is_known = number >= 0 && texture < textures.size();
        if (number >= 0 && !is_known) ++n_unknown;
        number = plain;
        if (!are_shown || !is_known) continue;
        auto& material = materials[texture];
        if (material == kNotMade)
            material = add_textured_material(scene, textures[texture], path, context);
        number = material;
    }
    if (are_shown && n_unknown > 0)
        warn_once(scene, path + ": " + std::to_string(n_unknown) +
                             " triangles have a texture that the file does not name; they are "
                             "plain");
}

}  // namespace tl
