#include "renderer/scene/live/mip_maps.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/images/srgb.h"

namespace tl {
namespace {

/// Added to alpha for the weight, so that the mean of only transparent texels is defined.
constexpr float kLeastWeight = 1.0f / 1024;

/// A level during construction: colours times their weights, and the weights in w.
struct Weighted {
    int width, height;
    std::vector<vec4> texels;

    [[nodiscard]] const vec4& at(int x, int y) const {
        return texels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

/// The texels of a row that lie under a texel of the next level, and their weights.
struct Taps {
    int first, count;
    float shares[3];
};

Taps taps_under(int i, int n) {
    if (n == 1) return {0, 1, {1, 0, 0}};
    if (n % 2 == 0) return {2 * i, 2, {0.5f, 0.5f, 0}};
    auto half = static_cast<float>(n / 2), place = static_cast<float>(i);
    auto size = static_cast<float>(n);
    return {2 * i, 3, {(half - place) / size, half / size, (place + 1) / size}};
}

Weighted halved(const Weighted& fine) {
    Weighted coarse{std::max(fine.width / 2, 1), std::max(fine.height / 2, 1), {}};
    coarse.texels.reserve(static_cast<std::size_t>(coarse.width) *
                          static_cast<std::size_t>(coarse.height));
    for (int y = 0; y < coarse.height; ++y) {
        Taps rows = taps_under(y, fine.height);
        for (int x = 0; x < coarse.width; ++x) {
            Taps columns = taps_under(x, fine.width);
            vec4 sum(0);
            for (int j = 0; j < rows.count; ++j)
                for (int i = 0; i < columns.count; ++i)
                    sum += rows.shares[j] * columns.shares[i] *
                           fine.at(columns.first + i, rows.first + j);
            coarse.texels.push_back(sum);
        }
    }
    return coarse;
}

/// A table from 8-bit values to linear ones.
std::array<float, 256> linear_values(bool is_srgb) {
    std::array<float, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        float c = static_cast<float>(i) / 255;
        values[i] = is_srgb ? linear_from_srgb(c) : c;
    }
    return values;
}

Weighted finest_level(const Texture& texture, bool alpha_counts) {
    auto linear = linear_values(texture.is_srgb);
    Weighted level{texture.width, texture.height, {}};
    level.texels.reserve(texture.rgba.size() / 4);
    for (std::size_t i = 0; i + 3 < texture.rgba.size(); i += 4) {
        const std::uint8_t* c = &texture.rgba[i];
        float weight = alpha_counts ? static_cast<float>(c[3]) / 255 + kLeastWeight : 1;
        level.texels.emplace_back(vec3(linear[c[0]], linear[c[1]], linear[c[2]]) * weight, weight);
    }
    return level;
}

std::uint16_t packed(float value) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535));
}

}  // namespace

MipMap make_mip_map(const Texture& texture, bool alpha_counts) {
    MipMap map;
    map.texels.reserve(mip_map_size(texture.width, texture.height));
    Weighted level = finest_level(texture, alpha_counts);
    for (;;) {
        map.levels.push_back({map.texels.size(), level.width, level.height});
        for (vec4 t : level.texels)
            map.texels.push_back({packed(t.x / t.w), packed(t.y / t.w), packed(t.z / t.w),
                                  packed(alpha_counts ? t.w - kLeastWeight : 1)});
        if (level.width == 1 && level.height == 1) return map;
        level = halved(level);
    }
}

std::size_t mip_map_size(int width, int height) {
    std::size_t size = 0;
    for (;; width = std::max(width / 2, 1), height = std::max(height / 2, 1)) {
        size += static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        if (width == 1 && height == 1) return size;
    }
}

}  // namespace tl
