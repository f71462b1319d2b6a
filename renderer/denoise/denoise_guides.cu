#include "accel/bvh/traversal/nearest_gaussians.h"
#include "core/device/parallel_for.h"
#include "renderer/denoise/denoise_kernels.h"
#include "renderer/denoise/denoise_planes.h"
#include "renderer/shading/camera_rays.h"

TL_DEVICE_BEGIN

namespace {

/// Indices of the pixels of a picture.
struct PixelGrid {
    int width, height;

    [[nodiscard]] TL_HD std::uint32_t index(int x, int y) const {
        return static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(width) +
               static_cast<std::uint32_t>(x);
    }
    /// Calls op(index) for the pixels within `reach` of (x, y) along both axes, itself included.
    template <class Op>
    TL_HD void for_around(int x, int y, int reach, Op&& op) const {
        for (int v = maximum(y - reach, 0); v <= minimum(y + reach, height - 1); ++v)
            for (int u = maximum(x - reach, 0); u <= minimum(x + reach, width - 1); ++u)
                op(index(u, v));
    }
};

TL_HD float luminance_of(vec3 rgb) {
    return glm::dot(rgb, vec3(0.2126f, 0.7152f, 0.0722f));
}

TL_HD bool is_usable(vec4 sum) {
    return sum.w > 0 && fabsf(sum.x + sum.y + sum.z) < kInfinity;
}

/// Mean of the samples of a pixel; without a usable sum, the mean over its neighbours; 0 without
/// these.
TL_HD vec3 mean_or_around(const PixelGrid& grid, const vec4* sums, int x, int y) {
    vec4 own = sums[grid.index(x, y)];
    if (is_usable(own)) return vec3(own) / own.w;
    vec3 sum(0);
    float n = 0;
    grid.for_around(x, y, kDenoiseRange, [&](std::uint32_t there) {
        vec4 other = sums[there];
        if (!is_usable(other)) return;
        sum += vec3(other) / other.w;
        n += 1;
    });
    return n > 0 ? sum / n : vec3(0);
}

/// Change of depth per pixel along (dx, dy): the smaller one of both sides, so that an edge on one
/// side does not count.
TL_HD float slope_along(const PixelGrid& grid, const vec4* depths, int x, int y, int dx, int dy,
                        float depth) {
    float least = 0;
    bool found = false;
    for (int side = -1; side <= 1; side += 2) {
        int nx = x + side * dx, ny = y + side * dy;
        if (nx < 0 || ny < 0 || nx >= grid.width || ny >= grid.height) continue;
        vec4 sum = depths[grid.index(nx, ny)];
        if (!(sum.w > 0)) continue;
        float change = static_cast<float>(side) * (sum.x / sum.w - depth);
        if (!found || fabsf(change) < fabsf(least)) least = change;
        found = true;
    }
    return least;
}

/// Sums over the guide samples of the pixels.
struct GuideSums {
    const vec4 *depths, *normals, *reflected, *background;

    explicit GuideSums(const GuideView& guides)
        : depths(guides.depth),
          normals(guides.normal),
          reflected(guides.reflected),
          background(guides.background) {}

    /// Number of samples that hit emissive surfaces; infinite for pixels marked by
    /// mark_gaussians().
    [[nodiscard]] TL_HD float emitting(std::uint32_t i) const {
        return depths[i].w - reflected[i].w;
    }
    /// Whether the pixel shows an emissive surface or Gaussians, or has a neighbour that shows no
    /// other surface. Emission has no noise, and pixels that it partly covers must not spread it.
    [[nodiscard]] TL_HD bool is_beside_emitter(const PixelGrid& grid, int x, int y) const {
        if (emitting(grid.index(x, y)) > 0) return true;
        bool found = false;
        grid.for_around(x, y, 1, [&](std::uint32_t there) {
            found |= emitting(there) > 0 && !(reflected[there].w > 0);
        });
        return found;
    }
    /// Whether the pixel shows a surface whose reflected light is smoothed.
    [[nodiscard]] TL_HD bool is_smoothed(const PixelGrid& grid, int x, int y) const {
        std::uint32_t i = grid.index(x, y);
        float depth = depths[i].x, length = glm::length(vec3(normals[i]));
        return reflected[i].w > 0 && fabsf(depth) < kInfinity && length > 0 && length < kInfinity &&
               !is_beside_emitter(grid, x, y);
    }
};

/// Variance of the luminance of a pixel's mean, divided by `divisor`, from the difference between
/// the means of the odd and of the even samples; negative where one of them has none.
TL_HD float variance_by_halves(vec4 sum, vec4 half, vec3 divisor) {
    float n_even = sum.w - half.w;
    if (!(half.w > 0) || !(n_even > 0)) return kUnknownVariance;
    vec3 apart = vec3(half) / half.w - (vec3(sum) - vec3(half)) / n_even;
    float difference = luminance_of(apart / divisor) / sum.w;
    float variance = difference * difference * half.w * n_even;
    return variance < kInfinity ? variance : kUnknownVariance;
}

/// Values of a pixel in the planes.
struct PixelGuide {
    vec3 normal{0}, divisor{1}, beyond{0};
    float depth = 0, cover = 1;
    vec2 slope{0};

    /// Luminance of the background, divided by that of the surface's reflectance.
    [[nodiscard]] TL_HD float relative_beyond() const {
        return cover < 1 ? luminance_of(beyond) * cover / ((1 - cover) * luminance_of(divisor)) : 0;
    }
    /// Variance of the cover by n_samples film samples about that by n_guides guide samples,
    /// relative to the squared cover. Up to kGuideSamples, both are the same camera rays.
    [[nodiscard]] TL_HD float variance_of_cover(float n_samples, float n_guides) const {
        return (1 - cover) / cover * (1 / n_samples - 1 / n_guides);
    }
};

TL_HD PixelGuide guide_of(const PixelGrid& grid, const GuideSums& sums, int x, int y) {
    constexpr float kLeastDivisor = 0.01f;
    PixelGuide guide;
    if (!sums.is_smoothed(grid, x, y)) return guide;
    std::uint32_t i = grid.index(x, y);
    vec4 depth = sums.depths[i], normal = sums.normals[i], reflected = sums.reflected[i];
    guide.normal = glm::normalize(vec3(normal));
    guide.cover = reflected.w / normal.w;
    guide.divisor = glm::max(vec3(reflected) / normal.w, vec3(kLeastDivisor * guide.cover));
    guide.beyond = vec3(sums.background[i]) / normal.w;
    guide.depth = depth.x / depth.w;
    guide.slope = {slope_along(grid, sums.depths, x, y, 1, 0, guide.depth),
                   slope_along(grid, sums.depths, x, y, 0, 1, guide.depth)};
    return guide;
}

TL_HD void store_colors(float* const (&planes)[3], std::size_t i, vec3 color) {
    for (int c = 0; c < 3; ++c) planes[c][i] = color[c];
}

}  // namespace

void fill_planes(Stream& stream, const DenoisePlanes& planes, const FilmView& film,
                 const GuideView& guides) {
    DenoisePlanes p = planes;
    GuideSums sums(guides);
    const vec4 *samples = film.radiance_sum, *halves = film.half_sum;
    parallel_for(
        stream, "denoiser: guides", static_cast<std::uint32_t>(p.size()),
        TL_LAMBDA(std::uint32_t i) {
            constexpr float kMostSquared = 1e15f;  // its square can be summed
            const float kNone = std::numeric_limits<float>::quiet_NaN();
            PixelGrid grid{p.width, p.height};
            auto stride = static_cast<std::uint32_t>(p.stride);
            int x = static_cast<int>(i % stride) - p.margin, y = static_cast<int>(i / stride);
            bool inside = x >= 0 && x < p.width && y < p.height;
            vec3 given(kNone), color(0);
            float beyond = 0, varies = 0, noise = kUnknownVariance;
            PixelGuide guide;
            if (inside) {
                vec4 own = samples[grid.index(x, y)];
                if (is_usable(own)) given = vec3(own) / own.w;
                color = mean_or_around(grid, samples, x, y);
                if (glm::length(color) < kMostSquared) guide = guide_of(grid, sums, x, y);
                beyond = guide.relative_beyond();
                float n_guides = sums.normals[grid.index(x, y)].w;
                varies = guide.variance_of_cover(maximum(own.w, 1.0f), maximum(n_guides, 1.0f));
                if (halves && is_usable(own))
                    noise = variance_by_halves(own, halves[grid.index(x, y)], guide.divisor);
            }
            store_colors(p.given, i, given);
            store_colors(p.from, i, (color - guide.beyond) / guide.divisor);
            store_colors(p.to, i, vec3(0));
            store_colors(p.normal, i, guide.normal);
            store_colors(p.divisor, i, guide.divisor);
            store_colors(p.beyond, i, guide.beyond);
            p.depth[i] = guide.depth;
            p.slope[0][i] = guide.slope.x;
            p.slope[1][i] = guide.slope.y;
            p.cover[i] = guide.cover;
            p.noise[i] = noise;
            p.dimmed[i] = 1;
            p.mixed[i] = 0;
            p.variance_from[i] = varies;
            p.variance_to[i] = beyond;
        });
}

void mark_gaussians(Stream& stream, const Frame& frame, const GaussiansView& gaussians,
                    const GuideView& guides) {
    constexpr float kMostHidden = 0.1f;
    CameraRays camera(frame.camera, guides.extent, frame.sampling);
    vec3 forward = glm::normalize(frame.camera.target - frame.camera.eye);
    GaussiansView clouds = gaussians;
    GuideView out = guides;
    parallel_for(
        stream, "denoiser: Gaussians", static_cast<std::uint32_t>(guides.extent.pixels()),
        TL_LAMBDA(std::uint32_t i) {
            vec4 depth = out.depth[i];
            if (!(depth.w > 0)) return;
            auto width = static_cast<std::uint32_t>(out.extent.width);
            Ray ray = camera.through(static_cast<float>(i % width) + 0.5f,
                                     static_cast<float>(i / width) + 0.5f);
            ray.t_max = depth.x / depth.w / glm::dot(ray.direction, forward);
            float left = 1;
            for_each_gaussian(clouds, ray, [&](std::uint32_t, float opacity) {
                left *= 1 - opacity;
                return left >= 1 - kMostHidden;
            });
            if (left < 1 - kMostHidden) out.reflected[i].w = -kInfinity;
        },
        256);
}

TL_DEVICE_END
