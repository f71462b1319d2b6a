#include "renderer/images/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "renderer/images/image_claims.h"
#include "renderer/images/srgb.h"

namespace tl {

double ErrorMap::mean() const {
    double sum = 0;
    for (float value : values) sum += static_cast<double>(value);
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double mean_squared_error(const ImageF& reference, const ImageF& test) {
    double sum = 0;
    for (std::size_t i = 0; i < reference.rgb.size(); ++i)
        for (int c = 0; c < 3; ++c) {
            double d =
                static_cast<double>(test.rgb[i][c]) - static_cast<double>(reference.rgb[i][c]);
            sum += d * d;
        }
    return reference.rgb.empty() ? 0 : sum / (3.0 * static_cast<double>(reference.rgb.size()));
}

ErrorMap relative_squared_errors(const ImageF& reference, const ImageF& test) {
    constexpr double kDark = 0.01;
    ErrorMap map{reference.extent, {}};
    for (std::size_t i = 0; i < reference.rgb.size(); ++i) {
        double sum = 0;
        for (int c = 0; c < 3; ++c) {
            auto r = static_cast<double>(reference.rgb[i][c]);
            double d = static_cast<double>(test.rgb[i][c]) - r;
            sum += d * d / (r * r + kDark);
        }
        map.values.push_back(static_cast<float>(sum / 3));
    }
    return map;
}

double peak_signal_to_noise(const ImageF& reference, const ImageF& test) {
    auto displayed = [](const ImageF& image) {
        ImageF shown = image;
        for (vec3& rgb : shown.rgb)
            for (int c = 0; c < 3; ++c) rgb[c] = srgb_from_linear(std::clamp(rgb[c], 0.0f, 1.0f));
        return shown;
    };
    double error = mean_squared_error(displayed(reference), displayed(test));
    return error > 0 ? -10 * std::log10(error) : std::numeric_limits<double>::infinity();
}

ImageF linear_of(const Image16& image) {
    require_image_memory("linear colours", image.extent, sizeof(vec3));
    ImageF linear{image.extent, {}};
    for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
        vec3 rgb;
        for (int c = 0; c < 3; ++c)
            rgb[c] =
                linear_from_srgb(static_cast<float>(image.value(i + static_cast<std::size_t>(c))));
        linear.rgb.push_back(rgb);
    }
    return linear;
}

}  // namespace tl
