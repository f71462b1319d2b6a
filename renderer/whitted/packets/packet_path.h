// Traces a task's rays, eight at a time: path.h and splitting.h for packets.
#pragma once

#include "renderer/whitted/packets/lights8.h"
#include "renderer/whitted/packets/ray_bins.h"

TL_DEVICE_BEGIN

/// The rays of a task's pixels, from the camera to the end of their paths.
class PacketPath {
  public:
    static constexpr std::uint32_t kItems = 1024;  ///< most pixels of a task

    /// Must be called before a task's first pixel. Drops rays that a task left when it threw.
    void begin(const WhittedFrame& frame) {
        lit_.clear(), specular_.clear(), rays_.clear();
        frame_ = &frame;
        tracer_ = {frame.scene.tree.bvh8, frame.scene.tree.primitives};
    }
    /// Adds camera rays for items `item` with pixels `pixel`, and traces all rays that fill eight
    /// lanes.
    void start(const Ray8& rays, Int8 item, Int8 pixel, Mask8 active) {
        for_lanes(active, [&](int i) {
            sums_[item.lane(i)] = vec4(0);
            pixels_[item.lane(i)] = pixel.lane(i);
        });
        Int8 media(media_of_camera(frame_->scene).bits);
        trace({rays.origin, rays.direction, Vec3x8(vec3(1)), item, Int8(1), media}, active);
        follow(8);
    }
    /// Traces the remaining rays.
    void finish() { follow(1); }
    /// Radiance of an item, and in w its number of rays.
    [[nodiscard]] vec4 sum(std::uint32_t item) const { return sums_[item]; }

  private:
    static Int8 media_of(const PathRay8& ray) { return ray.depth_and_media & Int8(Media::kMask); }

    /// Processes bins until none holds `least` rays. Rays closest to termination come first, so
    /// that few rays are queued at a time.
    void follow(std::size_t least) {
        for (;;) {
            if (lit_.size() >= least) {
                RayHit8 hit;
                Mask8 active = lit_.pop(hit);
                shade(hit, active);
            } else if (specular_.size() >= least) {
                RayHit8 hit;
                Mask8 active = specular_.pop(hit);
                bounce(hit, active);
            } else if (rays_.size() >= least) {
                PathRay8 ray;
                Mask8 active = rays_.pop(ray);
                trace(ray, active);
            } else {
                return;
            }
        }
    }

    /// Adds radiance and a number of rays to the items of the active lanes.
    void add(Int8 item, Vec3x8 radiance, Float8 n_rays, Mask8 active) {
        alignas(32) float rows[4][8];
        _mm256_store_ps(rows[0], radiance.x.v);
        _mm256_store_ps(rows[1], radiance.y.v);
        _mm256_store_ps(rows[2], radiance.z.v);
        _mm256_store_ps(rows[3], n_rays.v);
        alignas(32) std::uint32_t items[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(items), item.v);
        for_lanes(active, [&](int i) {
            sums_[items[i]] += vec4(rows[0][i], rows[1][i], rows[2][i], rows[3][i]);
        });
    }

    void trace(const PathRay8& from, Mask8 active) {
        const SceneView& scene = frame_->scene;
        Ray8 rays;
        rays.origin = from.origin;
        rays.direction = from.direction;
        Hit8 hit = tracer_.closest(rays, active);
        Mask8 found = active & hit.found(), missed = without(active, found);
        Vec3x8 radiance(vec3(0));
        if (missed.any())
            radiance =
                select(missed, from.throughput * background(from.direction, missed), radiance);
        add(from.item, radiance, Float8(1.0f), active);
        if (!found.any()) return;
        Int8 material = materials_of(scene, hit.primitive, found);
        Int8 kind = material_kind(scene, material);
        Mask8 specular = found & ((kind == kind_of(MaterialKind::mirror)) |
                                  (kind == kind_of(MaterialKind::dielectric)));
        RayHit8 record{from, hit.t, hit.u, hit.v, hit.primitive, material};
        specular_.push(record, specular);
        lit_.push(record, without(found, specular));
    }
    static Int8 kind_of(MaterialKind kind) { return static_cast<std::int32_t>(kind); }

    [[nodiscard]] Vec3x8 background(Vec3x8 direction, Mask8 active) const {
        const SceneView& scene = frame_->scene;
        if (misses_look_alike(scene)) return Vec3x8(scene.background);
        Vec3x8 radiance(vec3(0));
        for_lanes(active, [&](int i) {
            radiance.set_lane(i, background_radiance(scene, direction.lane(i)));
        });
        return radiance;
    }

    /// PathHit for eight lanes.
    struct Seen {
        Surface8 surface;
        Vec3x8 normal, geometric_normal, transmittance;
        Mask8 from_inside;
    };
    [[nodiscard]] Seen see(const RayHit8& hit, bool specular, Mask8 active) const {
        const PathRay8& from = hit.ray;
        Seen h;
        h.surface = surfaces_at(frame_->scene, from.origin, from.direction, hit.t, hit.u, hit.v,
                                hit.primitive, hit.material, active);
        const Surface8& s = h.surface;
        Float8 zero(0.0f);
        h.from_inside = fused_dot(s.geometric_normal, from.direction) > zero;
        h.geometric_normal = select(h.from_inside, -s.geometric_normal, s.geometric_normal);
        h.normal = select(h.from_inside, -s.normal, s.normal);
        h.normal =
            select(fused_dot(h.normal, from.direction) >= zero, h.geometric_normal, h.normal);
        if (specular) {
            Vec3x8 reflected = reflect_direction(from.direction, h.normal);
            for_lanes(active & (fused_dot(h.geometric_normal, reflected) < zero), [&](int i) {
                h.normal.set_lane(i,
                                  reflecting_outward(h.normal.lane(i), h.geometric_normal.lane(i),
                                                     from.direction.lane(i)));
            });
        }
        h.transmittance = absorbed_on_the_way(frame_->scene, media_of(from), hit.t, active);
        return h;
    }
    [[nodiscard]] Vec3x8 emitted(const Seen& h, Int8 material) const {
        Vec3x8 emission = material_vec3(frame_->scene, material, word_of(&MaterialData::emission));
        return select(h.from_inside, Vec3x8(vec3(0)), emission);
    }

    /// Shades hits on materials that are neither mirror nor glass.
    void shade(const RayHit8& hit, Mask8 active) {
        const SceneView& scene = frame_->scene;
        Seen h = see(hit, false, active);
        const Surface8& s = h.surface;
        LitPlace8 place;
        place.material = hit.material;
        place.albedo = material_vec3(scene, hit.material, word_of(&MaterialData::diffuse));
        place.position = s.position;
        place.normal = h.normal;
        place.horizon_normal = h.geometric_normal;
        place.to_viewer = -hit.ray.direction;
        place.is_phong = material_kind(scene, hit.material) == kind_of(MaterialKind::phong);
        if (frame_->config.smooth_terminator) {
            Mask8 smooth = without(active, s.is_sphere) & is_smooth(s);
            if (smooth.any()) {
                Vec3x8 raised = s.position + to_smooth_surfaces(s, h.from_inside);
                place.position = select(smooth, raised, s.position);
                Vec3x8 horizon = select(h.from_inside, -s.normal, s.normal);
                place.horizon_normal = select(smooth, horizon, h.geometric_normal);
            }
        }
        place.origin = start_of_rays(s, place.position, h.geometric_normal);
        place.media = media_of(hit.ray);
        Int8 n_rays(0);
        Int8 pixel = as_ints(gather_word<1>(pixels_, select(active, hit.ray.item, Int8(0)), 0));
        Vec3x8 radiance =
            Float8(frame_->config.ambient) * place.albedo +
            direct_light(tracer_, *frame_, place, pixel, hit.ray.path_id, active, n_rays);
        radiance = h.transmittance * (radiance + emitted(h, hit.material));
        add(hit.ray.item, hit.ray.throughput * radiance, to_floats(n_rays), active);
    }

    /// Spawns the rays of hits on mirrors and glass.
    void bounce(const RayHit8& hit, Mask8 active) {
        const SceneView& scene = frame_->scene;
        const PathRay8& from = hit.ray;
        Seen h = see(hit, true, active);
        add(from.item, from.throughput * h.transmittance * emitted(h, hit.material), Float8(0.0f),
            active);
        active = active & ((from.depth_and_media >> Media::kBits) < Int8(frame_->config.max_depth));
        if (!active.any()) return;
        Float8 one(1.0f);
        Vec3x8 specular = material_vec3(scene, hit.material, word_of(&MaterialData::specular));
        Vec3x8 reflected = reflect_direction(from.direction, h.normal);
        Mask8 on_glass =
            active & (material_kind(scene, hit.material) == kind_of(MaterialKind::dielectric));
        Mask8 reflects = active;
        if (on_glass.any()) {
            Interface8 face =
                interfaces_at(scene, media_of(from), hit.material, h.from_inside, on_glass);
            Float8 cos_i = minimum(-fused_dot(from.direction, h.normal), one), cos_t;
            Vec3x8 refracted;
            Mask8 passes =
                on_glass & refract_directions(from.direction, h.normal, face.eta, refracted, cos_t);
            Float8 reflectance = frame_->config.fresnel == FresnelModel::schlick
                                     ? fresnel_schlick(cos_i, cos_t, face.eta)
                                     : fresnel_dielectric(cos_i, cos_t, face.eta);
            reflectance = select(passes, reflectance, one);
            specular = select(on_glass, reflectance * specular, specular);
            Vec3x8 transmission =
                material_vec3(scene, hit.material, word_of(&MaterialData::transmission));
            // Rays pass straight through a surface that is not real.
            Mask8 unreal = without(on_glass, face.is_real);
            Vec3x8 onward = select(unreal, from.direction, refracted);
            Vec3x8 weight = select(unreal, Vec3x8(vec3(1)), (one - reflectance) * transmission);
            go_on(hit, h, onward, weight, 1, face.beyond, passes | unreal);
            reflects = without(active, unreal);
        }
        go_on(hit, h, reflected, specular, 0, media_of(from), reflects);
    }

    /// reaches_cutoff and bounced_ray for eight lanes.
    void go_on(const RayHit8& hit, const Seen& h, Vec3x8 direction, Vec3x8 throughput,
               std::uint32_t branch, Int8 media, Mask8 active) {
        const PathRay8& from = hit.ray;
        Float8 zero(0.0f);
        throughput = from.throughput * (h.transmittance * throughput);
        Float8 counts = largest_part(throughput);
        active = active & (counts > zero) & (counts >= Float8(frame_->config.cutoff));
        if (!active.any()) return;
        Vec3x8 normal = select(fused_dot(direction, h.geometric_normal) > zero, h.geometric_normal,
                               -h.geometric_normal);
        Int8 depth = (from.depth_and_media >> Media::kBits) + Int8(1);
        rays_.push(
            {start_of_rays(h.surface, h.surface.position, normal), direction, throughput, from.item,
             hash_bits(from.path_id + from.path_id + Int8(branch)), depth << Media::kBits | media},
            active);
    }

    const WhittedFrame* frame_ = nullptr;
    Bvh8PacketTracer tracer_{};
    Bin<RayHit8> lit_, specular_;
    Bin<PathRay8> rays_;
    vec4 sums_[kItems];
    std::uint32_t pixels_[kItems];
};

TL_DEVICE_END
