#include "renderer/bezier/bezier_shading.h"

#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"
#include "renderer/path/glossy_point.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

TL_HD Ray no_ray() {
    Ray none;
    none.direction = vec3(kInfinity);
    return none;
}

TL_D Sampler sampler_of(const BezierFrame& frame, const PathRay& path) {
    return {frame.pattern, frame.seed, path.pixel, frame.sample, path.path_id};
}

/// Samples a light at the hit and returns the shadow ray; no_ray() where no light can arrive.
TL_D Ray shadow_ray(const BezierFrame& frame, std::uint32_t light, const PathRay& path,
                    const PathHit& h, const ShadingContext& point, vec3& radiance) {
    LightCursor at{light};
    Ray shadow;
    if (!next_shadow_ray(at, frame.scene, point, 1, sampler_of(frame, path), shadow, radiance))
        return no_ray();
    radiance *=
        path.throughput * h.transmittance * absorbed(frame.scene, point.media, shadow.t_max);
    return shadow;
}

/// shadow_ray() at a hit on a glossy surface.
TL_D Ray glossy_shadow_ray(const BezierFrame& frame, std::uint32_t light, const PathRay& path,
                           const PathHit& h, const GlossyPoint& point, vec3& radiance) {
    LightCursor at{light};
    GlossyLight found;
    if (!point.is_real() || !point.next_light(at, frame.scene, 1, sampler_of(frame, path), found))
        return no_ray();
    radiance = path.throughput * h.transmittance * found.radiance *
               absorbed(frame.scene, found.media, found.shadow.t_max);
    return found.shadow;
}

TL_D GlossyPoint glossy_point(const BezierFrame& frame, const PathRay& path, const Hit& hit,
                              const PathHit& h) {
    bool sends_rays = path.depth() < static_cast<std::uint32_t>(frame.max_depth);
    return {frame.scene, path, hit, h, true, sends_rays};
}

/// Sets `next` to a ray that a glossy surface distributes, and `density` to its density. Of two
/// rays one is drawn, with probability proportional to its weight. False where no ray continues.
TL_D bool glossy_bounce(const BezierFrame& frame, const PathRay& path, const Hit& hit,
                        const PathHit& h, PathRay& next, float& density) {
    constexpr float kCutoff = 0.001f;
    GlossyNumbers r(frame.scene, sampler_of(frame, path));
    float sum = 0, drawn = r.lobe.y;
    glossy_point(frame, path, hit, h)
        .for_each_ray(
            path, r.lobe.x, r.direction,
            [&](vec3 weight) { return reaches_cutoff(weight * path.throughput, kCutoff); },
            [&](const PathRay& ray, float of_ray) {
                // The first ray is replaced by the second with the second's share.
                float weight = largest(ray.throughput), share = weight / (sum + weight);
                bool first = sum == 0;
                if (!first) next.throughput *= (sum + weight) / sum;
                if (first || drawn < share) {
                    next = ray;
                    next.throughput /= share;
                    density = of_ray;
                }
                sum += weight;
            });
    return sum > 0;
}

/// Radiance that a hit adds to the pixel beside the lights, and the shadow ray to light `light`.
template <bool kGloss>
TL_D vec3 shade_hit(const BezierFrame& frame, std::uint32_t light, const PathRay& path,
                    const Hit& hit, [[maybe_unused]] float density, Ray& shadow, vec3& radiance) {
    const SceneView& scene = frame.scene;
    PathHit h = path_hit(scene, path, hit);
    vec3 found = h.emitted(scene, hit);
    if constexpr (kGloss) {
        if (found != vec3(0))
            found *= weight_of_emission(scene, density, as_ray(path), hit, h.surface, 1);
        if (is_glossy(frame.gloss, *h.surface.material)) {
            GlossyPoint point = glossy_point(frame, path, hit, h);
            if (light < scene.n_lights)
                shadow = glossy_shadow_ray(frame, light, path, h, point, radiance);
            found += frame.ambient * point.matte_albedo();
            return path.throughput * h.transmittance * found;
        }
    }
    if (!h.is_specular()) {
        ShadingContext point = shading_context(scene, path, hit, h, true);
        found += frame.ambient * point.albedo;
        if (light < scene.n_lights) shadow = shadow_ray(frame, light, path, h, point, radiance);
    }
    return path.throughput * h.transmittance * found;
}

/// Implements start_bezier_light(). `kGloss`: whether the frame may have glossy surfaces.
template <bool kGloss>
void start_light(Stream& stream, const BezierFrame& frame, std::uint32_t light,
                 const BezierRays& rays, const ShadowRays& set) {
    parallel_for(
        stream, "light", static_cast<std::uint32_t>(rays.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            Ray shadow = no_ray();
            if (is_ray(rays.rays[i])) {
                const PathRay path = load_vectorized(rays.paths[i]);
                const Hit hit = rays.hits[i];
                float density = kGloss ? rays.densities[i] : 0.0f;
                vec3 found(0);
                if (!hit.found()) {
                    vec3 radiance = background_radiance(frame.scene, path.direction);
                    if (kGloss && radiance != vec3(0))
                        radiance *= weight_of_background(frame.scene, density, path.direction, 1);
                    found = path.throughput * radiance;
                } else {
                    found =
                        shade_hit<kGloss>(frame, light, path, hit, density, shadow, set.light[i]);
                    if (is_ray(shadow) && frame.shadows) ++rays.n_rays[i];
                }
                if (light == 0) rays.sums[i] += found;
            }
            store_vectorized(set.rays[i], shadow);
            if (!frame.shadows) set.hits[i] = Hit{};
        },
        kGrain);
}

/// Implements reflect_bezier_rays().
template <bool kGloss>
void reflect_rays(Stream& stream, const BezierFrame& frame, const BezierRays& rays) {
    parallel_for(
        stream, "reflect", static_cast<std::uint32_t>(rays.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            if (!is_ray(rays.rays[i])) return;
            const Hit hit = rays.hits[i];
            PathRay path;
            float density = 0;
            bool continues = false;
            if (hit.found()) {
                const MaterialData& m = material_at(frame.scene, hit);
                bool glossy = kGloss && is_glossy(frame.gloss, m);
                if (glossy || sends_rays_on(m)) {
                    const PathRay from = load_vectorized(rays.paths[i]);
                    PathHit h = path_hit(frame.scene, from, hit);
                    continues = glossy ? glossy_bounce(frame, from, hit, h, path, density)
                                       : strongest_bounce(frame.scene, from, h, path);
                }
            }
            if (!continues) {
                store_vectorized(rays.rays[i], no_ray());
                return;
            }
            if (kGloss) rays.densities[i] = density;
            store_vectorized(rays.paths[i], path);
            store_vectorized(rays.rays[i], as_ray(path));
            ++rays.n_rays[i];
        },
        kGrain);
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
            if (!rays.densities.empty()) rays.densities[i] = 0;
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
    if (frame.gloss.any())
        start_light<true>(stream, frame, light, rays, set);
    else
        start_light<false>(stream, frame, light, rays, set);
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
    if (frame.gloss.any())
        reflect_rays<true>(stream, frame, rays);
    else
        reflect_rays<false>(stream, frame, rays);
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
