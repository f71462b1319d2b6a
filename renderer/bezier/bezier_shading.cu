#include "renderer/bezier/bezier_shading.h"

#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

TL_HD Ray no_ray() {
    Ray none;
    none.direction = vec3(kInfinity);
    return none;
}

/// Samples a light at the hit and returns the shadow ray; no_ray() where no light can arrive.
TL_D Ray shadow_ray(const BezierFrame& frame, std::uint32_t light, const PathRay& path,
                    const PathHit& h, const ShadingContext& point, vec3& radiance) {
    Sampler sampler(frame.pattern, frame.seed, path.pixel, frame.sample, path.path_id);
    LightCursor at{light};
    Ray shadow;
    if (!next_shadow_ray(at, frame.scene, point, 1, sampler, shadow, radiance)) return no_ray();
    radiance *=
        path.throughput * h.transmittance * absorbed(frame.scene, point.media, shadow.t_max);
    return shadow;
}

}  // namespace

void make_bezier_camera_rays(Stream& stream, const BezierFrame& frame, const CameraRays& camera,
                             vec2 offset, const PicturePart& part, const FilmView& film,
                             const BezierRays& rays) {
    PackedCone cone = frame.cone;
    parallel_for(
        stream, "camera rays", part.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y, pixel = 0;
            bool traced = part.pixel(i, x, y);
            if (traced) {
                pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                traced = !film.is_done(pixel);
            }
            rays.sums[i] = vec3(0);
            rays.n_rays[i] = traced ? 1 : 0;
            if (!traced) {
                store_vectorized(rays.rays[i], no_ray());
                return;
            }
            Ray ray =
                camera.through(static_cast<float>(x) + offset.x, static_cast<float>(y) + offset.y);
            store_vectorized(rays.rays[i], ray);
            store_vectorized(rays.paths[i],
                             {ray.origin, pixel, ray.direction, 1, vec3(1), 0, cone});
        });
}

void start_bezier_light(Stream& stream, const BezierFrame& frame, std::uint32_t light,
                        const BezierRays& rays, const ShadowRays& set) {
    parallel_for(
        stream, "light", static_cast<std::uint32_t>(rays.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            Ray shadow = no_ray();
            if (is_ray(rays.rays[i])) {
                const PathRay path = load_vectorized(rays.paths[i]);
                const Hit hit = rays.hits[i];
                if (!hit.found()) {
                    if (light == 0)
                        rays.sums[i] +=
                            path.throughput * background_radiance(frame.scene, path.direction);
                } else {
                    PathHit h = path_hit(frame.scene, path, hit);
                    vec3 radiance = h.emitted(frame.scene);
                    if (!h.is_specular()) {
                        ShadingContext point = shading_context(frame.scene, path, hit, h, true);
                        radiance += frame.ambient * point.albedo;
                        if (light < frame.scene.n_lights) {
                            shadow = shadow_ray(frame, light, path, h, point, set.light[i]);
                            if (is_ray(shadow) && frame.shadows) ++rays.n_rays[i];
                        }
                    }
                    if (light == 0) rays.sums[i] += path.throughput * h.transmittance * radiance;
                }
            }
            store_vectorized(set.rays[i], shadow);
            if (!frame.shadows) set.hits[i] = Hit{};
        },
        kGrain);
}

void add_bezier_light(Stream& stream, const BezierRays& rays, const ShadowRays& sets) {
    parallel_for(
        stream, "add light", static_cast<std::uint32_t>(rays.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            vec3 sum = rays.sums[i];
            for (std::size_t k = i; k < sets.rays.size; k += rays.rays.size)
                if (is_ray(sets.rays[k]) && !sets.hits[k].found()) sum += sets.light[k];
            rays.sums[i] = sum;
        });
}

void reflect_bezier_rays(Stream& stream, const BezierFrame& frame, const BezierRays& rays) {
    parallel_for(
        stream, "reflect", static_cast<std::uint32_t>(rays.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            if (!is_ray(rays.rays[i])) return;
            const Hit hit = rays.hits[i];
            PathRay path;
            bool continues = false;
            if (hit.found() && sends_rays_on(material_at(frame.scene, hit))) {
                path = load_vectorized(rays.paths[i]);
                continues =
                    strongest_bounce(frame.scene, path, path_hit(frame.scene, path, hit), path);
            }
            if (!continues) {
                store_vectorized(rays.rays[i], no_ray());
                return;
            }
            store_vectorized(rays.paths[i], path);
            store_vectorized(rays.rays[i], as_ray(path));
            ++rays.n_rays[i];
        },
        kGrain);
}

void clear_hits(Stream& stream, View<Hit> hits) {
    parallel_for(
        stream, "clear hits", static_cast<std::uint32_t>(hits.size),
        TL_LAMBDA(std::uint32_t i) { hits[i] = Hit{}; });
}

void write_bezier_film(Stream& stream, std::uint32_t sample, const FilmView& film,
                       const PicturePart& part, const BezierRays& rays) {
    parallel_for(
        stream, "write film", part.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            if (!part.pixel(i, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            film.ray_count[pixel] = rays.n_rays[i];
            if (!film.is_done(pixel)) film.add(pixel, sample, rays.sums[i]);
        });
}

TL_DEVICE_END
