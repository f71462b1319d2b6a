#include "renderer/shading/enclosing_media.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/shading/media.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// Media around a point, from the faces that a ray crosses on its way out.
struct EnclosingMedia {
    static constexpr std::uint32_t kMostFaces = 1024;
    Media around;   ///< left from inside without having been entered
    Media entered;  ///< entered since, and not left
    int n_around = 0;

    TL_HD void cross(std::uint32_t medium, bool from_inside) {
        if (!from_inside) {
            entered = entered.entered(medium);
        } else if (Media rest = entered.left(medium); rest.bits != entered.bits) {
            entered = rest;
        } else if (n_around < Media::kBits) {
            // The first face belongs to the newest medium, which has the lowest bits.
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
    // Upward, and along no face or edge of things that people build.
    ray.direction = fused_unit(vec3(0.2137f, 0.9421f, 0.1563f));
    for (std::uint32_t i = 0; i < EnclosingMedia::kMostFaces; ++i) {
        Hit hit = tracer.closest(ray);
        if (!hit.found()) break;
        Surface s = surface_at(scene, ray, hit);
        bool from_inside = fused_dot(s.geometric_normal, ray.direction) > 0;
        if (s.material->medium) found.cross(s.material->medium, from_inside);
        ray.origin =
            start_of_rays(s, s.position, from_inside ? s.geometric_normal : -s.geometric_normal);
        ray.from = s.place;
    }
    return found.around.bits;
}

/// Middle of a source's surface, or its position. False where it has none.
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
        case LightKind::directional:
        case LightKind::environment:
        case LightKind::patch:
            return false;
    }
    // The side that it emits to.
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
                // The last source is the background.
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

void find_media_of_sources(Scratch& scratch, SceneView& scene) {
    if (!scene.media_matter || scene.photon_sources.n == 0) return;
    auto media = scratch.take<std::uint32_t>(scene.photon_sources.n);
    visit_any_tracer(scene.tree, SourcesPass{scratch.stream(), scene, media});
    scene.source_media = media.data;
}

TL_DEVICE_END
