#include "renderer/path/gaussians/gaussian_pass.h"

#include "renderer/path/gaussians/gaussian_light.h"

TL_DEVICE_BEGIN

void add_gaussians(Stream& stream, const GaussiansView& gaussians,
                   const Records<PathRay>& rays_of_paths, const std::uint32_t* count,
                   View<Hit> hits, View<vec4> sums) {
    GaussiansView all = gaussians;
    Records<PathRay> rays = rays_of_paths;
    for_each_entry(
        stream, "Gaussians", count, rays.size, TL_LAMBDA(std::uint32_t i) {
            PathRay path = rays.load(i);
            Ray ray = as_ray(path);
            ray.t_max = hits[i].t;
            GaussianLight light = gaussian_light(all, ray);
            if (light.left == 1) return;
            sums[path.pixel] += vec4(path.throughput * light.radiance, 0);
            path.throughput *= light.left;
            rays.store(i, path);
            // A fully hidden hit needs no shading.
            if (light.left == 0) hits[i] = Hit{};
        });
}

void attenuate_by_gaussians(Stream& stream, const GaussiansView& gaussians,
                            const ShadowQueue& shadows, const std::uint32_t* count) {
    GaussiansView all = gaussians;
    ShadowQueue queue = shadows;
    for_each_entry(
        stream, "shadows of Gaussians", count, shadows.rays.size, TL_LAMBDA(std::uint32_t i) {
            if (!queue.occluded[i])
                queue.light[i].radiance *= light_past_gaussians(all, queue.rays.load(i));
        });
}

TL_DEVICE_END
