// Textures of image files, and what materials make of their alpha.
#pragma once

#include <string>

#include "renderer/images/image_io.h"
#include "renderer/scene/scene.h"

namespace tl {

/// How an image becomes a texture.
struct TextureUse {
    bool is_srgb = true;
    TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
    bool is_mask = false;  ///< its brightness is alpha, unless it has alpha of its own

    bool operator==(const TextureUse&) const = default;
};

/// The index of the texture in `path`, read when it is first used in that way. Throws UserError.
[[nodiscard]] int add_texture(Scene& scene, const std::string& path, const TextureUse& use = {});
/// Appends an image as a texture; returns its index.
int add_texture(Scene& scene, const std::string& name, Image8 image, const TextureUse& use);

/// Makes the alpha of a material's diffuse texture, if it has any, cut the material out.
void cut_out_by_diffuse(const Scene& scene, Material& material);

/// Adds a warning unless the scene has it.
void warn_once(Scene& scene, const std::string& warning);

}  // namespace tl
