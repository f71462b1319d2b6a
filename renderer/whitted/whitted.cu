// Whitted 1980, "An improved illumination model for shaded display". One kernel follows a pixel's
// tree of rays depth first: at a dielectric the refracted ray goes on and the reflected one waits
// on a small stack with its weight. The weights carried forward make shading at the way back
// needless.
#include "renderer/whitted/whitted.h"

#include "accel/parallel/parallel_for.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"
#include "renderer/shading/environment.h"
#include "renderer/shading/optics.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kMaxDepth = 32;

/// A ray that still has to be followed, and what its radiance counts in the pixel.
struct PendingRay {
    vec3 origin;
    vec3 direction;
    vec3 weight;
    int depth;
};

struct WhittedConfig {
    int max_depth = 5;
    int light_samples = 1;
    float ambient = 0;
    float cutoff = 0.001f;
    bool shadows = true;
};

TL_D float largest(vec3 v) {
    return maximum(v.x, maximum(v.y, v.z));
}

/// The rays that go on from a mirror or dielectric: reflected and, unless it is reflected totally,
/// refracted. A weight of zero means that there is none.
struct Bounce {
    vec3 reflected, refracted;
    vec3 reflected_weight{0}, refracted_weight{0};
};

TL_D Bounce specular_bounce(const MaterialData& m, vec3 d, vec3 normal, bool from_inside) {
    Bounce b;
    b.reflected = reflect_direction(d, normal);
    b.reflected_weight = m.specular;
    if (m.kind != MaterialKind::dielectric) return b;
    float eta = from_inside ? m.ior : 1 / m.ior;
    float cos_t;
    if (!refract_direction(d, normal, eta, b.refracted, cos_t)) return b;
    float reflectance = fresnel_dielectric(minimum(-glm::dot(d, normal), 1.0f), cos_t, eta);
    b.reflected_weight = m.specular * reflectance;
    b.refracted_weight = m.transmission * (1 - reflectance);
    return b;
}

/// Follows one primary ray and all that come of it.
template <class Tracer>
struct RayTree {
    const Tracer& tracer;
    const SceneView& scene;
    const WhittedConfig& config;
    RandomStream& random;
    std::uint32_t n_rays = 0;
    PendingRay pending[kMaxDepth + 1];
    int n_pending = 0;

    TL_D RayTree(const Tracer& tracer, const SceneView& scene, const WhittedConfig& config,
                 RandomStream& random)
        : tracer(tracer), scene(scene), config(config), random(random) {}

    TL_D void push(const Surface& s, vec3 side, vec3 direction, vec3 weight, int depth) {
        if (!(largest(weight) > 0)) return;  // a ray that is not there, or carries nothing
        if (largest(weight) < config.cutoff || depth > config.max_depth) return;
        // The ray leaves on the side of the surface that its direction points to.
        vec3 normal = glm::dot(direction, side) > 0 ? side : -side;
        pending[n_pending++] = {offset_from_surface(s.position, normal), direction, weight, depth};
    }

    /// Radiance of one ray's own hit; rays that go on are pushed.
    TL_D vec3 shade(const PendingRay& from) {
        Ray ray;
        ray.origin = from.origin;
        ray.direction = from.direction;
        ++n_rays;
        Hit hit = tracer.closest(ray);
        if (!hit.found()) return background_radiance(scene, ray.direction);
        Surface s = surface_at(scene, ray, hit);
        const MaterialData& m = *s.material;
        bool from_inside = glm::dot(s.geometric_normal, ray.direction) > 0;
        vec3 side = from_inside ? -s.geometric_normal : s.geometric_normal;
        vec3 normal = from_inside ? -s.normal : s.normal;
        // A shading normal that turns away from the viewer would reflect into the surface.
        if (glm::dot(normal, ray.direction) >= 0) normal = side;

        vec3 radiance = from_inside ? vec3(0) : m.emission;
        if (m.kind == MaterialKind::mirror || m.kind == MaterialKind::dielectric) {
            Bounce b = specular_bounce(m, ray.direction, normal, from_inside);
            push(s, side, b.reflected, from.weight * b.reflected_weight, from.depth + 1);
            push(s, side, b.refracted, from.weight * b.refracted_weight, from.depth + 1);
            return radiance;
        }
        vec3 albedo = albedo_of(scene, s);
        radiance += config.ambient * albedo;
        return radiance + direct_light(tracer, scene, s, albedo, normal, side, -ray.direction,
                                       config.light_samples, config.shadows, random, n_rays);
    }

    TL_D vec3 follow(const Ray& primary) {
        vec3 sum(0);
        pending[n_pending++] = {primary.origin, primary.direction, vec3(1), 0};
        while (n_pending > 0) {
            PendingRay ray = pending[--n_pending];
            sum += ray.weight * shade(ray);
        }
        return sum;
    }
};

/// One sample for every pixel, as a kernel for each kind of tracer.
struct WhittedPass {
    Stream& stream;
    FilmView film;
    SceneView scene;
    CameraRays camera;
    PixelOrder order;
    WhittedConfig config;
    std::uint32_t sample;
    std::uint64_t seed;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        constexpr std::uint32_t kGrain = PixelOrder::kTile * PixelOrder::kTile;
        // Copies, since a lambda for the device captures no members.
        FilmView out = this->film;
        SceneView scene = this->scene;
        CameraRays camera = this->camera;
        PixelOrder order = this->order;
        WhittedConfig config = this->config;
        std::uint32_t sample = this->sample;
        std::uint64_t seed = this->seed;
        parallel_for(
            stream, "whitted", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
                RandomStream random(seed, pixel, sample);
                Ray primary = camera.random_ray(x, y, random);
                RayTree<Tracer> tree(tracer, scene, config, random);
                vec3 radiance = tree.follow(primary);
                vec4 before = sample == 0 ? vec4(0) : out.radiance_sum[pixel];
                out.radiance_sum[pixel] = before + vec4(radiance, 1);
                out.ray_count[pixel] = tree.n_rays;
            },
            kGrain);
    }
};

class WhittedRenderer final : public Renderer {
  public:
    void render(const Frame& frame, LiveScene& live, Film& film, Scratch& scratch,
                StageTimer& timer) override {
        StageTimer::Scope stage(timer, "trace and shade");
        FilmView out = film.view();
        SceneView scene = live.view();
        visit_tracer(scene.tree,
                     WhittedPass{scratch.stream(), out, scene, CameraRays(frame.camera, out.extent),
                                 PixelOrder(out.extent), config_, frame.sample, frame.seed});
    }

    Settings settings() override {
        return {
            {"max-depth", config_.max_depth, 0, kMaxDepth, "bounces",
             "longest chain of reflections and refractions"},
            {"light-samples", config_.light_samples, 1, 64, "rays",
             "shadow rays to each area light, for every hit and frame"},
            {"ambient", config_.ambient, 0.0f, 10.0f, "W/(sr m^2)",
             "radiance that every diffuse surface reflects besides the lights'"},
            {"cutoff", config_.cutoff, 0.0f, 1.0f, "",
             "rays that count less than this in their pixel are not followed"},
            {"shadows", config_.shadows, "shadow rays; without them all light arrives"},
        };
    }

  private:
    WhittedConfig config_;
};

}  // namespace

std::unique_ptr<Renderer> make_whitted_renderer() {
    return std::make_unique<WhittedRenderer>();
}

TL_DEVICE_END
