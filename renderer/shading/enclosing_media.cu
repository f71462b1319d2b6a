#include "renderer/shading/enclosing_media.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/shading/media.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// Media that contain a point, from the faces crossed by a ray that starts there.
struct EnclosingMedia {
    static constexpr std::uint32_t kMostFaces = 1024;
    Media around;      ///< media that the ray left without having entered them
    Media entered;     ///< media that the ray entered and has not left
    int n_around = 0;  ///< bits of `around` that are in use

    TL_HD void cross(std::uint32_t medium, bool from_inside) {
        if (!from_inside) {
            entered = entered.entered(medium);
        } else if (Media rest = entered.left(medium); rest.bits != entered.bits) {
            entered = rest;
        } else if (n_around < Media::kBits) {
            // The first face that is left belongs to the innermost medium, which Media keeps in the
            // lowest bits.
            around.bits |= medium << n_around;
            n_around += 8;
        }
    }
};

template <class Tracer>
TL_D std::uint32_t media_around(const Tracer& tracer, const SceneView& scene, vec3 point) {
    EnclosingMedia found;
    Ray ray;
    ray.origin = point;
    // An upward direction that is unlikely to be parallel to a face or edge of a model.
    ray.direction = fused_unit(vec3(0.2137f, 0.9421f, 0.1563f));
    for (std::uint32_t i = 0; i < EnclosingMedia::kMostFaces; ++i) {
        Hit hit = tracer.closest(ray);
        if (!hit.found()) break;
        Surface s = surface_at(scene, ray, hit);
        bool from_inside = fused_dot(s.geometric_normal, ray.direction) > 0;
        if (s.material->medium) found.cross(s.material->medium, from_inside);
        ray.origin =
            start_of_rays(s, s.position, from_inside ? s.geometric_normal : -s.geometric_normal);
        ray.on_patch = s.on_patch;
    }
    return found.around.bits;
}

/// A point that represents a light source: the position of a point or spot light, a point just
/// above the middle of a rectangle, triangle or splat, or just above the top of a sphere. False for
/// other lights.
TL_HD bool middle_of(const LightData& light, vec3& middle) {
    middle = light.position;
    switch (light.kind) {
        case LightKind::point:
        case LightKind::spot:
            return true;
        case LightKind::rectangle:
            middle += 0.5f * (light.edge_u + light.edge_v);
            break;
        case LightKind::triangle:
            middle += (light.edge_u + light.edge_v) / 3.0f;
            break;
        case LightKind::sphere:
            middle.y += light.radius * 1.0001f;
            return true;
        case LightKind::splat:
            // Above its disc and those that overlap it.
            middle += 0.5f * (light.edge_u + light.edge_v + light.radius * light.normal);
            return true;
        case LightKind::directional:
        case LightKind::environment:
        case LightKind::patch:
            return false;
    }
    // A point off the surface, on the side that emits.
    float size = sqrtf(light.area);
    middle += 1e-4f * size * light.normal;
    return true;
}

struct EyePass {
    Stream& stream;
    SceneView scene;
    vec3 point;
    std::uint32_t* media;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        SceneView scene = this->scene;
        vec3 point = this->point;
        std::uint32_t* media = this->media;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "media around the camera", 1u, TL_LAMBDA(std::uint32_t) {
                *media = media_around(tracer, seen_by<Tracer>(scene), point);
            });
    }
};

struct PointsPass {
    Stream& stream;
    SceneView scene;
    View<const vec3> points;
    View<std::uint32_t> media;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView scene = this->scene;
        View<const vec3> points = this->points;
        View<std::uint32_t> media = this->media;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "media around points", static_cast<std::uint32_t>(points.size),
            TL_LAMBDA(std::uint32_t i) {
                media[i] = media_around(tracer, seen_by<Tracer>(scene), points[i]);
            },
            16);
    }
};

struct SourcesPass {
    Stream& stream;
    SceneView scene;
    View<std::uint32_t> media;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView scene = this->scene;
        View<std::uint32_t> media = this->media;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "media around lights", static_cast<std::uint32_t>(media.size),
            TL_LAMBDA(std::uint32_t i) {
                vec3 middle;
                // The last photon source is the background, which has no light here.
                bool has_middle =
                    i + 1 < scene.photon_sources.n && middle_of(scene.lights[i], middle);
                media[i] = has_middle ? media_around(tracer, seen_by<Tracer>(scene), middle) : 0;
            });
    }
};

}  // namespace

void find_enclosing_media(Stream& stream, const SceneView& scene, vec3 point,
                          std::uint32_t* media) {
    visit_any_tracer(scene.tree, EyePass{stream, scene, point, media});
}

void find_enclosing_media(Stream& stream, const SceneView& scene, View<const vec3> points,
                          View<std::uint32_t> media) {
    visit_any_tracer(scene.tree, PointsPass{stream, scene, points, media});
}

void find_media_of_sources(Scratch& scratch, SceneView& scene) {
    if (!scene.media_matter || scene.photon_sources.n == 0) return;
    auto media = scratch.take<std::uint32_t>(scene.photon_sources.n);
    visit_any_tracer(scene.tree, SourcesPass{scratch.stream(), scene, media});
    scene.source_media = media.data;
}

TL_DEVICE_END
