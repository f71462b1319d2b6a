#include "renderer/photon/photon_maps.h"

#include <algorithm>

#include "accel/parallel/stage_timer.h"
#include "renderer/photon/trace_photons.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kOwnNumbers = 0x70686f746f6e73;

}  // namespace

void PhotonMaps::update(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config, float radius) {
    const Frame& frame = context.frame;
    const Versions& now = context.versions;
    PassKey key{now.scene, now.lights, now.settings, frame.sample, frame.seed, radius};
    if (key == key_) return;
    key_ = {};
    auto& stream = context.stream();
    Scratch::Scope scope(context.scratch);
    count_.resize_discard(stream, 1);
    bounds_.resize_discard(stream, 1);
    constexpr std::size_t kBytes = 2 * sizeof(Photon) + 28;  // in the list, sorted, keys
    std::uint32_t room = room_.most(stream.device(), config, kBytes);
    const PhotonList list{context.scratch.take<Photon>(room),
                          context.scratch.take<std::uint32_t>(room), count_.data()};
    const PhotonPass pass{scene,
                          frame.sampling.pattern,
                          frame.seed ^ kOwnNumbers,
                          frame.sample,
                          static_cast<std::uint32_t>(config.photons),
                          static_cast<std::uint32_t>(config.max_depth),
                          config.guide,
                          bounds_.data()};
    {
        StageTimer::Scope stage(context.timer, "trace photons", StageKind::trace);
        find_photon_bounds(stream, context.scene.tree(), bounds_.view());
        trace_photons(context.scratch, pass, list);
    }
    if (context.cancelled()) return;
    StageTimer::Scope stage(context.timer, "photon grid", StageKind::trace);
    grid_.build(context.scratch, list,
                std::min(room, n_about_.most(stream, count_.data(), now.settings)), pass.n_ids(),
                radius);
    key_ = key;
    ++version_;
}

std::vector<FrameCount> PhotonMaps::counts(Stream& stream, const PhotonConfig& config) const {
    auto n_emitted = static_cast<std::uint64_t>(config.photons);
    return {{"photons emitted", n_emitted, 0, "trace photons"},
            {"photons stored", n_stored(stream), n_emitted, "trace photons"}};
}

TL_DEVICE_END
