#include "renderer/bezier/bezier_shading.h"

#include "accel/parallel/parallel_for.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kGrain = 256;

TL_HD Ray no_ray() {
    Ray none;
    none.direction = vec3(kInfinity);
    return none;
}

/// Samples a light at the hit and returns the shadow ray; no_ray() where no light could arrive.
TL_D Ray shadow_ray(const BezierFrame& frame, std::uint32_t light, const PathRay& path,
                    const PathHit& h, const LitPlace& place, vec3& radiance) {
    Sampler sampler(frame.pattern, frame.seed, path.pixel, frame.sample, path.path);
    LightCursor at{light};
    Ray shadow;
    if (!next_shadow_ray(at, frame.scene, place, 1, sampler, shadow, radiance)) return no_ray();
    radiance *= path.weight * h.passed;
    return shadow;
}

}  // namespace

void make_bezier_camera_rays(Stream& stream, const BezierFrame& frame, const CameraRays& camera,
                             vec2 offset, const PicturePart& part, const FilmView& film,
                             const BezierRays& rays) {
    CameraRays eye = camera;
    PicturePart pixels = part;
    FilmView out = film;
    BezierRays to = rays;
    PackedCone cone = frame.cone;
    parallel_for(
        stream, "camera rays", pixels.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y, pixel = 0;
            bool traced = pixels.pixel(i, x, y);
            if (traced) {
                pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
                traced = !out.is_done(pixel);
            }
            to.sums[i] = vec3(0);
            to.n_rays[i] = traced ? 1 : 0;
            if (!traced) {
                store_whole(to.rays[i], no_ray());
                return;
            }
            Ray ray =
                eye.through(static_cast<float>(x) + offset.x, static_cast<float>(y) + offset.y);
            store_whole(to.rays[i], ray);
            store_whole(to.paths[i], {ray.origin, pixel, ray.direction, 1, vec3(1), 0, cone});
        });
}

void start_bezier_light(Stream& stream, const BezierFrame& frame, std::uint32_t light,
                        const BezierRays& rays, const ShadowRays& set) {
    BezierFrame f = frame;
    BezierRays at = rays;
    ShadowRays to = set;
    parallel_for(
        stream, "light", static_cast<std::uint32_t>(at.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            Ray shadow = no_ray();
            if (is_ray(at.rays[i])) {
                const PathRay path = load_whole(at.paths[i]);
                const Hit hit = at.hits[i];
                if (!hit.found()) {
                    if (light == 0)
                        at.sums[i] += path.weight * background_radiance(f.scene, path.direction);
                } else {
                    PathHit h = path_hit(f.scene, path, hit);
                    vec3 radiance = h.emitted();
                    if (!h.is_specular()) {
                        LitPlace place = lit_place(f.scene, path, hit, h, true);
                        radiance += f.ambient * place.albedo;
                        if (light < f.scene.n_lights) {
                            shadow = shadow_ray(f, light, path, h, place, to.light[i]);
                            if (is_ray(shadow) && f.shadows) ++at.n_rays[i];
                        }
                    }
                    if (light == 0) at.sums[i] += path.weight * h.passed * radiance;
                }
            }
            store_whole(to.rays[i], shadow);
            if (!f.shadows) to.hits[i] = Hit{};
        },
        kGrain);
}

void add_bezier_light(Stream& stream, const BezierRays& rays, const ShadowRays& sets) {
    BezierRays at = rays;
    ShadowRays from = sets;
    parallel_for(
        stream, "add light", static_cast<std::uint32_t>(at.rays.size), TL_LAMBDA(std::uint32_t i) {
            vec3 sum = at.sums[i];
            for (std::size_t k = i; k < from.rays.size; k += at.rays.size)
                if (is_ray(from.rays[k]) && !from.hits[k].found()) sum += from.light[k];
            at.sums[i] = sum;
        });
}

void reflect_bezier_rays(Stream& stream, const BezierFrame& frame, const BezierRays& rays) {
    BezierFrame f = frame;
    BezierRays at = rays;
    parallel_for(
        stream, "reflect", static_cast<std::uint32_t>(at.rays.size),
        TL_LAMBDA(std::uint32_t i) {
            if (!is_ray(at.rays[i])) return;
            const Hit hit = at.hits[i];
            PathRay path;
            bool goes_on = false;
            if (hit.found() && sends_rays_on(material_at(f.scene, hit))) {
                path = load_whole(at.paths[i]);
                goes_on = strongest_bounce(f.scene, path, path_hit(f.scene, path, hit), path);
            }
            if (!goes_on) {
                store_whole(at.rays[i], no_ray());
                return;
            }
            store_whole(at.paths[i], path);
            store_whole(at.rays[i], as_ray(path));
            ++at.n_rays[i];
        },
        kGrain);
}

void clear_hits(Stream& stream, View<Hit> hits) {
    View<Hit> out = hits;
    parallel_for(
        stream, "clear hits", static_cast<std::uint32_t>(out.size),
        TL_LAMBDA(std::uint32_t i) { out[i] = Hit{}; });
}

void write_bezier_film(Stream& stream, std::uint32_t sample, const FilmView& film,
                       const PicturePart& part, const BezierRays& rays) {
    FilmView out = film;
    PicturePart pixels = part;
    BezierRays from = rays;
    parallel_for(
        stream, "write film", pixels.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            if (!pixels.pixel(i, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
            out.ray_count[pixel] = from.n_rays[i];
            if (!out.is_done(pixel)) out.add(pixel, sample, from.sums[i]);
        });
}

TL_DEVICE_END
