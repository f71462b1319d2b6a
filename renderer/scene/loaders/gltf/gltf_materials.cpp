#include "renderer/scene/loaders/gltf/gltf_materials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/loaders/gltf/gltf_uri.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/surface_layers.h"

namespace tl {
namespace {

/// The number `key` of an extension; `otherwise` if it is missing.
float extension_number(const tinygltf::ExtensionMap& extensions, const char* name, const char* key,
                       float otherwise) {
    auto* value = extension_member(extensions, name, key);
    return value && value->IsNumber() ? static_cast<float>(value->GetNumberAsDouble()) : otherwise;
}

/// The first three of `values`, each clamped to 0 to `most`; `otherwise` if there are fewer.
vec3 color_of(const std::vector<double>& values, vec3 otherwise, double most) {
    if (values.size() < 3) return otherwise;
    vec3 color;
    for (int k = 0; k < 3; ++k)
        color[k] = static_cast<float>(std::clamp(values[static_cast<std::size_t>(k)], 0.0, most));
    return color;
}

/// The two numbers of a list; `otherwise` unless both exist and are finite.
glm::dvec2 pair_of(const tinygltf::Value* list, glm::dvec2 otherwise) {
    if (!list || !list->IsArray() || list->ArrayLen() != 2) return otherwise;
    glm::dvec2 numbers;
    for (int k = 0; k < 2; ++k) {
        auto& value = list->Get(k);
        if (!value.IsNumber() || !std::isfinite(value.GetNumberAsDouble())) return otherwise;
        numbers[k] = value.GetNumberAsDouble();
    }
    return numbers;
}

/// KHR_texture_transform: scale, then rotation counter-clockwise in the image, then offset.
glm::dmat3 uv_transform_of(const tinygltf::ExtensionMap& extensions) {
    constexpr const char* kName = "KHR_texture_transform";
    if (!extensions.contains(kName)) return glm::dmat3(1);
    glm::dvec2 offset = pair_of(extension_member(extensions, kName, "offset"), {0, 0});
    glm::dvec2 scale = pair_of(extension_member(extensions, kName, "scale"), {1, 1});
    double angle = extension_number(extensions, kName, "rotation", 0);
    if (!std::isfinite(angle)) angle = 0;
    double c = std::cos(angle), s = std::sin(angle);
    // Columns.
    return {{scale[0] * c, -scale[0] * s, 0},
            {scale[1] * s, scale[1] * c, 0},
            {offset[0], offset[1], 1}};
}

constexpr const char* kSpecular = "KHR_materials_specular";
constexpr const char* kGlossiness = "KHR_materials_pbrSpecularGlossiness";
constexpr float kSmoothRoughness = 0.03f;  // metals below this are perfect mirrors

class MaterialMaker {
  public:
    MaterialMaker(Scene& scene, const GltfFile& file) : scene_(scene), file_(file) {}

    Material make(const tinygltf::Material& source) {
        auto& pbr = source.pbrMetallicRoughness;
        Material material;
        material.name = source.name;
        if (pbr.baseColorTexture.index >= 0)
            material.diffuse_texture = texture(pbr.baseColorTexture.index, true);
        if (source.extensions.contains(kGlossiness))
            set_glossy_surface(source, material);
        else
            set_surface(source, material);
        if (source.extensions.contains("KHR_materials_unlit")) {
            warn("unlit materials are lit, as matt ones");
            material.kind = MaterialKind::diffuse;
            material.diffuse = color_of(pbr.baseColorFactor, vec3(1), 1);
            material.layers.reset();
        }
        set_alpha(source, material);
        if (source.normalTexture.index >= 0)
            material.normal_texture = texture(source.normalTexture.index, false);
        double scale = std::clamp(source.normalTexture.scale, -100.0, 100.0);
        material.normal_scale = static_cast<float>(scale);
        set_emission(source, material);
        return material;
    }

    /// The transform for all textures of a material, which share texture coordinates: that of the
    /// first one.
    [[nodiscard]] glm::dmat3 uv_transform(const tinygltf::Material& source) {
        auto uses = texture_uses(source);
        if (uses.empty()) return glm::dmat3(1);
        glm::dmat3 first = uv_transform_of(*uses[0].extensions);
        for (auto& use : uses)
            if (uv_transform_of(*use.extensions) != first)
                warn("all textures of a material are transformed as its first one is");
        return first;
    }

    /// The set of texture coordinates for all textures of a material: that of the first one.
    [[nodiscard]] int uv_set(const tinygltf::Material& source) {
        auto set_of = [](const Use& use) {
            float set = extension_number(*use.extensions, "KHR_texture_transform", "texCoord",
                                         static_cast<float>(use.coordinates));
            return set >= 0 && set < 100 ? static_cast<int>(set) : 0;
        };
        auto uses = texture_uses(source);
        if (uses.empty()) return 0;
        for (auto& use : uses)
            if (set_of(use) != set_of(uses[0]))
                warn("all textures of a material take the texture coordinates of its first one");
        return set_of(uses[0]);
    }

  private:
    /// Sets the layers of the surface, or the interface of glass that encloses a volume.
    void set_surface(const tinygltf::Material& source, Material& material) {
        auto& pbr = source.pbrMetallicRoughness;
        auto share = [&](const char* extension, const char* key) {
            float value = extension_number(source.extensions, extension, key, 0);
            return std::isfinite(value) ? std::clamp(value, 0.0f, 1.0f) : 0.0f;
        };
        SurfaceLayers layers;
        layers.base = color_of(pbr.baseColorFactor, vec3(1), 1);
        layers.metallic = static_cast<float>(std::clamp(pbr.metallicFactor, 0.0, 1.0));
        layers.roughness = static_cast<float>(std::clamp(pbr.roughnessFactor, 0.0, 1.0));
        float ior = extension_number(source.extensions, "KHR_materials_ior", "ior", 1.5f);
        ior = std::clamp(std::isfinite(ior) ? ior : 1.5f, 1.01f, 10.0f);
        float specular = extension_number(source.extensions, kSpecular, "specularFactor", 1);
        specular = std::isfinite(specular) ? std::clamp(specular, 0.0f, 1.0f) : 1.0f;
        vec3 specular_color = extension_color(source, kSpecular, "specularColorFactor", 1e4);
        layers.reflectance =
            glm::min(reflectance_of_index(ior) * specular_color, vec3(1)) * specular;
        layers.transmission = share("KHR_materials_transmission", "transmissionFactor");
        layers.coat = share("KHR_materials_clearcoat", "clearcoatFactor");
        layers.coat_roughness = share("KHR_materials_clearcoat", "clearcoatRoughnessFactor");
        for (auto* key :
             {"clearcoatTexture", "clearcoatRoughnessTexture", "clearcoatNormalTexture"})
            if (extension_member(source.extensions, "KHR_materials_clearcoat", key))
                warn("textures of clear coats are not used");
        for (auto* key : {"specularTexture", "specularColorTexture"})
            if (extension_member(source.extensions, kSpecular, key))
                warn("textures of specular reflection are not used");
        if (extension_member(source.extensions, "KHR_materials_transmission",
                             "transmissionTexture"))
            warn("textures of transmission are not used");
        float metallic = layers.metallic, roughness = layers.roughness;
        if (pbr.metallicRoughnessTexture.index >= 0) {
            layers.texture = texture(pbr.metallicRoughnessTexture.index, false);
            scale_by_mean(layers.texture, metallic, roughness);
        }
        set_layers(material, layers, ior, metallic, roughness);
        float thickness =
            extension_number(source.extensions, "KHR_materials_volume", "thicknessFactor", 0);
        if (material.kind == MaterialKind::dielectric && thickness > 0) {
            material.layers.reset();
            material.roughness = roughness;
            material.specular = glm::min(specular_color, vec3(1));
            set_absorption(source, material);
        }
        bool is_matt =
            layers.metallic == 0 && specular == 0 && layers.transmission == 0 && layers.coat == 0;
        // Materials without layers look the same here, with less noise.
        bool is_mirror = layers.metallic == 1 && layers.coat == 0 && layers.texture < 0 &&
                         layers.roughness < kSmoothRoughness;
        if (is_matt || is_mirror) material.layers.reset();
    }

    /// The surface of KHR_materials_pbrSpecularGlossiness: a reflectance of any colour over a
    /// diffuse base, or metal where most of it is reflection.
    void set_glossy_surface(const tinygltf::Material& source, Material& material) {
        auto index_of = [&](const char* key) {
            auto* info = extension_member(source.extensions, kGlossiness, key);
            return info ? integer_of(*info, "index", -1) : -1;
        };
        SurfaceLayers layers;
        layers.base = extension_color(source, kGlossiness, "diffuseFactor", 1);
        layers.reflectance = extension_color(source, kGlossiness, "specularFactor", 1);
        float glossiness = extension_number(source.extensions, kGlossiness, "glossinessFactor", 1);
        glossiness = std::isfinite(glossiness) ? std::clamp(glossiness, 0.0f, 1.0f) : 1.0f;
        if (int index = index_of("diffuseTexture"); index >= 0)
            material.diffuse_texture = texture(index, true);
        vec3 diffuse = layers.base;
        if (material.diffuse_texture >= 0) diffuse *= vec3(mean_of(material.diffuse_texture));
        if (int index = texture_at(index_of("specularGlossinessTexture"), true); index >= 0) {
            vec4 mean = mean_of(index);
            layers.reflectance *= vec3(mean);
            glossiness *= mean.a;
            warn("textures of specular colour and glossiness count by their means");
        }
        layers.roughness = 1 - glossiness;
        auto strongest = [](vec3 color) { return std::max({color.x, color.y, color.z}); };
        constexpr float kLeastMetal = 0.25f;  // no dielectric reflects as much
        float most = strongest(layers.reflectance);
        if (most > kLeastMetal && most > strongest(diffuse)) {
            layers.metallic = 1;
            layers.base = layers.reflectance;
            material.diffuse_texture = -1;
        } else {
            layers.base *= 1 - most;
        }
        set_layers(material, layers, 1.5f, layers.metallic, layers.roughness);
    }

    /// A member of a table that is an integer.
    static int integer_of(const tinygltf::Value& table, const char* key, int otherwise) {
        bool has = table.IsObject() && table.Has(key) && table.Get(key).IsInt();
        return has ? table.Get(key).GetNumberAsInt() : otherwise;
    }

    int texture_at(int index, bool is_srgb) { return index < 0 ? -1 : texture(index, is_srgb); }

    /// The mean of a texture's texels, linear.
    [[nodiscard]] vec4 mean_of(int index) {
        auto [known, is_new] = mean_of_.try_emplace(index);
        if (!is_new) return known->second;
        static const auto linear = [] {
            std::array<double, 256> table{};
            for (std::size_t i = 0; i < table.size(); ++i)
                table[i] = double(linear_from_srgb(static_cast<float>(i) / 255));
            return table;
        }();
        auto& texture = scene_.textures[static_cast<std::size_t>(index)];
        glm::dvec4 sum(0);
        for (std::size_t i = 0; i + 3 < texture.rgba.size(); i += 4)
            for (int k = 0; k < 4; ++k) {
                std::uint8_t byte = texture.rgba[i + static_cast<std::size_t>(k)];
                sum[k] += texture.is_srgb && k < 3 ? linear[byte] : byte / 255.0;
            }
        sum /= std::max(1.0, static_cast<double>(texture.rgba.size() / 4));
        return known->second = vec4(sum);
    }

    /// A colour of an extension, white if it is missing.
    static vec3 extension_color(const tinygltf::Material& source, const char* extension,
                                const char* key, double most) {
        auto* color = extension_member(source.extensions, extension, key);
        std::vector<double> values;
        for (int k = 0; color && color->IsArray() && k < static_cast<int>(color->ArrayLen()); ++k)
            values.push_back(color->Get(k).IsNumber() ? color->Get(k).GetNumberAsDouble() : 1.0);
        return color_of(values, vec3(1), most);
    }

    /// The absorption of glass, from the colour that is left of white light after a distance.
    static void set_absorption(const tinygltf::Material& source, Material& material) {
        constexpr const char* kVolume = "KHR_materials_volume";
        vec3 left = extension_color(source, kVolume, "attenuationColor", 1);
        float distance =
            extension_number(source.extensions, kVolume, "attenuationDistance", kInfinity);
        if (!(distance > 0) || !std::isfinite(distance)) return;
        constexpr float kLeast = 1e-4f, kMost = 1e6f;
        for (int k = 0; k < 3; ++k)
            material.absorption[k] =
                std::clamp(-std::log(std::max(left[k], kLeast)) / distance, 0.0f, kMost);
    }

    /// Cuts holes where the alpha of the base colour is below the cutoff.
    void set_alpha(const tinygltf::Material& source, Material& material) {
        if (source.alphaMode == "OPAQUE") return;
        auto& factor = source.pbrMetallicRoughness.baseColorFactor;
        double alpha = factor.size() == 4 ? std::clamp(factor[3], 1e-3, 1.0) : 1;
        bool blends = source.alphaMode == "BLEND";
        double cutoff = blends ? 0.5 : std::clamp(source.alphaCutoff, 0.0, 1.0);
        material.alpha_cutoff = static_cast<float>(cutoff / alpha);
        auto [known, is_new] = cutout_of_.try_emplace(material.diffuse_texture, -1);
        if (is_new) {
            cut_out_by_diffuse(scene_, material);
            known->second = material.alpha_texture;
        }
        material.alpha_texture = known->second;
        if (material.alpha_texture < 0 && alpha < 1)
            warn("transparency without a texture is not used");
        else if (blends)
            warn("what blends by its alpha is cut out where that is below 0.5");
    }

    void set_emission(const tinygltf::Material& source, Material& material) {
        constexpr float kBrightest = 1e9f;
        float strength = extension_number(source.extensions, "KHR_materials_emissive_strength",
                                          "emissiveStrength", 1);
        vec3 emission = color_of(source.emissiveFactor, vec3(0), 1) * strength;
        for (int k = 0; k < 3; ++k)
            if (emission[k] > 0) material.emission[k] = std::min(emission[k], kBrightest);
        if (source.emissiveTexture.index >= 0 && material.emission != vec3(0))
            material.emission_texture = texture(source.emissiveTexture.index, true);
    }

    /// Use of one of the file's textures by a material.
    struct Use {
        int coordinates;
        const tinygltf::ExtensionMap* extensions;
    };
    /// Uses of the textures that are read, in the order base colour, normals, metal, emission.
    [[nodiscard]] static std::vector<Use> texture_uses(const tinygltf::Material& source) {
        std::vector<Use> uses;
        auto add = [&](const auto& info) {
            if (info.index >= 0) uses.push_back({info.texCoord, &info.extensions});
        };
        static const tinygltf::ExtensionMap none;
        if (auto* info = extension_member(source.extensions, kGlossiness, "diffuseTexture"))
            uses.push_back({integer_of(*info, "texCoord", 0), &none});
        add(source.pbrMetallicRoughness.baseColorTexture);
        add(source.normalTexture);
        add(source.pbrMetallicRoughness.metallicRoughnessTexture);
        add(source.emissiveTexture);
        return uses;
    }

    /// Scales metalness and roughness by the means of the texture's blue and green.
    void scale_by_mean(int index, float& metallic, float& roughness) {
        if (index < 0) return;
        vec4 mean = mean_of(index);
        roughness *= mean.g;
        metallic *= mean.b;
    }

    /// The scene's texture for one of the file's; -1 with a warning where it cannot be read.
    int texture(int index, bool is_srgb) {
        auto& model = file_.model();
        try {
            auto& source = file_.at(model.textures, index, "texture");
            auto [known, is_new] = texture_of_.try_emplace({index, is_srgb}, -1);
            if (!is_new) return known->second;
            int image = source.source;
            if (image < 0 || static_cast<std::size_t>(image) >= file_.images().size())
                file_.fail("texture " + std::to_string(index) + " has no PNG or JPEG image");
            TextureUse use{.is_srgb = is_srgb};
            if (source.sampler >= 0 &&
                static_cast<std::size_t>(source.sampler) < model.samplers.size()) {
                auto& sampler = model.samplers[static_cast<std::size_t>(source.sampler)];
                use.wrap_u = wrap_of(sampler.wrapS);
                use.wrap_v = wrap_of(sampler.wrapT);
            }
            known->second = read(file_.images()[static_cast<std::size_t>(image)], image, use);
            return known->second;
        } catch (const UserError& error) {
            warn_once(scene_, std::string(error.what()) + "; its material is plain");
            return -1;
        }
    }

    static TextureWrap wrap_of(int mode) {
        if (mode == TINYGLTF_TEXTURE_WRAP_CLAMP_TO_EDGE) return TextureWrap::clamp;
        return mode == TINYGLTF_TEXTURE_WRAP_MIRRORED_REPEAT ? TextureWrap::mirror
                                                             : TextureWrap::repeat;
    }

    int read(const GltfSource& image, int index, const TextureUse& use) {
        // Several images may lie in one view, which is decoded once.
        if (image.view >= 0) index = image_of_view_.try_emplace(image.view, index).first->second;
        std::string name = file_.path() + ": image " + std::to_string(index);
        if (auto known = known_texture(scene_, name, use)) return *known;
        if (image.view >= 0)
            return add_texture(scene_, name, decode_image16(name, file_.view_bytes(image.view)),
                               use);
        if (image.uri.empty()) throw UserError(name + " has neither a buffer view nor a URI");
        if (!is_data_uri(image.uri))
            return add_texture(
                scene_, file_of_uri(file_.path(), "texture", image.uri, file_.context()).string(),
                use, file_.context());
        std::string bytes;
        try {
            bytes = data_of_uri(image.uri);
        } catch (const UserError& error) {
            throw UserError(name + " " + error.what());
        }
        return add_texture(scene_, name, decode_image16(name, bytes), use);
    }

    void warn(const char* what) { warn_once(scene_, file_.path() + ": " + what); }

    Scene& scene_;
    const GltfFile& file_;
    std::map<int, int> image_of_view_;                ///< the first one that lies in a buffer view
    std::map<std::pair<int, bool>, int> texture_of_;  ///< by index and whether it is sRGB
    // Keyed by the index of the scene's texture; many materials may share one.
    std::map<int, vec4> mean_of_;
    std::map<int, int> cutout_of_;
};

}  // namespace

std::vector<GltfMaterial> add_gltf_materials(Scene& scene, const GltfFile& file) {
    MaterialMaker maker(scene, file);
    std::vector<GltfMaterial> made;
    WorkLoop loop(file.context().progress, "reading materials and textures",
                  file.model().materials.size());
    for (auto& source : file.model().materials) {
        loop.at(made.size());
        Material material = maker.make(source);
        made.push_back({static_cast<std::int32_t>(scene.materials.size()),
                        maker.uv_transform(source), maker.uv_set(source)});
        scene.materials.push_back(std::move(material));
    }
    loop.end();
    return made;
}

}  // namespace tl
