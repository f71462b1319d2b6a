#include "renderer/scene/export/export_materials.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "renderer/images/png_io.h"
#include "renderer/images/srgb.h"

namespace tl {
namespace {

const Texture& texture_at(const Scene& scene, int index) {
    return scene.textures[static_cast<std::size_t>(index)];
}

/// Offset in the texture's values of the nearest texel for pixel (x, y) of an image of `width` x
/// `height`. The image is a scaled copy of the texture.
std::size_t texel(const Texture& texture, int x, int y, int width, int height) {
    auto from = [](int at, int size, int own) {
        return static_cast<std::size_t>((std::int64_t{2} * at + 1) * own / (2 * size));
    };
    std::size_t row = from(y, height, texture.height), column = from(x, width, texture.width);
    return 4 * (row * static_cast<std::size_t>(texture.width) + column);
}

/// Table that converts values of 8 or 16 bits between linear and sRGB.
std::vector<std::uint16_t> converted_values(std::size_t count, bool to_srgb) {
    std::vector<std::uint16_t> table(count);
    auto most = static_cast<float>(count - 1);
    for (std::size_t i = 0; i < count; ++i) {
        float x = static_cast<float>(i) / most;
        float y = to_srgb ? srgb_from_linear(x) : linear_from_srgb(x);
        table[i] = static_cast<std::uint16_t>(std::clamp(y, 0.0f, 1.0f) * most + 0.5f);
    }
    return table;
}

/// A value of a texture in 8 or 16 bits.
std::uint16_t value_at(const Texture& texture, std::size_t i, bool in_16_bits) {
    int value = texture.rgba[i];
    if (in_16_bits) value = value * 256 + (texture.lower.empty() ? value : texture.lower[i]);
    return static_cast<std::uint16_t>(value);
}

int wrap_code(TextureWrap wrap) {
    return wrap == TextureWrap::clamp ? 33071 : wrap == TextureWrap::mirror ? 33648 : 10497;
}

/// Layers that approximate a material of a kind without layers.
SurfaceLayers layers_of_kind(const Material& source) {
    SurfaceLayers layers;
    layers.base = source.diffuse;
    layers.reflectance = vec3(0);
    layers.roughness = source.roughness;
    switch (source.kind) {
        case MaterialKind::diffuse:
            layers.roughness = 1;
            break;
        case MaterialKind::phong:
            // Equal lobe width: alpha = roughness^2 and alpha^2 = 2 / (exponent + 2).
            layers.roughness = std::pow(2 / (source.exponent + 2), 0.25f);
            layers.reflectance = source.specular;
            break;
        case MaterialKind::mirror:
            layers.base = source.specular;
            layers.metallic = 1;
            break;
        case MaterialKind::dielectric:
            layers.base = source.transmission;
            break;
    }
    return layers;
}

}  // namespace

int ExportMaterials::of(std::int32_t material) {
    auto [known, is_new] = material_of_.try_emplace(material, 0);
    if (is_new)
        known->second =
            file_.materials.add(converted(scene_.materials[static_cast<std::size_t>(material)]));
    return known->second;
}

int ExportMaterials::glowing(vec3 radiance) {
    Material lamp;
    lamp.name = "light";
    lamp.diffuse = vec3(0);
    lamp.emission = radiance;
    return file_.materials.add(converted(lamp));
}

bool ExportMaterials::is_textured(std::int32_t material) const {
    auto& m = scene_.materials[static_cast<std::size_t>(material)];
    return m.diffuse_texture >= 0 || m.alpha_texture >= 0 || m.normal_texture >= 0 ||
           m.emission_texture >= 0 || (m.layers && m.layers->texture >= 0);
}

std::vector<std::string> ExportMaterials::warnings() const {
    std::vector<std::string> lines;
    if (has_priorities_)
        lines.emplace_back("the priorities of dielectrics that overlap are not written");
    if (has_thin_ior_)
        lines.emplace_back("indices of refraction below 1 are written as 1, the least of glTF");
    return lines;
}

Json ExportMaterials::converted(const Material& source) {
    Json material, pbr;
    if (!source.name.empty()) material["name"] = source.name;
    set_surface(source, material, pbr);
    set_textures(source, material, pbr);
    material["pbrMetallicRoughness"] = pbr;
    set_emission(source.emission, material);
    // Emission leaves one side, and a dielectric has an outside. Other programs assume that
    // two-sided surfaces have no such side.
    bool one_sided =
        source.emission != vec3(0) || (source.kind == MaterialKind::dielectric && !source.layers);
    if (!one_sided) material["doubleSided"] = true;
    return material;
}

void ExportMaterials::set_surface(const Material& source, Json& material, Json& pbr) {
    SurfaceLayers shown = source.layers ? *source.layers : layers_of_kind(source);
    if (source.layers)
        set_layers(shown, material);
    else if (source.kind == MaterialKind::dielectric)
        set_dielectric(source, material);
    else if (source.kind != MaterialKind::mirror)
        set_specular(material, shown.reflectance);
    Json factor = json_numbers(shown.base);
    factor.push_back(1);
    pbr["baseColorFactor"] = std::move(factor);
    pbr["metallicFactor"] = json_number(static_cast<double>(shown.metallic));
    pbr["roughnessFactor"] = json_number(static_cast<double>(shown.roughness));
}

/// Writes the layers besides base, metallic and roughness: reflectance, transmission and coat.
void ExportMaterials::set_layers(const SurfaceLayers& layers, Json& material) {
    auto number = [](float x) { return json_number(static_cast<double>(x)); };
    set_specular(material, layers.reflectance);
    if (layers.transmission > 0)
        extend(material, "KHR_materials_transmission",
               {{"transmissionFactor", number(layers.transmission)}});
    if (layers.coat > 0)
        extend(material, "KHR_materials_clearcoat",
               {{"clearcoatFactor", number(layers.coat)},
                {"clearcoatRoughnessFactor", number(layers.coat_roughness)}});
}

/// Writes the reflectance at normal incidence, as index of refraction and colour.
void ExportMaterials::set_specular(Json& material, vec3 reflectance) {
    constexpr float kMost = 0.66f;  // below an index of 10; the colour makes up for the rest
    float strongest = std::min(largest(reflectance), kMost);
    if (!(strongest > 0)) {
        extend(material, "KHR_materials_specular", {{"specularFactor", 0}});
        return;
    }
    float root = std::sqrt(strongest);
    extend(material, "KHR_materials_ior",
           {{"ior", json_number(static_cast<double>((1 + root) / (1 - root)))}});
    extend(material, "KHR_materials_specular",
           {{"specularColorFactor", json_numbers(reflectance / strongest)}});
}

void ExportMaterials::set_dielectric(const Material& source, Json& material) {
    has_priorities_ = has_priorities_ || source.priority != 0;
    has_thin_ior_ = has_thin_ior_ || source.ior < 1;
    extend(material, "KHR_materials_ior",
           {{"ior", json_number(static_cast<double>(std::max(source.ior, 1.0f)))}});
    extend(material, "KHR_materials_transmission", {{"transmissionFactor", 1}});
    // Any positive thickness makes surfaces bound a solid, which refracts light.
    Json volume{{"thicknessFactor", 1}};
    if (float most = largest(source.absorption); most > 0) {
        volume["attenuationDistance"] = json_number(static_cast<double>(1 / most));
        volume["attenuationColor"] = json_numbers(glm::exp(-source.absorption / most));
    }
    extend(material, "KHR_materials_volume", volume);
    if (source.specular != vec3(1))
        extend(material, "KHR_materials_specular",
               {{"specularColorFactor", json_numbers(source.specular)}});
}

void ExportMaterials::set_emission(vec3 radiance, Json& material) {
    float strength = std::max(largest(radiance), 1.0f);
    if (radiance == vec3(0)) return;
    material["emissiveFactor"] = json_numbers(radiance / strength);
    if (strength > 1)
        extend(material, "KHR_materials_emissive_strength",
               {{"emissiveStrength", json_number(static_cast<double>(strength))}});
}

void ExportMaterials::set_textures(const Material& source, Json& material, Json& pbr) {
    bool shows_diffuse =
        source.layers || source.kind == MaterialKind::diffuse || source.kind == MaterialKind::phong;
    Parts parts{.color = shows_diffuse ? source.diffuse_texture : -1,
                .alpha = source.alpha_texture};
    if (parts.color >= 0 || parts.alpha >= 0) pbr["baseColorTexture"] = {{"index", texture(parts)}};
    if (parts.alpha >= 0) {
        material["alphaMode"] = "MASK";
        material["alphaCutoff"] = json_number(static_cast<double>(source.alpha_cutoff));
    }
    if (source.layers && source.layers->texture >= 0)
        pbr["metallicRoughnessTexture"] = {
            {"index", texture({.color = source.layers->texture, .is_srgb = false})}};
    if (source.emission_texture >= 0)
        material["emissiveTexture"] = {{"index", texture({.color = source.emission_texture})}};
    if (source.normal_texture >= 0)
        material["normalTexture"] = {
            {"index", texture({.color = source.normal_texture, .is_srgb = false})},
            {"scale", json_number(static_cast<double>(source.normal_scale))}};
}

void ExportMaterials::extend(Json& material, const char* extension, Json members) {
    file_.use(extension);
    material["extensions"][extension] = std::move(members);
}

int ExportMaterials::texture(const Parts& wanted) {
    Parts parts = wanted;
    // A surface that is not cut out ignores alpha.
    if (parts.is_srgb && parts.alpha < 0) parts.alpha = parts.color;
    auto [known, is_new] = texture_of_.try_emplace(parts, 0);
    if (!is_new) return known->second;
    auto& source = texture_at(scene_, parts.color >= 0 ? parts.color : parts.alpha);
    std::string name = std::filesystem::path(source.name).stem().string();
    int image = file_.add_png(name, encode_png(image_of(parts)));
    known->second = file_.textures.add({{"sampler", sampler(source)}, {"source", image}});
    return known->second;
}

int ExportMaterials::sampler(const Texture& texture) {
    constexpr int kLinear = 9729, kLinearMipmaps = 9987;
    auto [known, is_new] = sampler_of_.try_emplace({texture.wrap_u, texture.wrap_v}, 0);
    if (is_new)
        known->second = file_.samplers.add({{"magFilter", kLinear},
                                            {"minFilter", kLinearMipmaps},
                                            {"wrapS", wrap_code(texture.wrap_u)},
                                            {"wrapT", wrap_code(texture.wrap_v)}});
    return known->second;
}

Image16 ExportMaterials::image_of(const Parts& parts) const {
    const Texture* color = parts.color >= 0 ? &texture_at(scene_, parts.color) : nullptr;
    const Texture* alpha = parts.alpha >= 0 ? &texture_at(scene_, parts.alpha) : nullptr;
    Image16 image;
    bool is_deep = false;
    for (auto* part : {color, alpha}) {
        if (!part) continue;
        image.extent.width = std::max(image.extent.width, part->width);
        image.extent.height = std::max(image.extent.height, part->height);
        is_deep |= !part->lower.empty();
    }
    auto [width, height] = image.extent;
    std::size_t n_values = is_deep ? 65536 : 256;
    auto most = static_cast<std::uint16_t>(n_values - 1);
    std::vector<std::uint16_t> table;
    if (color && color->is_srgb != parts.is_srgb) table = converted_values(n_values, parts.is_srgb);
    image.rgba.reserve(std::size_t{4} * static_cast<std::size_t>(width) *
                       static_cast<std::size_t>(height));
    auto append = [&](std::uint16_t value) {
        image.rgba.push_back(static_cast<std::uint8_t>(is_deep ? value >> 8 : value));
        if (is_deep) image.lower.push_back(static_cast<std::uint8_t>(value));
    };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            std::size_t at = color ? texel(*color, x, y, width, height) : 0;
            for (std::size_t k = 0; k < 3; ++k) {
                std::uint16_t value = color ? value_at(*color, at + k, is_deep) : most;
                append(table.empty() ? value : table[value]);
            }
            at = alpha ? texel(*alpha, x, y, width, height) : 0;
            append(alpha ? value_at(*alpha, at + 3, is_deep) : most);
        }
    return image;
}

}  // namespace tl
