#include "renderer/false_color/color_map.h"

#include <algorithm>
#include <cmath>

#include "renderer/images/srgb.h"

namespace tl {
namespace {

constexpr float kDarkest = 0.13f, kLightest = 0.97f;         // OKLab lightness
constexpr float kFirstHue = 275, kLastHue = 360 + 108;       // degrees: blue, through red, yellow
constexpr float kMostChroma = 0.19f, kShareOfGamut = 0.92f;  // low enough to stay smooth

/// Linear sRGB of an OKLab colour given by lightness, chroma and hue (radians).
vec3 linear_from_oklab(float lightness, float chroma, float hue) {
    float a = chroma * std::cos(hue), b = chroma * std::sin(hue);
    float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
    float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return {4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
            -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
            -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

bool displayable(vec3 rgb) {
    return std::min({rgb.x, rgb.y, rgb.z}) >= 0 && std::max({rgb.x, rgb.y, rgb.z}) <= 1;
}

vec3 make_color(float t) {
    float lightness = kDarkest + t * (kLightest - kDarkest);
    float hue = glm::radians(kFirstHue + t * (kLastHue - kFirstHue));
    float inside = 0, outside = 0.4f;
    for (int i = 0; i < 24; ++i) {
        float middle = (inside + outside) / 2;
        (displayable(linear_from_oklab(lightness, middle, hue)) ? inside : outside) = middle;
    }
    return linear_from_oklab(lightness, std::min(kMostChroma, kShareOfGamut * inside), hue);
}

}  // namespace

const std::array<vec3, 256>& heat_colors() {
    static const auto colors = [] {
        std::array<vec3, 256> table;
        for (std::size_t i = 0; i < table.size(); ++i)
            table[i] = make_color(static_cast<float>(i) / static_cast<float>(table.size() - 1));
        return table;
    }();
    return colors;
}

vec3 heat_color_srgb(float t) {
    auto& colors = heat_colors();
    auto last = static_cast<float>(colors.size() - 1);
    vec3 linear = colors[static_cast<std::size_t>(std::clamp(t, 0.0f, 1.0f) * last + 0.5f)];
    return {srgb_from_linear(linear.x), srgb_from_linear(linear.y), srgb_from_linear(linear.z)};
}

}  // namespace tl
