#include "renderer/scene/live/shading_data.h"

#include "renderer/optics/ggx.h"
#include "renderer/scene/live/lights/live_lights.h"
#include "renderer/scene/reflectance.h"

namespace tl {
namespace {

MaterialData material_data(const Material& m) {
    return {m.diffuse,
            m.kind,
            m.specular,
            m.exponent,
            m.transmission,
            m.ior,
            m.emission,
            m.diffuse_texture,
            m.absorption,
            static_cast<std::int16_t>(m.priority),
            0,
            m.alpha_texture,
            m.alpha_cutoff,
            m.normal_texture,
            m.normal_scale,
            m.roughness > 0 ? GgxNormals::of_roughness(m.roughness).alpha : 0.0f,
            -1,
            m.emission_texture};
}

LayersData layers_data(const SurfaceLayers& layers) {
    return {.base = layers.base,
            .metallic = layers.metallic,
            .reflectance = layers.reflectance,
            .roughness = layers.roughness,
            .transmission = layers.transmission,
            .coat = layers.coat,
            .coat_alpha = GgxNormals::of_roughness(layers.coat_roughness).alpha,
            .texture = layers.texture};
}

/// Layers of the materials that have them; sets MaterialData::layers to their indices.
std::vector<LayersData> layers_of(const std::vector<Material>& sources,
                                  std::vector<MaterialData>& materials) {
    std::vector<LayersData> layers;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (sources[i].layers) {
            materials[i].layers = static_cast<std::int32_t>(layers.size());
            layers.push_back(layers_data(*sources[i].layers));
        }
    return layers;
}

/// Numbers the dielectrics, as many as a ray can track. Returns the material of each number.
std::vector<std::uint32_t> number_media(std::vector<MaterialData>& materials) {
    constexpr std::size_t kMost = 255;
    std::vector<std::uint32_t> media{0};
    for (std::size_t i = 0; i < materials.size() && media.size() <= kMost; ++i)
        if (materials[i].kind == MaterialKind::dielectric) {
            materials[i].medium = static_cast<std::uint16_t>(media.size());
            media.push_back(static_cast<std::uint32_t>(i));
        }
    return media;
}

}  // namespace

ShadingData shading_data(const Scene& scene) {
    ShadingData data;
    data.material_lights.assign(scene.materials.size(), -1);
    for (auto& material : scene.materials)
        data.materials.push_back(material_data(limited_reflectance(material, scene.textures)));
    for (auto& light : scene.lights) {
        data.lights.push_back(light_data(light));
        if (!has_surface(light.kind)) continue;
        Material emitter;
        emitter.diffuse = vec3(0);
        emitter.emission = light.radiance;
        data.materials.push_back(material_data(emitter));
        data.material_lights.push_back(static_cast<std::int32_t>(data.lights.size()) - 1);
    }
    data.media = number_media(data.materials);
    data.layers = layers_of(scene.materials, data.materials);
    return data;
}

}  // namespace tl
