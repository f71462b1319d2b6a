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

constexpr double kWet = 1e-4;  // m

Image8 cells_of_water(const Basin& basin, const std::vector<double>& level) {
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

/// Every pixel as a square of scale x scale pixels.
Image8 enlarged(const Image8& image, int scale) {
    Image8 large;
    large.extent = {image.extent.width * scale, image.extent.height * scale};
    auto width = static_cast<std::size_t>(large.extent.width);
    large.rgba.resize(4 * width * static_cast<std::size_t>(large.extent.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(large.extent.height); ++y)
        for (std::size_t x = 0; x < width; ++x) {
            auto s = static_cast<std::size_t>(scale);
            std::size_t from = x / s + y / s * static_cast<std::size_t>(image.extent.width);
            std::copy_n(&image.rgba[4 * from], 4, &large.rgba[4 * (x + y * width)]);
        }
    return large;
}

/// Draws a black line between two positions, in pixels.
void draw_line(Image8& image, glm::dvec2 from, glm::dvec2 to) {
    auto n = static_cast<int>(std::ceil(2 * glm::length(to - from)));
    for (int i = 0; i <= n; ++i) {
        glm::dvec2 at = glm::mix(from, to, n > 0 ? double(i) / n : 0.0);
        auto x = static_cast<int>(std::floor(at.x)), y = static_cast<int>(std::floor(at.y));
        if (x < 0 || y < 0 || x >= image.extent.width || y >= image.extent.height) continue;
        auto pixel = static_cast<std::size_t>(x) +
                     static_cast<std::size_t>(y) * static_cast<std::size_t>(image.extent.width);
        std::fill_n(&image.rgba[4 * pixel], 3, std::uint8_t(0));
    }
}

/// Draws an arrow whose middle is `middle`, in pixels.
void draw_arrow(Image8& image, glm::dvec2 middle, glm::dvec2 along) {
    glm::dvec2 tip = middle + 0.5 * along, across(-along.y, along.x);
    draw_line(image, middle - 0.5 * along, tip);
    for (double side : {-1.0, 1.0}) draw_line(image, tip, tip - 0.3 * along + side * 0.18 * across);
}

/// Velocity in the middle of a cell, m/s: the mean of its faces'.
glm::dvec2 velocity_in(const Basin& basin, const Water::Host& fields, std::size_t i,
                       std::size_t j) {
    auto nx = static_cast<std::size_t>(basin.nx);
    std::size_t left = i + j * (nx + 1), below = i + j * nx;
    return {(fields.u[left] + fields.u[left + 1]) / 2,
            (fields.v[below] + fields.v[below + nx]) / 2};
}

void draw_velocities(Image8& image, const Basin& basin, const Water::Host& fields, int spacing,
                     int scale) {
    struct Velocity {
        glm::dvec2 middle, velocity;
    };
    std::vector<Velocity> drawn;
    double fastest = 0;
    auto nx = static_cast<std::size_t>(basin.nx), ny = static_cast<std::size_t>(basin.ny);
    auto step = static_cast<std::size_t>(spacing);
    for (std::size_t j = step / 2; j < ny; j += step)
        for (std::size_t i = step / 2; i < nx; i += step) {
            if (fields.z[i + j * nx] - basin.bed[i + j * nx] <= kWet) continue;
            glm::dvec2 velocity = velocity_in(basin, fields, i, j);
            fastest = std::max(fastest, glm::length(velocity));
            // Rows of the picture go down.
            drawn.push_back({{(double(i) + 0.5) * scale, (double(ny - 1 - j) + 0.5) * scale},
                             {velocity.x, -velocity.y}});
        }
    if (fastest == 0) return;
    double length = double(spacing) * scale / fastest;
    for (auto& arrow : drawn) draw_arrow(image, arrow.middle, length * arrow.velocity);
}

}  // namespace

Image8 picture_of_water(const Basin& basin, const Water::Host& fields, WaterArrows arrows) {
    auto image = cells_of_water(basin, fields.z);
    if (arrows.spacing == 0) return image;
    constexpr int kLongest = 12, kMostPixels = 8192;  // of an arrow, and of a side
    int scale = std::min((kLongest + arrows.spacing - 1) / arrows.spacing,
                         std::max(kMostPixels / std::max(basin.nx, basin.ny), 1));
    if (scale > 1) image = enlarged(image, scale);
    draw_velocities(image, basin, fields, arrows.spacing, scale);
    return image;
}

}  // namespace tl
