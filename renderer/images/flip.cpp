// FLIP: colour differences filtered by the eye's contrast sensitivity, amplified where edges or
// points differ.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "renderer/images/image_claims.h"
#include "renderer/images/metrics.h"

namespace tl {
namespace {

// --- colours ------------------------------------------------------------------------------------

/// XYZ of linear sRGB, relative to white.
vec3 relative_xyz(vec3 rgb) {
    constexpr float kWhite[3] = {0.950428545f, 1.0f, 1.088900371f};
    return {(0.412390799f * rgb.x + 0.357584339f * rgb.y + 0.180480788f * rgb.z) / kWhite[0],
            0.212639006f * rgb.x + 0.715168679f * rgb.y + 0.072192315f * rgb.z,
            (0.019330819f * rgb.x + 0.119194780f * rgb.y + 0.950532152f * rgb.z) / kWhite[2]};
}
vec3 linear_from_relative_xyz(vec3 xyz) {
    float x = xyz.x * 0.950428545f, y = xyz.y, z = xyz.z * 1.088900371f;
    return {3.240969942f * x - 1.537383178f * y - 0.498610760f * z,
            -0.969243636f * x + 1.875967502f * y + 0.041555057f * z,
            0.055630080f * x - 0.203976959f * y + 1.056971514f * z};
}

/// Achromatic, red-green and blue-yellow responses (YCxCz), linear in the colour.
vec3 opponents(vec3 rgb) {
    vec3 xyz = relative_xyz(rgb);
    return {116 * xyz.y - 16, 500 * (xyz.x - xyz.y), 200 * (xyz.y - xyz.z)};
}
vec3 linear_from_opponents(vec3 o) {
    float y = (o.x + 16) / 116;
    return linear_from_relative_xyz({y + o.y / 500, y, y - o.z / 200});
}

/// CIE L*a*b* with chroma reduced in the dark (Hunt 1952).
vec3 hunt_lab(vec3 rgb) {
    auto f = [](float t) {
        constexpr float kEdge = 6.0f / 29;
        return t > kEdge * kEdge * kEdge ? std::cbrt(t) : t / (3 * kEdge * kEdge) + 4.0f / 29;
    };
    vec3 xyz = relative_xyz(rgb);
    float x = f(xyz.x), y = f(xyz.y), z = f(xyz.z), lightness = 116 * y - 16;
    return {lightness, 0.01f * lightness * 500 * (x - y), 0.01f * lightness * 200 * (y - z)};
}

/// HyAB colour distance, suited to large differences (Abasi, Tehran & Fairchild 2019).
float hyab(vec3 a, vec3 b) {
    return std::abs(a.x - b.x) + std::hypot(a.y - b.y, a.z - b.z);
}

// --- filters ------------------------------------------------------------------------------------

using Plane = std::vector<vec3>;

/// Calls row(y) for each row of a picture, on all cores.
template <class Row>
void for_rows(Extent extent, Row&& row) {
    tbb::parallel_for(0, extent.height, [&](int y) { row(y); });
}

using Channel = std::vector<float>;

/// Filters a channel along one axis; pixels beyond the edge repeat the edge. Each weight is
/// multiplied with a whole row at a time.
Channel filtered(const Channel& from, Extent extent, bool along_x, const Channel& weights) {
    auto width = static_cast<std::size_t>(extent.width);
    int radius = static_cast<int>(weights.size() / 2);
    Channel to(from.size());
    for_rows(extent, [&](int y) {
        float* sums = &to[static_cast<std::size_t>(y) * width];
        Channel wide;  // the row, with its edges continued
        if (along_x) {
            wide.reserve(width + weights.size());
            for (int x = -radius; x < extent.width + radius; ++x)
                wide.push_back(from[static_cast<std::size_t>(y) * width +
                                    static_cast<std::size_t>(std::clamp(x, 0, extent.width - 1))]);
        }
        for (std::size_t k = 0; k < weights.size(); ++k) {
            int row = std::clamp(y + static_cast<int>(k) - radius, 0, extent.height - 1);
            const float* values = along_x ? &wide[k] : &from[static_cast<std::size_t>(row) * width];
            float weight = weights[k];
            for (std::size_t x = 0; x < width; ++x) sums[x] += weight * values[x];
        }
    });
    return to;
}

/// Filters along both axes, with other weights along y.
Channel filtered(const Channel& from, Extent extent, const Channel& along_x,
                 const Channel& along_y) {
    return filtered(filtered(from, extent, true, along_x), extent, false, along_y);
}

Channel channel_of(const Plane& plane, int c) {
    Channel channel;
    channel.reserve(plane.size());
    for (vec3 pixel : plane) channel.push_back(pixel[c]);
    return channel;
}

/// A Gaussian of a contrast sensitivity function: amplitude and inverse width, cycles per degree.
struct Gaussian {
    double a, b;
};

/// One-dimensional weights of that Gaussian, `radius` pixels to each side, with its sum's square
/// root times `a` left in, since the two-dimensional filter is a sum of such products.
std::vector<double> weights_of(Gaussian g, double pixels_per_degree, int radius) {
    std::vector<double> weights;
    for (int k = -radius; k <= radius; ++k) {
        double x = k / pixels_per_degree * M_PI;
        weights.push_back(std::sqrt(g.a * std::sqrt(M_PI / g.b)) * std::exp(-x * x / g.b));
    }
    return weights;
}

/// Responses filtered by the eye's contrast sensitivity, per channel.
Plane seen(const Plane& plane, Extent extent, double pixels_per_degree) {
    // Blue-yellow has two Gaussians, the others one.
    constexpr Gaussian kFirst[3] = {{1, 0.0047}, {1, 0.0053}, {34.1, 0.04}};
    constexpr Gaussian kSecond{13.5, 0.025};
    int radius =
        static_cast<int>(std::ceil(3 * std::sqrt(0.04 / (2 * M_PI * M_PI)) * pixels_per_degree));
    std::vector<double> first[3], second = weights_of(kSecond, pixels_per_degree, radius);
    for (int c = 0; c < 3; ++c) first[c] = weights_of(kFirst[c], pixels_per_degree, radius);
    auto square_of_sum = [](const std::vector<double>& weights) {
        double sum = 0;
        for (double w : weights) sum += w;
        return sum * sum;
    };
    double totals[3];
    for (int c = 0; c < 3; ++c)
        totals[c] = square_of_sum(first[c]) + (c == 2 ? square_of_sum(second) : 0);
    auto scaled = [](const std::vector<double>& weights, double total) {
        Channel to;
        for (double w : weights) to.push_back(static_cast<float>(w / std::sqrt(total)));
        return to;
    };
    Plane sum(plane.size());
    for (int c = 0; c < 3; ++c) {
        Channel channel = channel_of(plane, c), weights = scaled(first[c], totals[c]);
        Channel filter = filtered(channel, extent, weights, weights);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i][c] = filter[i];
        if (c < 2) continue;
        weights = scaled(second, totals[c]);
        filter = filtered(channel, extent, weights, weights);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i][c] += filter[i];
    }
    return sum;
}

/// The strengths of edges (x) and points (y) in a picture's luminance, 0 to 1.
std::vector<vec2> features(const Plane& responses, Extent extent, double pixels_per_degree) {
    constexpr double kWidth = 0.082;  // degrees
    double deviation = 0.5 * kWidth * pixels_per_degree;
    int radius = static_cast<int>(std::ceil(3 * deviation));
    // The Gaussian, its first and its second derivative.
    Channel weights[3];
    double sums[3] = {}, negative = 0;
    for (int k = -radius; k <= radius; ++k) {
        double g = std::exp(-k * k / (2 * deviation * deviation));
        double second = (k * k / (deviation * deviation) - 1) * g;
        weights[0].push_back(static_cast<float>(g));
        weights[1].push_back(static_cast<float>(-k * g));
        weights[2].push_back(static_cast<float>(second));
        sums[0] += g;
        sums[1] += std::max(-k * g, 0.0);
        sums[2] += std::max(second, 0.0);
        negative -= std::min(second, 0.0);
    }
    for (float& w : weights[0]) w /= static_cast<float>(sums[0]);
    for (float& w : weights[1]) w /= static_cast<float>(sums[1]);
    for (float& w : weights[2]) w /= static_cast<float>(w > 0 ? sums[2] : negative);
    Channel luminance;
    luminance.reserve(responses.size());
    for (vec3 response : responses) luminance.push_back((response.x + 16) / 116);
    // Derivatives along one axis are smoothed along the other.
    Channel slopes[2][2];
    for (std::size_t order = 0; order < 2; ++order) {
        slopes[order][0] = filtered(luminance, extent, weights[order + 1], weights[0]);
        slopes[order][1] = filtered(luminance, extent, weights[0], weights[order + 1]);
    }
    std::vector<vec2> strengths;
    strengths.reserve(luminance.size());
    for (std::size_t i = 0; i < luminance.size(); ++i)
        strengths.emplace_back(std::hypot(slopes[0][0][i], slopes[0][1][i]),
                               std::hypot(slopes[1][0][i], slopes[1][1][i]));
    return strengths;
}

// --- the errors ---------------------------------------------------------------------------------

void require_flip_memory(Extent extent) {
    constexpr std::size_t kBytesPerPixel = 160;  // planes of vectors, with some reserve
    require_image_memory("the comparison by flip", extent, kBytesPerPixel);
}

/// FLIP of linear colours in [0, 1]; calls report() between its parts.
template <class Report>
std::vector<float> flip_of(const Plane& reference, const Plane& test, Extent extent,
                           const FlipView& view, const Report& report) {
    constexpr float kColorPower = 0.7f, kFeaturePower = 0.5f;
    constexpr float kKnee = 0.4f, kKneeValue = 0.95f;
    Plane responses[2], colors[2];
    std::vector<vec2> strengths[2];
    for (int k = 0; k < 2; ++k) {
        for (vec3 rgb : k == 0 ? reference : test) responses[k].push_back(opponents(rgb));
        report();
        strengths[k] = features(responses[k], extent, view.pixels_per_degree);
        report();
        colors[k] = seen(responses[k], extent, view.pixels_per_degree);
        for (vec3& c : colors[k])
            c = hunt_lab(glm::clamp(linear_from_opponents(c), vec3(0), vec3(1)));
    }
    float most = std::pow(hyab(hunt_lab({0, 1, 0}), hunt_lab({0, 0, 1})), kColorPower);
    std::vector<float> errors;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        float color = std::pow(hyab(colors[0][i], colors[1][i]), kColorPower);
        color = color < kKnee * most ? kKneeValue / (kKnee * most) * color
                                     : kKneeValue + (color - kKnee * most) / (most - kKnee * most) *
                                                        (1 - kKneeValue);
        vec2 change = glm::abs(strengths[0][i] - strengths[1][i]);
        float feature = std::pow(std::max(change.x, change.y) / std::sqrt(2.0f), kFeaturePower);
        errors.push_back(std::pow(std::min(color, 1.0f), 1 - std::min(feature, 1.0f)));
    }
    return errors;
}

/// The ACES curve that HDR-FLIP uses (Narkowicz 2015's fit, scaled by 0.6).
float aces(float x) {
    float scaled = 0.6f * std::max(x, 0.0f);
    float shown = scaled * (2.51f * scaled + 0.03f) / (scaled * (2.43f * scaled + 0.59f) + 0.14f);
    return std::clamp(shown, 0.0f, 1.0f);
}

/// The exposures, in stops, at which the brightest and the median luminance are shown as 0.85.
void exposure_range(const ImageF& reference, float& first, float& last) {
    constexpr float kShown = 0.85f;
    // Inverse of the curve: the larger root of a quadratic.
    double a = 2.51 - kShown * 2.43, b = 0.03 - kShown * 0.59, c = -kShown * 0.14;
    double bright = (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a) / 0.6;
    std::vector<float> luminances;
    for (vec3 rgb : reference.rgb)
        luminances.push_back(0.212639f * rgb.x + 0.715169f * rgb.y + 0.072192f * rgb.z);
    auto middle = luminances.begin() + static_cast<std::ptrdiff_t>(luminances.size() / 2);
    std::ranges::nth_element(luminances, middle);
    float median = std::max(*middle, 1e-6f);
    float most = std::max(*std::ranges::max_element(luminances), 1e-6f);
    first = static_cast<float>(std::log2(bright / static_cast<double>(most)));
    last = static_cast<float>(std::log2(bright / static_cast<double>(median)));
}

}  // namespace

ErrorMap flip_errors(const Image16& reference, const Image16& test, const FlipView& view) {
    require_flip_memory(reference.extent);
    return {reference.extent,
            flip_of(linear_of(reference).rgb, linear_of(test).rgb, reference.extent, view, [] {})};
}

ErrorMap flip_errors(const ImageF& reference, const ImageF& test, const FlipView& view,
                     const std::function<void(float)>& report) {
    ErrorMap map{reference.extent, std::vector<float>(reference.rgb.size())};
    if (map.values.empty()) return map;
    require_flip_memory(reference.extent);
    float first, last;
    exposure_range(reference, first, last);
    int n = std::max(2, static_cast<int>(std::ceil(last - first)));
    auto shown = [](const ImageF& image, float stops) {
        Plane plane;
        for (vec3 rgb : image.rgb) {
            vec3 scaled = rgb * std::exp2(stops);
            plane.emplace_back(aces(scaled.x), aces(scaled.y), aces(scaled.z));
        }
        return plane;
    };
    for (int k = 0; k < n; ++k) {
        float stops = first + (last - first) * static_cast<float>(k) / static_cast<float>(n - 1);
        auto tell = [&] {
            if (report) report(static_cast<float>(k) / static_cast<float>(n));
        };
        auto errors =
            flip_of(shown(reference, stops), shown(test, stops), reference.extent, view, tell);
        for (std::size_t i = 0; i < errors.size(); ++i)
            map.values[i] = std::max(map.values[i], errors[i]);
    }
    return map;
}

}  // namespace tl
