#include "renderer/film/deep_picture.h"

#include <cmath>

#include "renderer/film/tone_curves.h"
#include "renderer/images/srgb.h"

namespace tl {
namespace {

bool has_finite_channels(vec3 v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

Image16 deep_picture_of(const ImageF& radiance, const ToneMap& map, int bits) {
    bool is_deep = bits == 16;
    const float kMost = is_deep ? 65535 : 255;
    constexpr vec3 kMagenta(1, 0, 1);
    float scale = std::exp2(map.exposure);
    Image16 image;
    image.extent = radiance.extent;
    image.rgba.reserve(4 * radiance.rgb.size());
    image.lower.reserve(is_deep ? 4 * radiance.rgb.size() : 0);
    auto put = [&](float value) {
        auto level = static_cast<std::uint32_t>(value * kMost + 0.5f);
        image.rgba.push_back(static_cast<std::uint8_t>(is_deep ? level >> 8 : level));
        if (is_deep) image.lower.push_back(static_cast<std::uint8_t>(level & 0xff));
    };
    for (vec3 rgb : radiance.rgb) {
        vec3 scaled = rgb * scale;
        vec3 x = tone_curve(map.tone_operator, scaled);
        // Curves that clamp would hide infinite radiance.
        if (!has_finite_channels(scaled) || !has_finite_channels(x)) x = kMagenta;
        for (int c = 0; c < 3; ++c) put(srgb_from_linear(minimum(maximum(x[c], 0.0f), 1.0f)));
        put(1);
    }
    return image;
}

}  // namespace tl
