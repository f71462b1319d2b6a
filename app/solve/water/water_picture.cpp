#include "app/solve/water/water_picture.h"

#include <algorithm>
#include <cmath>

#include "core/base/math.h"

namespace tl {
namespace {

/// Numbers from the lowest to the highest as 0 to 1.
struct WaterScale {
    double low = HUGE_VAL, high = -HUGE_VAL;
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] double of(double value) const {
        return high > low ? (value - low) / (high - low) : 0.5;
    }
};

std::uint8_t picture_byte(double value) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

}  // namespace

Image8 picture_of_water(const Basin& basin, const std::vector<double>& level) {
    constexpr double kWet = 1e-4;  // m
    auto nx = static_cast<std::size_t>(basin.nx), ny = static_cast<std::size_t>(basin.ny);
    WaterScale depths, heights, slopes;
    auto slope_at = [&](std::size_t i, std::size_t j) {
        auto at = [&](std::size_t x, std::size_t y) { return level[x + y * nx]; };
        std::size_t left = i > 0 ? i - 1 : 0, right = std::min(i + 1, nx - 1);
        std::size_t low = j > 0 ? j - 1 : 0, high = std::min(j + 1, ny - 1);
        return (at(right, j) - at(left, j)) / basin.dx - (at(i, high) - at(i, low)) / basin.dy;
    };
    auto wet = [&](std::size_t k) { return level[k] - basin.bed[k] > kWet; };
    for (std::size_t k = 0; k < basin.size(); ++k) {
        if (wet(k)) {
            depths.add(level[k] - basin.bed[k]);
            slopes.add(std::abs(slope_at(k % nx, k / nx)));
        }
        heights.add(basin.bed[k]);
    }
    Image8 image;
    image.extent = {basin.nx, basin.ny};
    image.rgba.resize(4 * basin.size());
    for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t i = 0; i < nx; ++i) {
            std::size_t k = i + j * nx;
            double slope = slope_at(i, j), height = heights.of(basin.bed[k]);
            double light = std::clamp(0.5 + 0.5 * slope, 0.2, 1.0);
            vec3 color = vec3(0.35f, 0.3f, 0.2f) + vec3(0.55f, 0.5f, 0.42f) * float(height);
            if (wet(k)) {
                double deep = depths.of(level[k] - basin.bed[k]);
                light = 0.5 + (slopes.high > 0 ? 0.45 * slope / slopes.high : 0);
                color = glm::mix(vec3(0.55f, 0.85f, 0.95f), vec3(0.1f, 0.35f, 0.75f), float(deep));
            }
            std::uint8_t* pixel = &image.rgba[4 * (i + (ny - 1 - j) * nx)];
            for (int c = 0; c < 3; ++c)
                pixel[c] = picture_byte(2 * light * double(color[c]) * 0.75);
            pixel[3] = 255;
        }
    return image;
}

}  // namespace tl
