#include "renderer/denoise/denoise_kernels.h"

#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// What a pixel's camera rays meet, as the passes weigh it.
struct alignas(16) Guide {
    vec3 normal;  ///< unit; 0 where nothing is met
    float depth;  ///< along the view
    vec2 slope;   ///< of the depth, by pixels along x and y
    vec2 unused{};
};

/// The film's light without its surfaces' colours.
struct Light {
    vec3 color;
    float variance;  ///< of its luminance
};

TL_HD vec4 packed(const Light& light) {
    return vec4(light.color, light.variance);
}
TL_HD Light unpacked(const vec4& light) {
    return {vec3(light), light.w};
}

TL_HD float luminance_of(vec3 rgb) {
    return glm::dot(rgb, vec3(0.2126f, 0.7152f, 0.0722f));
}

/// The mean of a channel of means.
TL_HD vec3 mean_of(vec4 sum) {
    return sum.w > 0 ? vec3(sum) / sum.w : vec3(0);
}

TL_HD float largest_of(vec3 v) {
    return maximum(v.x, maximum(v.y, v.z));
}

/// Colours below this are not divided by.
constexpr float kLeastAlbedo = 0.01f;

TL_HD vec3 divisor_of(const AovView& guides, std::uint32_t pixel) {
    vec3 albedo = mean_of(guides.values_of(AovChannel::albedo)[pixel]);
    return glm::max(albedo, vec3(kLeastAlbedo));
}

/// Pixels of a picture, by place.
struct Grid {
    int width, height;

    [[nodiscard]] TL_HD bool holds(int x, int y) const {
        return x >= 0 && y >= 0 && x < width && y < height;
    }
    [[nodiscard]] TL_HD std::uint32_t index(int x, int y) const {
        return static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(width) +
               static_cast<std::uint32_t>(x);
    }
};

/// The change of depth to a neighbour: the smaller one of both sides, so that an edge on one side
/// does not count.
TL_HD float slope_along(const Grid& grid, const vec4* depths, int x, int y, int dx, int dy,
                        float depth) {
    float least = 0;
    bool found = false;
    for (int side = -1; side <= 1; side += 2) {
        int nx = x + side * dx, ny = y + side * dy;
        if (!grid.holds(nx, ny)) continue;
        vec4 sum = depths[grid.index(nx, ny)];
        if (!(sum.w > 0)) continue;
        float change = static_cast<float>(side) * (sum.x / sum.w - depth);
        if (!found || fabsf(change) < fabsf(least)) least = change;
        found = true;
    }
    return least;
}

/// How far two pixels see the same surface, 0 to 1.
TL_HD float likeness(const Guide& a, const Guide& b, int dx, int dy) {
    float cosine = glm::dot(a.normal, b.normal);
    if (!(cosine > 0)) return 0;
    constexpr int kSquarings = 6;  // the 64th power
    for (int i = 0; i < kSquarings; ++i) cosine *= cosine;
    float expected = a.slope.x * static_cast<float>(dx) + a.slope.y * static_cast<float>(dy);
    float off = fabsf(b.depth - a.depth - expected);
    float allowed = fabsf(expected) + 1e-3f * a.depth + 1e-12f;
    return cosine * expf(-off / allowed);
}

struct Pictures {
    Grid grid;
    View<Guide> guides;
    View<vec4> from, to;  ///< of Light

    [[nodiscard]] TL_HD bool is_surface(std::uint32_t pixel) const {
        return guides[pixel].normal != vec3(0);
    }
};

/// The most that a pixel's luminance may be for the pixels around it on the same surface: their
/// mean and four standard deviations, the brightest of them left out.
TL_HD float limit_around(const Pictures& p, int x, int y) {
    constexpr int kReach = 2;
    constexpr float kDeviations = 4;
    std::uint32_t here = p.grid.index(x, y);
    float sum = 0, squares = 0, weights = 0, most = -1, weight_of_most = 0;
    for (int dy = -kReach; dy <= kReach; ++dy)
        for (int dx = -kReach; dx <= kReach; ++dx) {
            if ((dx == 0 && dy == 0) || !p.grid.holds(x + dx, y + dy)) continue;
            std::uint32_t there = p.grid.index(x + dx, y + dy);
            float weight = likeness(p.guides[here], p.guides[there], dx, dy);
            float value = luminance_of(vec3(p.from[there]));
            if (weight > 0.01f && value > most) most = value, weight_of_most = weight;
            sum += weight * value;
            squares += weight * value * value;
            weights += weight;
        }
    sum -= weight_of_most * most;
    squares -= weight_of_most * most * most;
    weights -= weight_of_most;
    if (!(weights > 0.01f)) return kInfinity;
    float mean = sum / weights;
    return mean + kDeviations * sqrtf(maximum(0.0f, squares / weights - mean * mean));
}

/// Estimates the variance of a pixel's light from its neighbours' on the same surface.
TL_HD float variance_around(const Pictures& p, int x, int y) {
    constexpr int kReach = 3;
    std::uint32_t here = p.grid.index(x, y);
    float sum = 0, squares = 0, weights = 0;
    for (int dy = -kReach; dy <= kReach; ++dy)
        for (int dx = -kReach; dx <= kReach; ++dx) {
            if (!p.grid.holds(x + dx, y + dy)) continue;
            std::uint32_t there = p.grid.index(x + dx, y + dy);
            float weight = likeness(p.guides[here], p.guides[there], dx, dy);
            float value = luminance_of(vec3(p.from[there]));
            sum += weight * value;
            squares += weight * value * value;
            weights += weight;
        }
    if (!(weights > 0)) return 0;
    float mean = sum / weights;
    return maximum(0.0f, squares / weights - mean * mean);
}

/// The variance, smoothed over the pixel's neighbours, since a single one is itself noisy.
TL_HD float smooth_variance(const Pictures& p, int x, int y) {
    float sum = 0, weights = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if (!p.grid.holds(x + dx, y + dy)) continue;
            float weight = (dx == 0 ? 0.5f : 0.25f) * (dy == 0 ? 0.5f : 0.25f);
            sum += weight * p.from[p.grid.index(x + dx, y + dy)].w;
            weights += weight;
        }
    return sum / weights;
}

/// One pass: the mean over 25 pixels that lie `step` apart, weighted by a B3 spline and by how
/// alike they are.
TL_HD Light smoothed(const Pictures& p, int x, int y, int step, float strength) {
    constexpr float kSpline[3] = {3.0f / 8, 1.0f / 4, 1.0f / 16};
    constexpr float kDeviations = 4;
    std::uint32_t here = p.grid.index(x, y);
    Light light = unpacked(p.from[here]);
    if (!p.is_surface(here)) return light;
    float value = luminance_of(light.color);
    float allowed =
        strength * kDeviations * sqrtf(smooth_variance(p, x, y)) + 1e-6f * value + 1e-30f;
    vec3 sum(0);
    float weights = 0, variance = 0;
    for (int i = -2; i <= 2; ++i)
        for (int j = -2; j <= 2; ++j) {
            int dx = j * step, dy = i * step;
            if (!p.grid.holds(x + dx, y + dy)) continue;
            std::uint32_t there = p.grid.index(x + dx, y + dy);
            Light other = unpacked(p.from[there]);
            float weight = kSpline[i < 0 ? -i : i] * kSpline[j < 0 ? -j : j];
            if (there != here)
                weight *= likeness(p.guides[here], p.guides[there], dx, dy) *
                          expf(-fabsf(luminance_of(other.color) - value) / allowed);
            sum += weight * other.color;
            variance += weight * weight * other.variance;
            weights += weight;
        }
    return {sum / weights, variance / (weights * weights)};
}

/// Calls op(x, y, index) for every pixel.
template <class Op>
void for_pixels(Stream& stream, const char* name, const Grid& grid, Op op) {
    auto n = static_cast<std::uint32_t>(grid.width) * static_cast<std::uint32_t>(grid.height);
    auto width = static_cast<std::uint32_t>(grid.width);
    parallel_for(
        stream, name, n,
        TL_LAMBDA(std::uint32_t i) {
            op(static_cast<int>(i % width), static_cast<int>(i / width), i);
        },
        1024);
}

/// Whether the pixel or one beside it shows a surface without a colour: a lamp, or one that gets no
/// light that could be noisy. What pixels see of a lamp at its rim is not to be spread.
TL_HD bool is_beside_lamp(const Grid& grid, const AovView& guides, int x, int y) {
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if (!grid.holds(x + dx, y + dy)) continue;
            std::uint32_t there = grid.index(x + dx, y + dy);
            bool met = guides.values_of(AovChannel::depth)[there].w > 0;
            vec3 albedo = mean_of(guides.values_of(AovChannel::albedo)[there]);
            if (met && !(largest_of(albedo) > kLeastAlbedo)) return true;
        }
    return false;
}

void take_guides(Stream& stream, const Pictures& p, const AovView& guides) {
    for_pixels(
        stream, "denoiser: guides", p.grid, TL_LAMBDA(int x, int y, std::uint32_t i) {
            vec4 depth = guides.values_of(AovChannel::depth)[i];
            vec3 normal = vec3(guides.values_of(AovChannel::shading_normal)[i]);
            float length = glm::length(normal);
            Guide guide{vec3(0), 0, vec2(0)};
            if (depth.w > 0 && length > 0 && !is_beside_lamp(p.grid, guides, x, y)) {
                const vec4* depths = guides.values_of(AovChannel::depth);
                guide.normal = normal / length;
                guide.depth = depth.x / depth.w;
                guide.slope = {slope_along(p.grid, depths, x, y, 1, 0, guide.depth),
                               slope_along(p.grid, depths, x, y, 0, 1, guide.depth)};
            }
            p.guides[i] = guide;
        });
}

void divide_by_albedo(Stream& stream, const Pictures& p, const FilmView& film,
                      const AovView& guides) {
    const vec4* sums = film.radiance_sum;
    for_pixels(
        stream, "denoiser: divide by albedo", p.grid, TL_LAMBDA(int, int, std::uint32_t i) {
            vec3 color = mean_of(sums[i]);
            bool finite = fabsf(color.x + color.y + color.z) < kInfinity;
            if (p.is_surface(i)) color /= divisor_of(guides, i);
            p.to[i] = packed({finite ? color : vec3(0), 0});
        });
}

}  // namespace

void denoise_film(Scratch& scratch, const FilmView& film, const AovView& guides,
                  const DenoisePasses& passes, View<vec4> out) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::size_t>(film.extent.pixels());
    View<vec4> light[2] = {scratch.take<vec4>(n), scratch.take<vec4>(n)};
    Pictures p{{film.extent.width, film.extent.height}, scratch.take<Guide>(n), light[1], light[0]};
    take_guides(stream, p, guides);
    divide_by_albedo(stream, p, film, guides);
    auto turn = [&] { p = {p.grid, p.guides, p.to, p.from}; };
    turn();
    for_pixels(
        stream, "denoiser: specks", p.grid, TL_LAMBDA(int x, int y, std::uint32_t i) {
            vec3 color = vec3(p.from[i]);
            float value = luminance_of(color);
            float most = p.is_surface(i) ? limit_around(p, x, y) : kInfinity;
            p.to[i] = vec4(value > most ? color * (most / value) : color, 0);
        });
    turn();
    for_pixels(
        stream, "denoiser: noise", p.grid, TL_LAMBDA(int x, int y, std::uint32_t i) {
            float variance = p.is_surface(i) ? variance_around(p, x, y) : 0.0f;
            p.to[i] = vec4(vec3(p.from[i]), variance);
        });
    turn();
    float strength = passes.strength;
    for (int k = 0; k < passes.n; ++k) {
        int step = 1 << k;
        for_pixels(
            stream, "denoiser: smooth", p.grid, TL_LAMBDA(int x, int y, std::uint32_t i) {
                p.to[i] = packed(smoothed(p, x, y, step, strength));
            });
        turn();
    }
    const vec4* sums = film.radiance_sum;
    for_pixels(
        stream, "denoiser: multiply by albedo", p.grid, TL_LAMBDA(int, int, std::uint32_t i) {
            vec3 color = vec3(p.from[i]);
            if (p.is_surface(i)) color *= divisor_of(guides, i);
            vec3 given = mean_of(sums[i]);
            bool finite = fabsf(given.x + given.y + given.z) < kInfinity;
            out[i] = vec4(finite ? color : given, 1);  // what is not finite stays visible
        });
}

TL_DEVICE_END
