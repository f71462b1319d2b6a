#include "renderer/denoise/denoise_kernels.h"

#include "core/device/parallel_for.h"
#include "renderer/denoise/likeness.h"

TL_DEVICE_BEGIN

namespace {

/// Launches op(x, y, index) for all groups of kPixels pixels of a row.
template <class Op>
void for_groups(Stream& stream, const char* name, const DenoisePlanes& p, Op op) {
    DenoisePlanes planes = p;
    int n_groups = (p.width + kPixels - 1) / kPixels;
    parallel_for(
        stream, name, static_cast<std::uint32_t>(n_groups * p.height),
        TL_LAMBDA(std::uint32_t i) {
            DenormalsAsZero fast;
            int x = static_cast<int>(i) % n_groups * kPixels, y = static_cast<int>(i) / n_groups;
            op(x, y, planes.index(x, y));
        },
        128);
}

/// Calls op(index, dx, dy) for the pixels within `reach` of those at `index` along both axes,
/// themselves included.
template <class Op>
TL_D void for_square(const DenoisePlanes& p, int y, std::ptrdiff_t index, int reach, Op&& op) {
    for (int dy = -reach; dy <= reach; ++dy) {
        if (!p.has_row(y + dy)) continue;
        std::ptrdiff_t row = index + static_cast<std::ptrdiff_t>(dy) * p.stride;
        for (int dx = -reach; dx <= reach; ++dx) op(row + dx, dx, dy);
    }
}

/// Mean and variance of the luminance over neighbouring pixels, weighted by similarity.
class Moments {
  public:
    TL_D void add(Pixels weight, Pixels value) {
        Pixels weighted = weight * value;
        sum_ = sum_ + weighted;
        squares_ = multiply_add(weighted, value, squares_);
        weights_ = weights_ + weight;
    }
    TL_D void take_away(Pixels weight, Pixels value) {
        sum_ = sum_ - weight * value;
        squares_ = squares_ - weight * value * value;
        weights_ = weights_ - weight;
    }
    [[nodiscard]] TL_D Pixels weights() const { return weights_; }
    [[nodiscard]] TL_D Pixels mean() const { return sum_ / maximum(weights_, Pixels(kLeast)); }
    [[nodiscard]] TL_D Pixels variance() const {
        Pixels m = mean();
        return maximum(squares_ / maximum(weights_, Pixels(kLeast)) - m * m, Pixels(0.0f));
    }

  private:
    static constexpr float kLeast = 1e-20f;
    Pixels sum_{0.0f}, squares_{0.0f}, weights_{0.0f};
};

/// Part of the variance of a surface's radiance that arises because the film's samples cover the
/// pixel differently from the guides'. `varies`, `beyond`: planes of variance of fill_planes().
/// `light`: mean luminance of the surface.
TL_D Pixels variance_by_cover(Pixels varies, Pixels light, Pixels beyond) {
    Pixels apart = light - beyond;
    return varies * apart * apart;
}

/// Removes fireflies: limits the luminance of a pixel to the mean plus four standard deviations of
/// its neighbours on the same surface, the brightest of these excluded.
TL_D void dim_specks(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    constexpr int kReach = 2;
    constexpr float kDeviations = 4, kLeastWeight = 0.01f;
    SeenSurface surface(p, here);
    Moments around;
    Pixels most(-1.0f), weight_of_most(0.0f);
    for_square(p, y, here, kReach, [&](std::ptrdiff_t there, int dx, int dy) {
        if (dx == 0 && dy == 0) return;
        Pixels weight = surface.to(p, there, dx, dy).weight();
        Pixels value = PixelColors::load_from(p.from, there).luminance();
        PixelMask brightest = (weight > Pixels(kLeastWeight)) & (value > most);
        most = select(brightest, value, most);
        weight_of_most = select(brightest, weight, weight_of_most);
        around.add(weight, value);
    });
    around.take_away(weight_of_most, most);
    Pixels mean = around.mean();
    Pixels variance = around.variance() + variance_by_cover(absolute(load(p.variance_from + here)),
                                                            mean, load(p.variance_to + here));
    Pixels limit =
        maximum(multiply_add(Pixels(kDeviations), square_root(variance), mean), Pixels(0.0f));
    PixelColors color = PixelColors::load_from(p.from, here);
    Pixels value = color.luminance();
    PixelMask speck = (around.weights() > Pixels(kLeastWeight)) & (value > limit);
    Pixels scale = select(speck, limit / value, Pixels(1.0f));
    PixelColors{color.r * scale, color.g * scale, color.b * scale}.store_to(p.to, here);
}

/// Estimates the variance of the radiance of pixels from neighbours on the same surface. Call it
/// after dim_specks() and DenoisePlanes::turned(), which swaps the planes of variance.
TL_D void estimate_variance(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    constexpr int kReach = 3;
    SeenSurface surface(p, here);
    Moments around;
    for_square(p, y, here, kReach, [&](std::ptrdiff_t there, int dx, int dy) {
        around.add(surface.to(p, there, dx, dy).weight(),
                   PixelColors::load_from(p.from, there).luminance());
    });
    Pixels varies = maximum(load(p.variance_to + here), Pixels(0.0f));
    Pixels by_cover = variance_by_cover(varies, around.mean(), load(p.variance_from + here));
    store(p.variance_to + here, around.variance() / load(p.cover + here) + by_cover);
    PixelColors::load_from(p.from, here).store_to(p.to, here);
}

/// The variance, smoothed over the pixel's neighbours, since a single one is itself noisy.
TL_D Pixels smooth_variance(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    Pixels sum(0.0f);
    float weights = 0;
    for_square(p, y, here, 1, [&](std::ptrdiff_t there, int dx, int dy) {
        float weight = (dx == 0 ? 0.5f : 0.25f) * (dy == 0 ? 0.5f : 0.25f);
        sum = multiply_add(Pixels(weight), load(p.variance_from + there), sum);
        weights += weight;
    });
    return sum / Pixels(weights);
}

/// One pass: the mean over 25 pixels that lie `step` apart, weighted by a B3 spline and by how
/// alike they are.
TL_D void smooth(const DenoisePlanes& p, int y, std::ptrdiff_t here, int step, float strength) {
    // 1 in the middle, so that a pixel without similar neighbours stays exact.
    constexpr float kSpline[3] = {1, 2.0f / 3, 1.0f / 6};
    constexpr float kDeviations = 4;
    SeenSurface surface(p, here);
    PixelColors color = PixelColors::load_from(p.from, here);
    Pixels value = color.luminance();
    Pixels least = multiply_add(Pixels(1e-6f), absolute(value), Pixels(1e-30f));
    Pixels allowed = multiply_add(Pixels(strength * kDeviations),
                                  square_root(smooth_variance(p, y, here)), least);
    Pixels per_allowed = Pixels(1.0f) / allowed;
    Pixels weights = load(p.cover + here);
    PixelColors sum{weights * color.r, weights * color.g, weights * color.b};
    Pixels variance = weights * weights * load(p.variance_from + here);
    for (int i = -2; i <= 2; ++i) {
        if (!p.has_row(y + i * step)) continue;
        std::ptrdiff_t row = here + static_cast<std::ptrdiff_t>(i * step) * p.stride;
        for (int j = -2; j <= 2; ++j) {
            if (i == 0 && j == 0) continue;
            std::ptrdiff_t there = row + j * step;
            PixelColors other = PixelColors::load_from(p.from, there);
            Likeness like = surface.to(p, there, j * step, i * step);
            like.factor = like.factor * Pixels(kSpline[i < 0 ? -i : i] * kSpline[j < 0 ? -j : j]);
            like.exponent = like.exponent - absolute(other.luminance() - value) * per_allowed;
            Pixels weight = like.weight();
            sum = {multiply_add(weight, other.r, sum.r), multiply_add(weight, other.g, sum.g),
                   multiply_add(weight, other.b, sum.b)};
            variance = multiply_add(weight * weight, load(p.variance_from + there), variance);
            weights = weights + weight;
        }
    }
    Pixels scale = Pixels(1.0f) / weights;
    PixelColors{sum.r * scale, sum.g * scale, sum.b * scale}.store_to(p.to, here);
    store(p.variance_to + here, variance * scale * scale);
}

/// Multiplies by the reflectance, adds the background, and clamps to the range of the unfiltered
/// neighbours.
TL_D PixelColors result_at(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    PixelColors color = PixelColors::load_from(p.from, here);
    Pixels* channels[3] = {&color.r, &color.g, &color.b};
    for (int c = 0; c < 3; ++c) {
        Pixels least(kInfinity), greatest(-kInfinity);
        const float* given = p.given[c];
        for_square(p, y, here, kDenoiseRange, [&](std::ptrdiff_t there, int, int) {
            Pixels value = load(given + there);  // a NaN changes neither bound
            least = minimum(value, least);
            greatest = maximum(value, greatest);
        });
        Pixels result =
            multiply_add(*channels[c], load(p.divisor[c] + here), load(p.beyond[c] + here));
        *channels[c] = minimum(maximum(result, least), greatest);
    }
    return color;
}

}  // namespace

void denoise_film(Scratch& scratch, const FilmView& film, const AovView& guides,
                  const DenoisePasses& passes, View<vec4> out) {
    constexpr int kLeastReach = 3;
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    int reach = passes.n > 0 ? 1 << passes.n : 0;
    auto p = DenoisePlanes::take(scratch, film.extent, maximum(reach, kLeastReach));
    fill_planes(stream, p, film, guides);
    for_groups(
        stream, "denoiser: specks", p,
        TL_LAMBDA(int, int y, std::ptrdiff_t i) { dim_specks(p, y, i); });
    p = p.turned();
    for_groups(
        stream, "denoiser: noise", p,
        TL_LAMBDA(int, int y, std::ptrdiff_t i) { estimate_variance(p, y, i); });
    p = p.turned();
    float strength = passes.strength;
    for (int k = 0; k < passes.n; ++k) {
        int step = 1 << k;
        for_groups(
            stream, "denoiser: smooth", p,
            TL_LAMBDA(int, int y, std::ptrdiff_t i) { smooth(p, y, i, step, strength); });
        p = p.turned();
    }
    const vec4* sums = film.radiance_sum;
    for_groups(
        stream, "denoiser: result", p, TL_LAMBDA(int x, int y, std::ptrdiff_t i) {
            PixelColors color = result_at(p, y, i);
            for (int k = 0; k < kPixels && x + k < p.width; ++k) {
                auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) +
                             static_cast<std::size_t>(x + k);
                vec3 smooth(lane_of(color.r, k), lane_of(color.g, k), lane_of(color.b, k));
                vec4 sum = sums[pixel];
                bool known = fabsf(smooth.x + smooth.y + smooth.z) < kInfinity;
                out[pixel] = known ? vec4(smooth, 1) : sum.w > 0 ? sum / sum.w : vec4(0, 0, 0, 1);
            }
        });
}

TL_DEVICE_END
