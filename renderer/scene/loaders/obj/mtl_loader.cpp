#include "renderer/scene/loaders/obj/mtl_loader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/obj/mtl_reader.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/loaders/words.h"
#include "renderer/scene/surface_layers.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLargestLibrary = std::size_t{64} << 20;

vec3 reflectance(const std::optional<vec3>& rgb, float missing = 0) {
    return glm::clamp(rgb.value_or(vec3(missing)), 0.0f, 1.0f);
}

/// The tint; white if the file has black, which means that none is given.
vec3 tint(const std::optional<vec3>& rgb) {
    vec3 value = reflectance(rgb);
    return value == vec3(0) ? vec3(1) : value;
}

/// The roughness whose lobe is as wide as that of Phong's exponent.
float roughness_of_exponent(float exponent) {
    return std::pow(2 / (exponent + 2), 0.25f);
}

/// The layers of a material with numbers for a physically based surface.
void set_physical(const MtlMaterial& source, Material& material) {
    auto share = [](const std::optional<float>& value, float missing) {
        return std::clamp(value.value_or(missing), 0.0f, 1.0f);
    };
    float ior = std::clamp(source.ior.value_or(1), 1.0f, 10.0f);
    if (ior == 1) ior = material.ior;  // 1 would not reflect, and means no value
    SurfaceLayers layers;
    layers.base = material.diffuse;
    layers.metallic = share(source.metallic, 0);
    layers.roughness = share(source.roughness, roughness_of_exponent(material.exponent));
    layers.reflectance = vec3(reflectance_of_index(ior));
    layers.coat = share(source.coat, 0);
    layers.coat_roughness = share(source.coat_roughness, 0);
    set_layers(material, layers, ior, layers.metallic, layers.roughness);
}

Material converted(const MtlMaterial& source) {
    constexpr float kGrey = 0.8f;
    Material material;
    material.name = source.name;
    material.emission = glm::clamp(source.emission.value_or(vec3(0)), 0.0f, 1e6f);
    bool glows = material.emission != vec3(0);
    material.diffuse = reflectance(source.diffuse, !source.color.name.empty() ? 1.0f
                                                   : glows                    ? 0.0f
                                                                              : kGrey);
    material.specular = reflectance(source.specular);
    material.exponent = std::clamp(source.exponent.value_or(1), 1.0f, 1e6f);
    if (!source.emission_map.name.empty() && !glows) material.emission = vec3(1);

    int illum = source.illum;
    float opacity = source.dissolve.value_or(1);
    bool refracts = illum == 4 || illum == 6 || illum == 7 || illum == 9 || opacity < 1;
    // Exporters also mark alpha cutouts such as leaves on cards as transparent.
    if (!source.cutout.name.empty()) refracts = false;
    if ((source.roughness || source.metallic) && !refracts) {
        set_physical(source, material);
    } else if (illum == 3 || illum == 5 || illum == 8) {
        material.kind = MaterialKind::mirror;
        material.specular = tint(source.specular);
    } else if (refracts) {
        material.kind = MaterialKind::dielectric;
        material.specular = tint(source.specular);
        material.transmission = tint(source.transmittance);
        // Exporters write 1 where they have no value; exactly 1 would be invisible.
        if (source.ior && *source.ior > 1) material.ior = std::min(*source.ior, 10.0f);
    } else if (material.specular != vec3(0)) {
        material.kind = MaterialKind::phong;
    }
    return material;
}

/// Whether an image is a normal map: bluish, and red and green about a half. Height maps, which the
/// same statement names, are grey.
bool shows_normals(const Texture& texture) {
    std::uint64_t sum[3] = {};
    for (std::size_t i = 0; i < texture.rgba.size(); i += 4)
        for (std::size_t c = 0; c < 3; ++c) sum[c] += texture.rgba[i + c];
    auto mean = [&](int c) {
        return static_cast<double>(sum[c]) / (static_cast<double>(texture.rgba.size()) / 4);
    };
    auto is_half = [](double value) { return value > 96 && value < 160; };
    return is_half(mean(0)) && is_half(mean(1)) && mean(2) > 192;
}

/// Reads the textures named by the materials of a library.
class TextureReader {
  public:
    TextureReader(Scene& scene, const fs::path& library, const fs::path& obj_folder,
                  const ReadContext& context)
        : scene_(scene),
          library_(library.string()),
          folders_{library.parent_path(), obj_folder},
          context_(context) {}

    /// Adds to what the source ignores.
    void read(MtlMaterial& source, Material& material) {
        material.diffuse_texture = texture(source.color, {});
        material.alpha_texture = texture(source.cutout, {.is_mask = true});
        if (material.alpha_texture < 0) cut_out_by_diffuse(scene_, material);
        material.emission_texture = texture(source.emission_map, {});
        read_normals(source, material);
    }

  private:
    void read_normals(MtlMaterial& source, Material& material) {
        const MtlTexture* named = &source.normals;
        material.normal_texture = texture(source.normals, {.is_srgb = false});
        if (!source.bump.name.empty()) {
            if (material.normal_texture < 0 && source.normals.name.empty()) {
                named = &source.bump;
                material.normal_texture = normals_of_bump(source.bump);
            }
            if (named != &source.bump || is_height_map_) source.ignore("bump");
        }
        material.normal_scale = std::clamp(named->strength.value_or(1), -100.0f, 100.0f);
    }

    /// The normal map that a bump statement names, as many exporters do; else -1.
    int normals_of_bump(const MtlTexture& bump) {
        is_height_map_ = height_maps_.contains(bump.name);
        if (is_height_map_) return -1;
        std::size_t n_before = scene_.textures.size();
        int index = texture(bump, {.is_srgb = false});
        if (index < 0 || shows_normals(scene_.textures[static_cast<std::size_t>(index)]))
            return index;
        scene_.textures.resize(n_before);
        height_maps_.insert(bump.name);
        is_height_map_ = true;
        return -1;
    }

    /// A texture's index; -1 if none is named or, with a warning, if it cannot be read.
    [[nodiscard]] int texture(const MtlTexture& source, TextureUse use) const {
        if (source.name.empty()) return -1;
        use.wrap_u = use.wrap_v = source.clamp ? TextureWrap::clamp : TextureWrap::repeat;
        try {
            fs::path path;
            if (!source.whole.empty() &&
                find_referenced_file(source.name, folders_, context_).empty())
                path = find_referenced_file(source.whole, folders_, context_);
            if (path.empty())
                path = referenced_file(library_, "texture", source.name, folders_, context_);
            return add_texture(scene_, path.string(), use, context_);
        } catch (const UserError& error) {
            warn_once(scene_, std::string(error.what()) + "; its material is plain");
            return -1;
        }
    }

    Scene& scene_;
    std::string library_;
    std::vector<fs::path> folders_;
    const ReadContext& context_;
    std::set<std::string> height_maps_;  // names of bump statements that are no normal maps
    bool is_height_map_ = false;         // whether the last one was a height map
};

/// Material of faces. The first of its textures decides on the transform of texture coordinates.
ObjMaterial material_of_faces(MtlMaterial& source, std::int32_t index) {
    ObjMaterial placed{.index = index};
    bool is_first = true;
    for (auto* texture :
         {&source.color, &source.cutout, &source.normals, &source.bump, &source.emission_map}) {
        if (texture->name.empty()) continue;
        if (is_first) {
            placed.uv_scale = texture->scale;
            placed.uv_offset = texture->offset;
        } else if (texture->scale != placed.uv_scale || texture->offset != placed.uv_offset) {
            source.ignore("-s and -o of a second texture");
        }
        is_first = false;
    }
    return placed;
}

/// Collects what the materials of a library ignore into one warning.
class IgnoredStatements {
  public:
    void add(const MtlMaterial& material) {
        n_materials_ += material.ignored.empty() ? 0 : 1;
        for (auto& what : material.ignored)
            if (names_.size() < kMost && std::ranges::find(names_, what) == names_.end())
                names_.push_back(what);
    }
    void warn(Scene& scene, const std::string& file) const {
        if (n_materials_ == 0) return;
        std::string list = joined(names_) + (names_.size() == kMost ? ", ..." : "");
        warn_once(scene, file + ": ignores " + list + " in " + std::to_string(n_materials_) +
                             (n_materials_ == 1 ? " material" : " materials"));
    }

  private:
    static constexpr std::size_t kMost = 16;
    std::vector<std::string> names_;
    std::size_t n_materials_ = 0;
};

void add_library(Scene& scene, const fs::path& path, const fs::path& obj_folder,
                 const std::set<std::string_view>& used, ObjMaterials& names,
                 const ReadContext& context) {
    std::size_t n_repeated = 0;
    std::string repeated;
    TextureReader textures(scene, path, obj_folder, context);
    IgnoredStatements ignored;
    MtlUser user;
    user.wants = [&](const std::string& name) {
        if (!used.contains(name)) return false;
        bool is_new = names.try_emplace(name).second;
        if (!is_new && n_repeated++ == 0) repeated = shown(name);
        return is_new;
    };
    user.take = [&](MtlMaterial& source) {
        Material material = converted(source);
        textures.read(source, material);
        names[material.name] =
            material_of_faces(source, static_cast<std::int32_t>(scene.materials.size()));
        scene.materials.push_back(std::move(material));
        ignored.add(source);
    };
    std::string text = read_text_file(path, context, kLargestLibrary);
    for (auto& warning : read_mtl(text, path.string(), user)) warn_once(scene, warning);
    ignored.warn(scene, path.string());
    if (n_repeated > 0)
        warn_once(scene, path.string() + ": material '" + repeated + "'" +
                             (n_repeated > 1 ? " and others are" : " is") +
                             " there before; the first of a name is used");
}

/// The length of the library's name at the front of `line`: the shortest that a file has, of those
/// that end as libraries do, and else the shortest of all.
std::size_t library_name_length(std::string_view line, const fs::path& folder,
                                const ReadContext& context) {
    constexpr std::size_t kMostEnds = 32;
    std::vector<std::size_t> ends;
    for (auto rest = line; ends.size() < kMostEnds;) {
        auto word = next_word(rest);
        if (word.empty()) break;
        if (lower_case(word).ends_with(".mtl")) ends.push_back(line.size() - rest.size());
    }
    if (ends.empty() || ends.back() != line.size()) ends.push_back(line.size());
    for (std::size_t end : ends)
        if (!find_referenced_file(std::string(line.substr(0, end)), {folder}, context).empty())
            return end;
    return ends.front();
}

/// The libraries of one mtllib line: names in quotes or without, which may hold blanks.
std::vector<std::string> library_names(std::string_view line, const fs::path& folder,
                                       const ReadContext& context) {
    std::vector<std::string> names;
    for (auto rest = trimmed(line); !rest.empty(); rest = trimmed(rest)) {
        bool is_quoted = rest[0] == '"';
        if (is_quoted) rest.remove_prefix(1);
        std::size_t length = is_quoted ? std::min(rest.find('"'), rest.size())
                                       : library_name_length(rest, folder, context);
        if (auto name = trimmed(rest.substr(0, length)); !name.empty()) names.emplace_back(name);
        rest.remove_prefix(std::min(length + (is_quoted ? 1 : 0), rest.size()));
    }
    return names;
}

}  // namespace

bool add_material_libraries(Scene& scene, const std::string& obj_path,
                            const std::vector<std::string>& libraries,
                            const std::vector<std::string>& used, ObjMaterials& names,
                            const ReadContext& context) {
    fs::path folder = fs::path(obj_path).parent_path();
    const std::set<std::string_view> wanted(used.begin(), used.end());
    std::set<fs::path> read;
    bool all_found = true;
    for (auto& line : libraries) {
        for (auto& name : library_names(line, folder, context)) {
            try {
                fs::path path =
                    referenced_file(obj_path, "material library", name, {folder}, context);
                if (read.insert(path).second)
                    add_library(scene, path, folder, wanted, names, context);
            } catch (const UserError& error) {
                all_found = false;
                warn_once(scene, std::string(error.what()) + "; its materials are plain grey");
            }
        }
    }
    return all_found;
}

}  // namespace tl
