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

/// Weight of pixels beside one that shows parts of several surfaces: the cover of any surface that
/// is smoothed.
TL_D Pixels weight_beside_mixed(const DenoisePlanes& p, std::ptrdiff_t there) {
    return select(SeenSurface(p, there).is_smoothed(), load(p.cover + there), Pixels(0.0f));
}

/// Part of the variance of a surface's radiance that arises because the film's samples cover the
/// pixel differently from the guides'. `varies`, `beyond`: planes of variance of fill_planes().
/// `light`: mean luminance of the surface.
TL_D Pixels variance_by_cover(Pixels varies, Pixels light, Pixels beyond) {
    Pixels apart = light - beyond;
    return varies * apart * apart;
}

/// Luminance that a pixel with parts of several surfaces does not exceed: the mean of its
/// neighbours on any surface plus four standard deviations.
TL_D Pixels limit_of_mixed(const DenoisePlanes& p, int y, std::ptrdiff_t here, float deviations) {
    Moments around;
    for_square(p, y, here, 1, [&](std::ptrdiff_t there, int dx, int dy) {
        if (dx == 0 && dy == 0) return;
        around.add(weight_beside_mixed(p, there),
                   PixelColors::load_from(p.from, there).luminance());
    });
    Pixels limit = multiply_add(Pixels(deviations), square_root(around.variance()), around.mean());
    return select(around.weights() > Pixels(0.0f), limit, Pixels(kInfinity));
}

/// Removes fireflies: limits the luminance of a pixel to the mean plus four standard deviations of
/// its neighbours on the same surface, the brightest of these excluded. Finds the pixels without
/// such neighbours.
TL_D void dim_specks(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    constexpr int kReach = 2;
    constexpr float kDeviations = 4, kLeastWeight = 0.01f;
    constexpr float kFewAlike = 0.3f;  // sum of weights; a pixel of the same surface has up to 1
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
    PixelMask mixed = (around.weights() < Pixels(kFewAlike)) & surface.is_smoothed();
    store(p.mixed + here, select(mixed, Pixels(1.0f), Pixels(0.0f)));
    around.take_away(weight_of_most, most);
    Pixels mean = around.mean();
    Pixels variance = around.variance() + variance_by_cover(absolute(load(p.variance_from + here)),
                                                            mean, load(p.variance_to + here));
    Pixels limit =
        maximum(multiply_add(Pixels(kDeviations), square_root(variance), mean), Pixels(0.0f));
    PixelColors color = PixelColors::load_from(p.from, here);
    Pixels value = color.luminance();
    PixelMask speck = (around.weights() > Pixels(kLeastWeight)) & (value > limit);
    if (any_of(mixed)) {
        limit = select(mixed, limit_of_mixed(p, y, here, kDeviations), limit);
        speck = (speck | mixed) & (value > limit);
    }
    Pixels scale = select(speck, limit / value, Pixels(1.0f));
    PixelColors{color.r * scale, color.g * scale, color.b * scale}.store_to(p.to, here);
    store(p.dimmed + here, scale);
}

/// Estimates the variance of the radiance of pixels from that of neighbours on the same surface:
/// the mean of their variances by the samples, or, where these are unknown, the variance among
/// them. Call it after dim_specks() and DenoisePlanes::turned(), which swaps the planes of
/// variance.
TL_D void estimate_variance(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    constexpr int kReach = 3;
    SeenSurface surface(p, here);
    Moments around, noises;
    for_square(p, y, here, kReach, [&](std::ptrdiff_t there, int dx, int dy) {
        Pixels weight = surface.to(p, there, dx, dy).weight();
        around.add(weight, PixelColors::load_from(p.from, there).luminance());
        Pixels noise = load(p.noise + there);
        noises.add(select(noise < Pixels(0.0f), Pixels(0.0f), weight), noise);
    });
    Pixels varies = maximum(load(p.variance_to + here), Pixels(0.0f));
    Pixels by_cover = variance_by_cover(varies, around.mean(), load(p.variance_from + here));
    Pixels by_samples = select(noises.weights() > Pixels(0.0f), noises.mean(), around.variance());
    Pixels variance = by_samples / load(p.cover + here) + by_cover;
    store(p.variance_to + here,
          select(load(p.mixed + here) > Pixels(0.0f), Pixels(kUnknownVariance), variance));
    PixelColors::load_from(p.from, here).store_to(p.to, here);
}

/// The variance, smoothed over the pixel's neighbours of known variance, since a single one is
/// itself noisy.
TL_D Pixels smooth_variance(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    Pixels sum(0.0f), weights(0.0f);
    for_square(p, y, here, 1, [&](std::ptrdiff_t there, int dx, int dy) {
        Pixels variance = load(p.variance_from + there);
        Pixels weight = select(variance < Pixels(0.0f), Pixels(0.0f),
                               Pixels((dx == 0 ? 0.5f : 0.25f) * (dy == 0 ? 0.5f : 0.25f)));
        sum = multiply_add(weight, variance, sum);
        weights = weights + weight;
    });
    return sum / maximum(weights, Pixels(1e-20f));
}

/// Sums of a pass over similar pixels.
struct SmoothSums {
    PixelColors colors;
    Pixels variance, weights;

    TL_D void add(Pixels weight, const PixelColors& color, Pixels its_variance) {
        colors = {multiply_add(weight, color.r, colors.r), multiply_add(weight, color.g, colors.g),
                  multiply_add(weight, color.b, colors.b)};
        variance = multiply_add(weight * weight, its_variance, variance);
        weights = weights + weight;
    }
    /// Replaces the sums where the mask holds.
    TL_D void replace(PixelMask mask, const SmoothSums& by) {
        colors = {select(mask, by.colors.r, colors.r), select(mask, by.colors.g, colors.g),
                  select(mask, by.colors.b, colors.b)};
        variance = select(mask, by.variance, variance);
        weights = select(mask, by.weights, weights);
    }
};

/// Neighbours of pixels with parts of several surfaces: those with a single surface, whichever it
/// is. The surface that takes more of the pixel has more of its normal and depth.
class BesideMixed {
  public:
    TL_D BesideMixed(const DenoisePlanes& p, int y, std::ptrdiff_t here)
        : p_(p), y_(y), here_(here), surface_(p, here) {
        constexpr float kSteep = 2;
        Pixels spread(1e-12f);
        for_each([&](std::ptrdiff_t there) {
            spread = maximum(
                spread, select(single_at(there) > Pixels(0.0f), depth_to(there), Pixels(0.0f)));
        });
        per_spread_ = Pixels(kSteep) / spread;
        Pixels most(1e-20f);
        for_each([&](std::ptrdiff_t there) { most = maximum(most, weight_of(there)); });
        per_most_ = Pixels(1.0f) / most;
    }
    /// Calls op(index, weight) for each; the greatest weight is 1, unless all are 0.
    template <class Op>
    TL_D void visit(const Op& op) const {
        for_each([&](std::ptrdiff_t there) { op(there, weight_of(there) * per_most_); });
    }

  private:
    template <class Op>
    TL_D void for_each(const Op& op) const {
        for_square(p_, y_, here_, 1, [&](std::ptrdiff_t there, int dx, int dy) {
            if (dx != 0 || dy != 0) op(there);
        });
    }
    [[nodiscard]] TL_D Pixels single_at(std::ptrdiff_t there) const {
        return weight_beside_mixed(p_, there) * (Pixels(1.0f) - load(p_.mixed + there));
    }
    [[nodiscard]] TL_D Pixels depth_to(std::ptrdiff_t there) const {
        return absolute(load(p_.depth + there) - surface_.depth);
    }
    [[nodiscard]] TL_D Pixels weight_of(std::ptrdiff_t there) const {
        constexpr int kSquarings = 3;
        Pixels cosine = surface_.cosine_to(p_, there);
        for (int i = 0; i < kSquarings; ++i) cosine = cosine * cosine;
        return single_at(there) * cosine * exp_of_negative(-(depth_to(there) * per_spread_));
    }

    const DenoisePlanes& p_;
    int y_;
    std::ptrdiff_t here_;
    SeenSurface surface_;
    Pixels per_spread_{0.0f}, per_most_{0.0f};
};

/// Adds the neighbours of a pixel with parts of several surfaces, weighted by luminance as well.
TL_D void add_beside_mixed(const DenoisePlanes& p, int y, std::ptrdiff_t here, Pixels value,
                           Pixels per_allowed, SmoothSums& sums) {
    BesideMixed(p, y, here).visit([&](std::ptrdiff_t there, Pixels weight) {
        PixelColors other = PixelColors::load_from(p.from, there);
        Pixels apart = absolute(other.luminance() - value) * per_allowed;
        sums.add(weight * exp_of_negative(-apart), other, load(p.variance_from + there));
    });
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
    PixelMask mixed = load(p.mixed + here) > Pixels(0.0f);
    Pixels expected = smooth_variance(p, y, here), own = load(p.variance_from + here);
    PixelMask is_known = own >= Pixels(0.0f);
    own = select(is_known, own, expected);
    expected = select(mixed, own, expected);
    Pixels allowed = multiply_add(Pixels(strength * kDeviations), square_root(expected), least);
    Pixels per_allowed = Pixels(1.0f) / allowed;
    Pixels cover = load(p.cover + here);
    SmoothSums sums{
        {cover * color.r, cover * color.g, cover * color.b}, cover * cover * own, cover};
    SmoothSums beside = sums;
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
            sums.add(like.weight(), other, maximum(load(p.variance_from + there), Pixels(0.0f)));
        }
    }
    if (any_of(mixed)) {
        add_beside_mixed(p, y, here, value, per_allowed, beside);
        sums.replace(mixed, beside);
    }
    Pixels scale = Pixels(1.0f) / sums.weights;
    PixelColors{sums.colors.r * scale, sums.colors.g * scale, sums.colors.b * scale}.store_to(p.to,
                                                                                              here);
    store(p.variance_to + here, sums.variance * scale * scale);
}

/// The filtered radiance: multiplied by the reflectance, the background added.
TL_D PixelColors filtered_at(const DenoisePlanes& p, std::ptrdiff_t here) {
    PixelColors color = PixelColors::load_from(p.from, here);
    Pixels* channels[3] = {&color.r, &color.g, &color.b};
    for (int c = 0; c < 3; ++c)
        *channels[c] =
            multiply_add(*channels[c], load(p.divisor[c] + here), load(p.beyond[c] + here));
    return color;
}

/// The unfiltered radiance, fireflies dimmed; not finite where there is none.
TL_D PixelColors unfiltered_at(const DenoisePlanes& p, std::ptrdiff_t here) {
    PixelColors color = PixelColors::load_from(p.given, here);
    PixelColors beyond = PixelColors::load_from(p.beyond, here);
    Pixels scale = load(p.dimmed + here);
    return {multiply_add(scale, color.r - beyond.r, beyond.r),
            multiply_add(scale, color.g - beyond.g, beyond.g),
            multiply_add(scale, color.b - beyond.b, beyond.b)};
}

/// Compares what the filter has changed with the noise that it was to remove: writes the square of
/// the luminance's change to to[0], and the variance of the luminance by the samples to to[1], both
/// divided by the squared filtered luminance. Both are 0 where either is unknown.
TL_D void compare_change(const DenoisePlanes& p, std::ptrdiff_t here) {
    constexpr float kMostChange = 1e15f, kMost = 1e12f;  // whose squares can be summed
    Pixels filtered = filtered_at(p, here).luminance();
    Pixels change = filtered - unfiltered_at(p, here).luminance();
    Pixels scale = PixelColors::load_from(p.divisor, here).luminance();
    Pixels noise = load(p.noise + here);
    Pixels per = Pixels(1.0f) / multiply_add(filtered, filtered, Pixels(1e-20f));
    PixelMask is_known = (noise >= Pixels(0.0f)) & (absolute(change) < Pixels(kMostChange));
    Pixels changed = minimum(change * change * per, Pixels(kMost));
    Pixels variance = minimum(noise * scale * scale * per, Pixels(kMost));
    store(p.to[0] + here, select(is_known, changed, Pixels(0.0f)));
    store(p.to[1] + here, select(is_known, variance, Pixels(0.0f)));
}

/// Part of the filter's change that is kept, from 0 to 1: variance / (variance + squared bias), the
/// weight of least squared error. Where the filter is without bias, it changes pixels by their
/// noise, and each term of the bias's sum is 0 on average; what it changes beyond that is bias.
/// Three standard errors of the sum are not counted, since pixels that all samples left dark by
/// chance show no noise. Call it after compare_change().
TL_D Pixels kept_change(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    constexpr int kReachOfNoise = 3, kReachOfBias = 2;
    constexpr float kErrors = 3, kMostOfNoise = 2;  // the standard error, of a term's noise
    constexpr float kSide = 2 * kReachOfNoise + 1, kSideOfBias = 2 * kReachOfBias + 1;
    // Samples of a pixel are stratified: their mean has less noise than its two halves show.
    constexpr float kStratified = 0.5f;
    Pixels noise(0.0f), bias(0.0f), squares(0.0f);
    for_square(p, y, here, kReachOfNoise, [&](std::ptrdiff_t there, int dx, int dy) {
        Pixels variance = load(p.to[1] + there);
        noise = noise + variance;
        if (maximum(dx * dx, dy * dy) > kReachOfBias * kReachOfBias) return;
        Pixels term = load(p.to[0] + there) - variance;
        bias = bias + term;
        squares = multiply_add(term, term, squares);
    });
    Pixels variance = noise * Pixels(1 / (kSide * kSide));
    Pixels error = minimum(square_root(squares), variance * Pixels(kMostOfNoise * kSideOfBias));
    Pixels squared_bias = maximum(bias - Pixels(kErrors) * error, Pixels(0.0f)) *
                          Pixels(1 / (kSideOfBias * kSideOfBias));
    variance = variance * Pixels(kStratified);
    return select(noise > Pixels(0.0f), variance / (variance + squared_bias), Pixels(1.0f));
}

/// The result: the unfiltered radiance and the kept part of the filter's change, clamped to the
/// range of the unfiltered neighbours.
TL_D PixelColors result_at(const DenoisePlanes& p, int y, std::ptrdiff_t here) {
    PixelColors color = filtered_at(p, here), before = unfiltered_at(p, here);
    Pixels kept = kept_change(p, y, here);
    Pixels* channels[3] = {&color.r, &color.g, &color.b};
    const Pixels unfiltered[3] = {before.r, before.g, before.b};
    for (int c = 0; c < 3; ++c) {
        Pixels least(kInfinity), greatest(-kInfinity);
        const float* given = p.given[c];
        for_square(p, y, here, kDenoiseRange, [&](std::ptrdiff_t there, int, int) {
            Pixels value = load(given + there);  // a NaN changes neither bound
            least = minimum(value, least);
            greatest = maximum(value, greatest);
        });
        Pixels filtered = *channels[c], was = unfiltered[c];
        Pixels result = select(absolute(was) < Pixels(kInfinity),
                               multiply_add(kept, filtered - was, was), filtered);
        *channels[c] = minimum(maximum(result, least), greatest);
    }
    return color;
}

}  // namespace

void denoise_film(Scratch& scratch, const FilmView& film, const GuideView& guides,
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
    for_groups(
        stream, "denoiser: change", p,
        TL_LAMBDA(int, int, std::ptrdiff_t i) { compare_change(p, i); });
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
