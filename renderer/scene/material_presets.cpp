#include "renderer/scene/material_presets.h"

#include <algorithm>
#include <vector>

#include "renderer/scene/scene_edits.h"
#include "renderer/scene/surface_layers.h"

namespace tl {
namespace {

// Reflectances of metals at normal incidence, ((n - 1)^2 + k^2) / ((n + 1)^2 + k^2), as linear
// sRGB. They are weighted by the CIE 1931 observer under D65; channels above 1 are clipped. The
// optical constants are those at refractiveindex.info. Gold, copper, silver: Johnson and Christy
// 1972, Phys. Rev. B 6, 4370. Aluminium: Rakic 1995, Appl. Opt. 34, 4755.
constexpr vec3 kGold{1.000f, 0.729f, 0.364f}, kCopper{0.929f, 0.624f, 0.522f},
    kSilver{0.989f, 0.984f, 0.978f}, kAluminium{0.907f, 0.916f, 0.922f};
// Indices of refraction near 589 nm, at refractiveindex.info: Schott N-BK7; water at 25 degrees C
// (Hale and Querry 1973, Appl. Opt. 12, 555); PMMA (Sultanova 2009, Acta Phys. Pol. A 116, 585).
constexpr float kCrownGlass = 1.5168f, kWater = 1.333f, kAcrylic = 1.491f;
// Absorption of water, 4 pi k / wavelength at 650, 550 and 450 nm (Hale and Querry), 1/m.
constexpr vec3 kWaterAbsorption{0.317f, 0.0448f, 0.0285f};
// Reflectances of patches 2, "light skin", and 15, "red", of the X-Rite ColorChecker, linear sRGB.
constexpr vec3 kLightSkin{0.539f, 0.305f, 0.223f}, kRed{0.429f, 0.0369f, 0.0452f};
// Index of the outermost layer of skin (Ding 2006, Phys. Med. Biol. 51, 1479), of natural rubber
// (CRC Handbook of Chemistry and Physics), and of the glaze of porcelain, a soda-lime glass.
constexpr float kSkin = 1.42f, kRubber = 1.519f, kGlaze = 1.52f;
// Chromaticity of CIE illuminant A, an incandescent lamp of 2856 K, as linear sRGB.
constexpr vec3 kIncandescent{1, 0.448f, 0.126f};

// Roughnesses are not measured: they are those of polished or moulded surfaces as they look.

Material layered(vec3 base, float metallic, float roughness, float ior = 1.5f) {
    SurfaceLayers layers{.base = base, .metallic = metallic, .roughness = roughness};
    layers.reflectance = vec3(reflectance_of_index(ior));
    Material material;
    set_layers(material, layers, ior, metallic, roughness);
    material.ior = ior;
    return material;
}

Material clear(float ior, vec3 absorption = vec3(0)) {
    Material material;
    material.kind = MaterialKind::dielectric;
    material.specular = vec3(1);
    material.ior = ior;
    material.absorption = absorption;
    return material;
}

Material emissive(vec3 radiance) {
    Material material;
    material.emission = radiance;
    return material;
}

}  // namespace

std::span<const MaterialPreset> material_presets() {
    static const std::vector<MaterialPreset> presets{
        {"gold", "Gold", "Polished metal with the measured reflectance of gold.",
         layered(kGold, 1, 0.15f)},
        {"copper", "Copper", "Polished metal with the measured reflectance of copper.",
         layered(kCopper, 1, 0.2f)},
        {"silver", "Silver", "Polished metal with the measured reflectance of silver.",
         layered(kSilver, 1, 0.1f)},
        {"aluminium", "Aluminium", "Brushed metal with the measured reflectance of aluminium.",
         layered(kAluminium, 1, 0.3f)},
        {"glass", "Glass", "Clear crown glass, of index 1.5168.", clear(kCrownGlass)},
        {"water", "Water", "Clear water, of index 1.333, which absorbs red first.",
         clear(kWater, kWaterAbsorption)},
        {"plastic", "Plastic", "Glossy red acrylic, of index 1.491.",
         layered(kRed, 0, 0.2f, kAcrylic)},
        {"rubber", "Rubber", "Dull black rubber, of index 1.519.",
         layered(vec3(0.04f), 0, 0.8f, kRubber)},
        {"skin", "Skin", "The colour of light skin under a soft sheen; no light goes through it.",
         layered(kLightSkin, 0, 0.5f, kSkin)},
        {"ceramic", "Ceramic", "White porcelain under a smooth glaze, of index 1.52.",
         layered(vec3(0.8f), 0, 0.08f, kGlaze)},
        {"emissive", "Emissive", "Emits the light of an incandescent lamp, up to 10 W/(sr m^2).",
         emissive(10.0f * kIncandescent)}};
    return presets;
}

const MaterialPreset* find_preset(std::string_view id) {
    auto presets = material_presets();
    auto found =
        std::ranges::find(presets, id, [](auto& preset) { return std::string_view(preset.id); });
    return found == presets.end() ? nullptr : &*found;
}

Material with_preset(const Material& before, const Material& now, const MaterialPreset& preset) {
    auto& wanted = preset.material;
    Material material = wanted.layers ? with_layers(before, before, *wanted.layers, wanted.ior)
                                      : with_kind(before, before, wanted.kind);
    if (!wanted.layers && wanted.kind == MaterialKind::dielectric) {
        material.specular = wanted.specular;
        material.roughness = wanted.roughness;
        material.ior = wanted.ior;
        material.transmission = wanted.transmission;
        material.absorption = wanted.absorption;
    } else if (!wanted.layers) {
        material.diffuse = wanted.diffuse;
    }
    material.name = now.name;
    material.priority = now.priority;
    material.alpha_cutoff = now.alpha_cutoff;
    material.normal_scale = now.normal_scale;
    material.emission = wanted.emission;
    return with_textures(before, material, false);
}

}  // namespace tl
