// Converts a scene's materials and textures to glTF: metallic-roughness with extensions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/images/image_io.h"
#include "renderer/scene/export/glb_writer.h"
#include "renderer/scene/scene.h"

namespace tl {

class ExportMaterials {
  public:
    ExportMaterials(const Scene& scene, GlbWriter& file) : scene_(scene), file_(file) {}

    /// Index in the file of one of the scene's materials, which is written on its first use.
    [[nodiscard]] int of(std::int32_t material);
    /// Index in the file of a material that emits this radiance and reflects nothing.
    [[nodiscard]] int glowing(vec3 radiance);
    /// Whether the material has a texture, so that its surfaces need texture coordinates.
    [[nodiscard]] bool is_textured(std::int32_t material) const;
    /// Properties that the written materials lose, one line each.
    [[nodiscard]] std::vector<std::string> warnings() const;

  private:
    /// An image made of the colours of one texture and the alpha of another; -1: white, opaque.
    struct Parts {
        int color = -1, alpha = -1;
        bool is_srgb = true;
        auto operator<=>(const Parts&) const = default;
    };
    [[nodiscard]] Json converted(const Material& source);
    void set_surface(const Material& source, Json& material, Json& pbr);
    void set_layers(const SurfaceLayers& layers, Json& material);
    void set_specular(Json& material, vec3 reflectance);
    void set_dielectric(const Material& source, Json& material);
    void set_emission(vec3 radiance, Json& material);
    void set_textures(const Material& source, Json& material, Json& pbr);
    void extend(Json& material, const char* extension, Json members);
    [[nodiscard]] int texture(const Parts& parts);
    [[nodiscard]] int sampler(const Texture& texture);
    [[nodiscard]] Image16 image_of(const Parts& parts) const;

    const Scene& scene_;
    GlbWriter& file_;
    std::map<std::int32_t, int> material_of_;
    std::map<Parts, int> texture_of_;
    std::map<std::pair<TextureWrap, TextureWrap>, int> sampler_of_;
    bool has_priorities_ = false, has_thin_ior_ = false;
};

}  // namespace tl
