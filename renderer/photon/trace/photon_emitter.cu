#include "renderer/photon/trace/photon_emitter.h"

#include "core/device/stage_timer.h"
#include "renderer/photon/trace/photon_capacity.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/enclosing_media.h"

TL_DEVICE_BEGIN

namespace {

bool has_glass(const Scene& scene) {
    for (const Material& m : scene.materials)
        if (m.kind == MaterialKind::dielectric) return true;
    return false;
}

}  // namespace

bool may_have_beams(const Scene& scene) {
    bool are_turned = false, are_known = false;
    for (const Material& m : scene.materials)
        are_turned |= m.kind == MaterialKind::mirror || m.kind == MaterialKind::dielectric;
    for (const Light& light : scene.lights)
        are_known |= light.kind == LightKind::point || light.kind == LightKind::spot ||
                     light.kind == LightKind::directional;
    return are_turned && are_known;
}

std::uint32_t PhotonEmitter::trace(const FrameContext& context, const SceneView& scene,
                                   const PhotonConfig& config, std::uint64_t own, bool of_all_light,
                                   const PhotonList& list, const BeamKernel& kernel) {
    auto& stream = context.stream();
    StageTimer::Scope stage(context.timer, "trace photons", StageKind::trace);
    bounds_.resize_discard(stream, 1);
    find_scene_bounds(stream, context.scene.tree(), bounds_.view());
    Scratch::Scope scope(context.scratch);
    SceneView with_media = scene;
    find_media_of_sources(context.scratch, with_media);
    const PhotonPass pass{with_media,
                          context.frame.sampling.pattern,
                          context.frame.seed ^ own,
                          context.frame.sample,
                          static_cast<std::uint32_t>(config.photons),
                          static_cast<std::uint32_t>(config.max_depth),
                          bounds_.data(),
                          of_all_light,
                          kernel,
                          has_glass(context.scene.description()),
                          config.caustics_only,
                          of_all_light};
    PassKey now(context, 0);
    is_first_ = !newest_.is_followed_by(now);
    newest_ = now;
    if (is_first_) guide_.forget();
    trace_photons(context.scratch, pass, list, config.guide ? &guide_ : nullptr,
                  context.photon_share);
    return pass.last_id();
}

TL_DEVICE_END
