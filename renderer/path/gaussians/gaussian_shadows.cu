#include "renderer/path/gaussians/gaussian_shadows.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

namespace {

/// Maximum number of lamps sampled; of more lamps an evenly spaced subset is used.
constexpr std::uint32_t kMostLamps = 64;
/// Samples on each lamp that has an extent.
constexpr int kPlaces = 4;

/// Unoccluded light of a lamp's sample: the sum of its channels.
TL_D float strength(const LightSample& sample) {
    vec3 light = sample.radiance * sample.inverse_density;
    return light.x + light.y + light.z;
}

/// Fraction of the lamps' light that arrives unoccluded at a position; 1 where there is none.
template <class Tracer>
TL_D float share_that_arrives(const Tracer& tracer, const SceneView& scene, vec3 place,
                              std::uint32_t number) {
    std::uint32_t n_lamps = scene.n_lights < kMostLamps ? scene.n_lights : kMostLamps;
    float all = 0, arriving = 0;
    for (std::uint32_t k = 0; k < n_lamps; ++k) {
        const LightData& lamp =
            scene.lights[static_cast<std::uint64_t>(k) * scene.n_lights / n_lamps];
        std::uint32_t n_places = shadow_rays_of(lamp, kPlaces), n_rays = 0;
        RandomStream random(number, k, 0);
        for (std::uint32_t i = 0; i < n_places; ++i) {
            LightSample sample;
            float r1 = random.next(), r2 = random.next();
            if (!sample_light(lamp, place, r1, r2, sample)) continue;
            float light = strength(sample) / static_cast<float>(n_places);
            if (!(light > 0)) continue;
            vec3 passes = light_that_passes(tracer, scene,
                                            ray_to_light(sample, place, place, PatchPosition{}),
                                            Media{}, n_rays);
            all += light;
            arriving += light * (passes.x + passes.y + passes.z) / 3;
        }
    }
    return all > 0 ? arriving / all : 1.0f;
}

struct ShadowsPass {
    Stream& stream;
    SceneView scene;
    View<const Primitive> gaussians;  ///< by number

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView scene = this->scene;
        View<const Primitive> gaussians = this->gaussians;
        float* lit = scene.gaussians->lit;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "shadows on Gaussians", static_cast<std::uint32_t>(gaussians.size),
            TL_LAMBDA(std::uint32_t i) {
                lit[i] = share_that_arrives(tracer, seen_by<Tracer>(scene), gaussians[i].vertex, i);
            },
            256);
    }
};

}  // namespace

void GaussianShadows::update(const FrameContext& context) {
    const LiveGaussians& gaussians = context.scene.gaussians();
    SceneView scene = context.scene.view();
    bool is_known = scene_ == context.versions.scene && lights_ == context.versions.lights;
    if (gaussians.empty() || is_known) return;
    StageTimer::Scope stage(context.timer, "shadows on Gaussians", StageKind::scene);
    visit_any_tracer(scene.tree, ShadowsPass{context.stream(), scene, gaussians.by_number()});
    scene_ = context.versions.scene;
    lights_ = context.versions.lights;
}

TL_DEVICE_END
