#include "renderer/scene/live/live_textures.h"

#include <algorithm>

#include "renderer/scene/live/mip_maps.h"

namespace tl {
namespace {

constexpr std::size_t kTexelsAtOnce = std::size_t{1} << 22;

/// Copies mip maps to consecutive ranges of an array: small ones together, large ones in parts.
class TexelUpload {
  public:
    TexelUpload(Stream& stream, DeviceArray<Texel>& to) : stream_(stream), to_(to) {}

    /// Returns the levels, with their offsets in the array.
    std::vector<MipLevel> add(const Texture& texture, bool alpha_counts, bool holds_normals) {
        std::size_t size = mip_map_size(texture.width, texture.height);
        if (waiting_.size() + size > kTexelsAtOnce) flush();
        std::size_t begin = sent_ + waiting_.size();
        std::vector<MipLevel> levels;
        if (size > kTexelsAtOnce) {
            levels = make_mip_map(texture, alpha_counts, holds_normals,
                                  [&](std::size_t first, std::span<const Texel> texels) {
                                      send(begin + first, texels);
                                  });
            sent_ += size;
        } else {
            MipMap map = make_mip_map(texture, alpha_counts, holds_normals);
            levels = std::move(map.levels);
            waiting_.insert(waiting_.end(), map.texels.begin(), map.texels.end());
        }
        for (auto& level : levels) level.first_texel += begin;
        return levels;
    }
    void flush() {
        send(sent_, waiting_);
        sent_ += waiting_.size();
        waiting_.clear();
    }

  private:
    void send(std::size_t first, std::span<const Texel> texels) {
        if (!texels.empty())
            stream_.device().upload(stream_, to_.data() + first, texels.data(),
                                    texels.size_bytes());
    }

    Stream& stream_;
    DeviceArray<Texel>& to_;
    std::size_t sent_ = 0;
    std::vector<Texel> waiting_;
};

}  // namespace

LiveTextures::LiveTextures(Stream& stream, const Scene& scene) {
    std::vector<bool> alpha_counts(scene.textures.size()), holds_normals(scene.textures.size());
    for (auto& material : scene.materials) {
        if (material.alpha_texture >= 0) {
            has_cutouts_ = true;
            alpha_counts[static_cast<std::size_t>(material.alpha_texture)] = true;
        }
        if (material.normal_texture >= 0)
            holds_normals[static_cast<std::size_t>(material.normal_texture)] = true;
    }
    std::vector<TextureData> textures;
    std::vector<MipLevel> levels;
    texels_.resize_discard(stream, bytes_for(scene) / sizeof(Texel));
    TexelUpload upload(stream, texels_);
    for (auto& texture : scene.textures) {
        auto own =
            upload.add(texture, alpha_counts[textures.size()], holds_normals[textures.size()]);
        textures.push_back({static_cast<std::uint32_t>(levels.size()),
                            static_cast<std::int32_t>(own.size()), texture.wrap_u, texture.wrap_v});
        levels.insert(levels.end(), own.begin(), own.end());
    }
    upload.flush();
    textures_.assign(stream, textures);
    levels_.assign(stream, levels);
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

std::size_t LiveTextures::host_bytes_for(const Scene& scene) {
    return std::min(bytes_for(scene), 2 * kTexelsAtOnce * sizeof(Texel));
}

}  // namespace tl
