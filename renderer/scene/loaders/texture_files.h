// Textures from image files, and cutouts by their alpha.
#pragma once

#include <optional>
#include <string>

#include "core/base/read_observer.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Use of an image as a texture.
struct TextureUse {
    bool is_srgb = true;
    TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
    bool is_mask = false;  ///< its brightness is alpha, unless it has an alpha channel
};

/// Index of the texture of that name and use; none if the scene has none.
[[nodiscard]] std::optional<int> known_texture(const Scene& scene, const std::string& name,
                                               const TextureUse& use);
/// The index of the texture in `path`, read on its first use of this kind. Throws UserError.
[[nodiscard]] int add_texture(Scene& scene, const std::string& path, const TextureUse& use,
                              const ReadObserver& observer);
/// Appends an image as a texture; returns its index.
int add_texture(Scene& scene, const std::string& name, Image16 image, const TextureUse& use);

/// If a material's diffuse texture has alpha, uses it to cut holes in the material.
void cut_out_by_diffuse(const Scene& scene, Material& material);

/// Adds a warning unless the scene already has it.
inline void warn_once(Scene& scene, const std::string& warning) {
    scene.warnings.push_back(warning);
}

}  // namespace tl
