#include "renderer/scene/live/lights/live_environment.h"

#include <cmath>

namespace tl {
namespace {

/// Mean over each texel's area of the bilinearly interpolated map: along each axis, 3/4 of its own
/// value and 1/8 of each neighbour's. The density is therefore positive wherever the map emits.
std::vector<float> mean_brightness(const EnvironmentMap& map) {
    int width = map.extent.width, height = map.extent.height;
    auto brightness = [&](int x, int y) {
        y = y < 0 ? 0 : y < height ? y : height - 1;
        x = (x + width) % width;
        vec3 rgb = map.texels[std::size_t(y) * width + x] * map.scale;
        return (double(rgb.x) + double(rgb.y) + double(rgb.z)) / 3;
    };
    std::vector<double> across(map.texels.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            across[std::size_t(y) * width + x] =
                0.75 * brightness(x, y) + 0.125 * (brightness(x - 1, y) + brightness(x + 1, y));
    std::vector<float> mean(map.texels.size());
    for (int y = 0; y < height; ++y) {
        std::size_t above = std::size_t(y > 0 ? y - 1 : 0) * width;
        std::size_t below = std::size_t(y < height - 1 ? y + 1 : y) * width;
        for (int x = 0; x < width; ++x) {
            std::size_t i = std::size_t(y) * width + x;
            mean[i] = static_cast<float>(0.75 * across[i] +
                                         0.125 * (across[above + x] + across[below + x]));
        }
    }
    return mean;
}

/// cdf[0..n] = prefix sums of values[0..n) divided by their total, from 0 to 1; uniform if all are
/// 0. Returns the total.
template <class Value>
double accumulate(const Value* values, std::size_t n, float* cdf) {
    double total = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) total += double(values[i]);
    cdf[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += total > 0 ? double(values[i]) : 1.0;
        cdf[i + 1] = static_cast<float>(sum / (total > 0 ? total : double(n)));
    }
    cdf[n] = 1;
    return total;
}

}  // namespace

LiveEnvironment::LiveEnvironment(Stream& stream, const EnvironmentMap& map) {
    if (map.empty()) return;
    auto width = static_cast<std::size_t>(map.extent.width);
    auto height = static_cast<std::size_t>(map.extent.height);
    std::vector<vec3> texels = map.texels;
    for (auto& texel : texels) texel *= map.scale;

    auto mean = mean_brightness(map);
    std::vector<float> columns(height * (width + 1)), rows(height + 1);
    std::vector<double> of_row(height);
    for (std::size_t y = 0; y < height; ++y) {
        double sum = accumulate(&mean[y * width], width, &columns[y * (width + 1)]);
        // Weights rows by their solid angle.
        auto share = [&](std::size_t row) {
            return std::cos(double(kPi) * double(row) / double(height));
        };
        of_row[y] = sum * (share(y) - share(y + 1));
    }
    double sum = accumulate(of_row.data(), height, rows.data());
    fluence_ = static_cast<float>(sum * 2 * double(kPi) / double(width));

    texels_.assign(stream, texels);
    row_cdf_.assign(stream, rows);
    column_cdf_.assign(stream, columns);
    EnvironmentData data;
    data.texels = texels_.data();
    data.row_cdf = row_cdf_.data();
    data.column_cdf = column_cdf_.data();
    data.width = map.extent.width;
    data.height = map.extent.height;
    data.turn = map.rotation / 360;
    data_.assign(stream, {&data, 1});
}

std::size_t LiveEnvironment::bytes_for(const EnvironmentMap& map) {
    return map.texels.size() * (sizeof(vec3) + sizeof(float)) +
           std::size_t(map.extent.height) * 2 * sizeof(float);
}

}  // namespace tl
