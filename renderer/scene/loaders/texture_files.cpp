#include "renderer/scene/loaders/texture_files.h"

#include <algorithm>
#include <filesystem>

namespace tl {
namespace {

void brightness_to_alpha(Image16& image) {
    auto &upper = image.rgba, &lower = image.lower;
    for (std::size_t i = 0; i + 3 < upper.size(); i += 4) {
        int sum = upper[i] + upper[i + 1] + upper[i + 2];
        if (!lower.empty()) sum = sum * 256 + lower[i] + lower[i + 1] + lower[i + 2];
        int mean = sum / 3;
        upper[i + 3] = static_cast<std::uint8_t>(lower.empty() ? mean : mean >> 8);
        if (!lower.empty()) lower[i + 3] = static_cast<std::uint8_t>(mean);
    }
}

/// The name of a texture, which distinguishes several from one file.
std::string name_of(const std::string& path, const TextureUse& use) {
    std::error_code error;
    auto canonical = std::filesystem::weakly_canonical(path, error);
    return (error ? path : canonical.string()) + (use.is_mask ? " (mask)" : "");
}

}  // namespace

std::optional<int> known_texture(const Scene& scene, const std::string& name,
                                 const TextureUse& use) {
    auto is_same = [&](const Texture& t) {
        return t.name == name && t.is_srgb == use.is_srgb && t.wrap_u == use.wrap_u &&
               t.wrap_v == use.wrap_v;
    };
    auto known = std::ranges::find_if(scene.textures, is_same);
    if (known == scene.textures.end()) return {};
    return static_cast<int>(known - scene.textures.begin());
}

int add_texture(Scene& scene, const std::string& path, const TextureUse& use,
                const ReadObserver& observer) {
    std::string name = name_of(path, use);
    if (auto known = known_texture(scene, name, use)) return *known;
    return add_texture(scene, name, read_image16(path, observer), use);
}

int add_texture(Scene& scene, const std::string& name, Image16 image, const TextureUse& use) {
    if (use.is_mask && is_opaque(image.rgba)) brightness_to_alpha(image);
    scene.textures.push_back({name, image.extent.width, image.extent.height, std::move(image.rgba),
                              use.is_srgb, use.wrap_u, use.wrap_v, std::move(image.lower)});
    return static_cast<int>(scene.textures.size()) - 1;
}

void cut_out_by_diffuse(const Scene& scene, Material& material) {
    int texture = material.diffuse_texture;
    if (texture >= 0 && !is_opaque(scene.textures[static_cast<std::size_t>(texture)].rgba))
        material.alpha_texture = texture;
}

}  // namespace tl
