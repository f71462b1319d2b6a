#include "renderer/scene/reflectance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "renderer/images/srgb.h"

namespace tl {
namespace {

/// Sums of decimals such as 0.7 + 0.3 are rounded to a little more than 1.
constexpr float kMost = 1 + 1e-5f;

float largest_of(vec3 color) {
    return std::max({color.x, color.y, color.z});
}

/// The largest linear value of each channel of colour, in [0, 1]; 1 for a texture without texels.
/// Values of 16 bits are rounded up to 8.
vec3 brightest_texel(const Texture& texture) {
    if (texture.rgba.empty()) return vec3(1);
    std::array<int, 3> largest{};
    for (std::size_t i = 0; i < texture.rgba.size(); i += 4)
        for (std::size_t c = 0; c < 3; ++c)
            largest[c] = std::max<int>(largest[c], texture.rgba[i + c]);
    vec3 values;
    for (int c = 0; c < 3; ++c) {
        auto value = static_cast<float>(largest[static_cast<std::size_t>(c)]);
        value = texture.lower.empty() ? value / 255 : (value + 1) / 256;
        values[c] = texture.is_srgb ? linear_from_srgb(value) : value;
    }
    return values;
}

/// reflected_fraction_of() with this diffuse reflectance.
float fraction_with(const Material& m, vec3 diffuse) {
    switch (m.kind) {
        case MaterialKind::diffuse:
            return largest_of(diffuse);
        case MaterialKind::phong:
            return largest_of(diffuse + m.specular);
        case MaterialKind::mirror:
            return largest_of(m.specular);
        case MaterialKind::dielectric:
            return std::max(largest_of(m.specular), largest_of(m.transmission));
    }
    return 0;
}

}  // namespace

float reflected_fraction_of(const Material& m, const std::vector<Texture>& textures) {
    float untextured = fraction_with(m, m.diffuse);
    // Texels are searched only where they can lower the result to a valid one.
    if (m.diffuse_texture < 0 || !(untextured > kMost)) return untextured;
    auto& texture = textures.at(static_cast<std::size_t>(m.diffuse_texture));
    return fraction_with(m, m.diffuse * brightest_texel(texture));
}

Material limited_reflectance(Material m, const std::vector<Texture>& textures) {
    float fraction = reflected_fraction_of(m, textures);
    if (m.layers || !(fraction > kMost)) return m;
    m.diffuse /= fraction;
    m.specular /= fraction;
    m.transmission /= fraction;
    return m;
}

void warn_about_reflectance(Scene& scene, const std::string& name) {
    for (auto& m : scene.materials) {
        float fraction = reflected_fraction_of(m, scene.textures);
        if (m.layers || !(fraction > kMost)) continue;
        bool both = m.kind == MaterialKind::phong;
        double rounded = std::ceil(100 * static_cast<double>(fraction) - 1e-3) / 100;
        scene.warnings.push_back(name + ": material '" + m.name + "' reflects " +
                                 number_text(rounded) + " times the light that it receives" +
                                 (both ? " (diffuse and specular together)" : "") +
                                 "; its colours are divided by that");
    }
}

}  // namespace tl
