#include "renderer/paths/gaussian_pass.h"

#include "renderer/paths/gaussian_light.h"

TL_DEVICE_BEGIN

void add_gaussians(Stream& stream, const GaussiansView& gaussians, View<PathRay> rays,
                   const std::uint32_t* count, View<Hit> hits, View<vec4> sums) {
    GaussiansView all = gaussians;
    for_each_entry(
        stream, "Gaussians", count, static_cast<std::uint32_t>(rays.size),
        TL_LAMBDA(std::uint32_t i) {
            PathRay path = load_whole(rays[i]);
            Ray ray = as_ray(path);
            ray.t_max = hits[i].t;
            GaussianLight light = gaussian_light(all, ray);
            if (light.left == 1) return;
            sums[path.pixel] += vec4(path.weight * light.radiance, 0);
            rays[i].weight = path.weight * light.left;
            // What is hidden altogether need not be shaded.
            if (light.left == 0) hits[i] = Hit{};
        });
}

void shade_by_gaussians(Stream& stream, const GaussiansView& gaussians, const ShadowQueue& shadows,
                        const std::uint32_t* count) {
    GaussiansView all = gaussians;
    ShadowQueue queue = shadows;
    for_each_entry(
        stream, "shadows of Gaussians", count, static_cast<std::uint32_t>(shadows.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            if (!queue.occluded[i])
                queue.light[i].radiance *= light_past_gaussians(all, queue.rays[i]);
        });
}

TL_DEVICE_END
