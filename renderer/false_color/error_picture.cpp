#include "renderer/false_color/error_picture.h"

#include <algorithm>

#include "renderer/false_color/color_map.h"

namespace tl {

Image8 error_picture(const ErrorMap& map, float top) {
    Image8 image{map.extent, {}};
    image.rgba.reserve(map.values.size() * 4);
    for (float value : map.values) {
        vec3 rgb = heat_color_srgb(value / top);
        for (int c = 0; c < 3; ++c)
            image.rgba.push_back(static_cast<std::uint8_t>(rgb[c] * 255 + 0.5f));
        image.rgba.push_back(255);
    }
    return image;
}

float usual_top(const ErrorMap& map) {
    constexpr float kLeast = 1e-20f;
    if (map.values.empty()) return kLeast;
    auto sorted = map.values;
    auto at = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * 999 / 1000);
    std::ranges::nth_element(sorted, at);
    return std::max(*at, kLeast);
}

}  // namespace tl
