#include "renderer/scene/loaders/mtl_loader.h"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/gtc/type_ptr.hpp>
#include <sstream>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLargestLibrary = std::size_t{64} << 20;

vec3 reflectance(const tinyobj::real_t (&rgb)[3]) {
    return glm::clamp(glm::make_vec3(rgb), 0.0f, 1.0f);
}

/// The tint; white if the file has black, which means that none is given.
vec3 tint(const tinyobj::real_t (&rgb)[3]) {
    vec3 value = reflectance(rgb);
    return value == vec3(0) ? vec3(1) : value;
}

Material converted(const tinyobj::material_t& source) {
    Material material;
    material.name = std::string(trimmed(source.name));
    material.diffuse = reflectance(source.diffuse);
    material.specular = reflectance(source.specular);
    material.exponent = std::clamp(source.shininess, 1.0f, 1e6f);
    material.emission = glm::clamp(glm::make_vec3(source.emission), 0.0f, 1e6f);

    int illum = source.illum;
    bool refracts = illum == 4 || illum == 6 || illum == 7 || illum == 9 || source.dissolve < 1;
    // Exporters also mark alpha cutouts such as leaves on cards as transparent.
    if (!trimmed(source.alpha_texname).empty()) refracts = false;
    if (illum == 3 || illum == 5) {
        material.kind = MaterialKind::mirror;
        material.specular = tint(source.specular);
    } else if (refracts) {
        material.kind = MaterialKind::dielectric;
        material.specular = tint(source.specular);
        material.transmission = tint(source.transmittance);
        // tinyobjloader gives 1 if the file has no value; exactly 1 would be invisible.
        material.ior = source.ior > 1 ? std::min(source.ior, 10.0f) : 1.5f;
    } else if (material.specular != vec3(0)) {
        material.kind = MaterialKind::phong;
    }
    return material;
}

/// Reads the textures named by the materials of a library.
class TextureReader {
  public:
    TextureReader(Scene& scene, const fs::path& library, const fs::path& obj_folder)
        : scene_(scene), library_(library.string()), folders_{library.parent_path(), obj_folder} {}

    void read(const tinyobj::material_t& source, Material& material) const {
        TextureUse color = use_of(source.diffuse_texopt);
        material.diffuse_texture = texture(source.diffuse_texname, color);
        TextureUse mask = use_of(source.alpha_texopt);
        mask.is_mask = true;
        material.alpha_texture = texture(source.alpha_texname, mask);
        if (material.alpha_texture < 0) cut_out_by_diffuse(scene_, material);
        TextureUse normals = use_of(source.normal_texopt);
        normals.is_srgb = false;
        material.normal_texture = texture(source.normal_texname, normals);
        float scale = source.normal_texopt.bump_multiplier;
        if (std::isfinite(scale)) material.normal_scale = std::clamp(scale, -100.0f, 100.0f);
        if (!trimmed(source.bump_texname).empty())
            warn_once(scene_, library_ + ": bump maps are not used; normal maps ('norm') are");
    }

  private:
    static TextureUse use_of(const tinyobj::texture_option_t& options) {
        TextureWrap wrap = options.clamp ? TextureWrap::clamp : TextureWrap::repeat;
        return {.wrap_u = wrap, .wrap_v = wrap};
    }

    /// A texture's index; -1 if none is named or, with a warning, if it cannot be read.
    [[nodiscard]] int texture(const std::string& spelled, const TextureUse& use) const {
        std::string name(trimmed(spelled));
        if (name.empty()) return -1;
        try {
            fs::path path = referenced_file(library_, "texture", name, folders_);
            return add_texture(scene_, path.string(), use);
        } catch (const UserError& error) {
            warn_once(scene_, std::string(error.what()) + "; its material is plain");
            return -1;
        }
    }

    Scene& scene_;
    std::string library_;
    std::vector<fs::path> folders_;
};

void add_library(Scene& scene, const fs::path& path, const fs::path& obj_folder,
                 MaterialNames& names) {
    std::istringstream stream(read_text_file(path, kLargestLibrary));
    std::map<std::string, int> unused;
    std::vector<tinyobj::material_t> sources;
    std::string warnings, errors;
    tinyobj::LoadMtl(&unused, &sources, &stream, &warnings, &errors);
    TextureReader textures(scene, path, obj_folder);
    for (auto& source : sources) {
        Material material = converted(source);
        // tinyobjloader makes a nameless material of a file that defines none.
        if (material.name.empty() || names.contains(material.name)) continue;
        textures.read(source, material);
        names[material.name] = static_cast<std::int32_t>(scene.materials.size());
        scene.materials.push_back(std::move(material));
    }
}

/// The libraries of one mtllib line: one file whose name may hold spaces, or several files.
std::vector<std::string> library_names(const std::string& line, const fs::path& folder) {
    if (line.find(' ') == std::string::npos || !find_referenced_file(line, {folder}).empty())
        return {line};
    std::istringstream words(line);
    std::vector<std::string> names;
    bool all_look_like_libraries = true;
    for (std::string word; words >> word; names.push_back(word))
        all_look_like_libraries &= lower_case(word).ends_with(".mtl");
    return all_look_like_libraries ? names : std::vector{line};
}

}  // namespace

bool add_material_libraries(Scene& scene, const std::string& obj_path,
                            const std::vector<std::string>& libraries, MaterialNames& names) {
    fs::path folder = fs::path(obj_path).parent_path();
    bool all_found = true;
    for (auto& line : libraries) {
        for (auto& name : library_names(line, folder)) {
            try {
                fs::path path = referenced_file(obj_path, "material library", name, {folder});
                add_library(scene, path, folder, names);
            } catch (const UserError& error) {
                all_found = false;
                warn_once(scene, std::string(error.what()) + "; its materials are plain grey");
            }
        }
    }
    return all_found;
}

}  // namespace tl
