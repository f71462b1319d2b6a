#include "renderer/scene/live/live_textures.h"

#include "renderer/scene/live/mip_maps.h"

namespace tl {

LiveTextures::LiveTextures(Stream& stream, const Scene& scene) {
    std::vector<bool> alpha_counts(scene.textures.size());
    for (auto& material : scene.materials)
        if (material.alpha_texture >= 0) {
            has_cutouts_ = true;
            alpha_counts[static_cast<std::size_t>(material.alpha_texture)] = true;
        }
    std::vector<TextureData> textures;
    std::vector<MipLevel> levels;
    std::vector<Texel> texels;
    texels.reserve(bytes_for(scene) / sizeof(Texel));
    for (auto& texture : scene.textures) {
        MipMap map = make_mip_map(texture, alpha_counts[textures.size()]);
        textures.push_back({static_cast<std::uint32_t>(levels.size()),
                            static_cast<std::int32_t>(map.levels.size()), texture.wrap_u,
                            texture.wrap_v});
        for (MipLevel level : map.levels) {
            level.first_texel += texels.size();
            levels.push_back(level);
        }
        texels.insert(texels.end(), map.texels.begin(), map.texels.end());
    }
    textures_.assign(stream, textures);
    levels_.assign(stream, levels);
    texels_.assign(stream, texels);
}

void LiveTextures::show(SceneView& view) const {
    view.textures = textures_.empty() ? nullptr : textures_.data();
    view.mip_levels = levels_.data();
    view.texels = texels_.data();
    view.has_cutouts = has_cutouts_;
}

std::size_t LiveTextures::bytes_for(const Scene& scene) {
    std::size_t n_texels = 0;
    for (auto& texture : scene.textures) n_texels += mip_map_size(texture.width, texture.height);
    return n_texels * sizeof(Texel);
}

}  // namespace tl
