// Caustics from one photon pass per sample. Photons end at the first diffuse or rough glossy
// scattering.
#include <algorithm>

#include "core/device/parallel_for.h"
#include "renderer/path/caustic_light.h"
#include "renderer/photon/gather/gather_photons.h"
#include "renderer/photon/gather/photon_radius.h"
#include "renderer/photon/photon_maps.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Whether any material in the scene may have specular or narrow glossy lobes.
bool may_have_caustics(const Scene& scene) {
    return std::ranges::any_of(scene.materials, [](const Material& m) {
        return m.layers || m.kind != MaterialKind::diffuse;
    });
}

class CausticPhotons final : public CausticLight {
  public:
    void update(const FrameContext& context, const SceneView& scene, int photons,
                int max_depth) override {
        PhotonConfig config;
        config.photons = photons;
        config.caustics_only = true;
        config.max_depth = max_depth;
        has_caustics_ = may_have_caustics(context.scene.description());
        if (!has_caustics_) return;
        scene_ = scene;
        max_depth_ = static_cast<std::uint32_t>(max_depth);
        float radius = radius_of_pass(config, context.scene.bounds_at_rest(), context.frame.sample);
        maps_.update(context, scene, config, radius);
    }
    bool any(Stream& stream) const override { return has_caustics_ && maps_.n_in_grid(stream) > 0; }
    void light_points(Stream& stream, View<const Surfel> points,
                      View<vec3> irradiance) const override;
    void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
             View<vec4> sums) const override {
        PhotonGather(scene_, near(), PicturePart(), {}, {}).add(stream, queue, counts, sums);
    }

  private:
    [[nodiscard]] NearPhotons near() const { return maps_.near(max_depth_, true, false); }

    PhotonMaps maps_;
    SceneView scene_{};
    std::uint32_t max_depth_ = 0;
    bool has_caustics_ = false;
};

void CausticPhotons::light_points(Stream& stream, View<const Surfel> points,
                                  View<vec3> irradiance) const {
    const NearPhotons nearby = near();
    constexpr std::uint32_t kThreads = Team::kThreads;
    parallel_for(
        stream, "caustics at points", static_cast<std::uint32_t>(points.size) * kThreads,
        TL_LAMBDA(std::uint32_t thread) {
            std::uint32_t i = thread / kThreads;
            Team team;
            Surfel point = load_vectorized(points[i]);
            // At least the width of the surfel's disc, so that no photon between surfels is lost.
            constexpr float kDiscs = 2;
            float ratio = nearby.caustic.radius_ratio ? *nearby.caustic.radius_ratio : 1.0f;
            float radius = maximum(kDiscs * sqrtf(point.area / kPi), ratio * nearby.caustic.radius);
            vec3 sum(0);
            nearby.for_each_within(
                team, radius / ratio, point.position, point.normal, 0,
                [&](std::uint32_t, vec3 power, std::uint32_t, float, float) { sum += power; });
            sum = team.sum(sum);
            if (Team::rank() == 0) irradiance[i] += sum;
        });
}

}  // namespace

/// For the table of renderers: caustics by photon mapping.
std::unique_ptr<CausticLight> make_caustic_photons() {
    return std::make_unique<CausticPhotons>();
}

TL_DEVICE_END
