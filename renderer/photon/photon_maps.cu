#include "renderer/photon/photon_maps.h"

#include <algorithm>
#include <optional>

#include "core/device/stage_timer.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kOwnNumbers = 0x70686f746f6e73;
/// Ratio of the smallest kernel radius to the largest.
constexpr float kNarrowest = 0.004f;

}  // namespace

void PhotonMaps::update(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config, float radius, float spread,
                        const PictureGatherPoints* places) {
    const PassKey key(context, radius);
    if (key == key_ && !is_culled_) return;
    key_ = {};
    auto& stream = context.stream();
    std::optional<Stream::ForAnyView> kept;
    if (!places) kept.emplace(stream);
    Scratch::Scope scope(context.scratch);
    count_.resize_discard(stream, 1);
    bool with_shapes = spread > 0;
    // Bytes per photon: list, sorted copy and sort keys.
    std::size_t bytes = 2 * (sizeof(Photon) + (with_shapes ? sizeof(PhotonShape) : 0)) + 28;
    std::uint32_t capacity = capacity_.find(stream.device(), config, bytes, false, with_shapes);
    const PhotonList list{context.scratch.take<Photon>(capacity),
                          context.scratch.take<std::uint32_t>(capacity), count_.data(),
                          context.scratch.take<PhotonShape>(with_shapes ? capacity : 0)};
    const BeamKernel kernel{spread, kNarrowest * radius, radius};
    std::uint32_t last_id =
        emitter_.trace(context, scene, config, kOwnNumbers, false, list, kernel);
    if (context.cancelled()) return;
    std::optional<StageTimer::Scope> stage;
    stage.emplace(context.timer, "photon grid", StageKind::trace);
    std::uint32_t n_most = std::min(capacity, estimate_.next(stream, count_.data(), key.settings));
    // Later passes keep the radius ratios of the first pass.
    if (config.radius > 0)
        indirect_radius_.set(stream, 1);
    else if (emitter_.is_first())
        indirect_radius_.find(context.scratch, list, n_most, false, radius, 1);
    if (config.caustic_radius > 0)
        caustic_radius_.set(stream, config.caustic_radius);
    else if (emitter_.is_first())
        caustic_radius_.find(context.scratch, list, n_most, true, radius,
                             PhotonConfig::kCausticShare);
    auto n_about = 2 * static_cast<std::uint32_t>(config.photons);
    const PhotonNumbers numbers{n_most, last_id, n_about};
    const PhotonRadiusRatios ratios{indirect_radius_.ratio(), caustic_radius_.ratio()};
    is_culled_ = places != nullptr;
    if (is_culled_) {
        stage.emplace(context.timer, "photons in use", StageKind::trace);
        grid_.plan(stream, numbers, radius, ratios, with_shapes);
        culling_.mark(context.scratch, *places, near(config, PicturePart()));
        stage.emplace(context.timer, "photon grid", StageKind::trace);
    }
    grid_.build(context.scratch, list, numbers, radius, ratios, is_culled_ ? &culling_ : nullptr);
    key_ = key;
    ++version_;
}

std::vector<FrameCount> PhotonMaps::counts(Stream& stream, const PhotonConfig& config) const {
    auto n_emitted = static_cast<std::uint64_t>(config.photons);
    std::vector<FrameCount> counts{
        {"photons emitted", n_emitted, 0, "trace photons"},
        {"photons stored", n_stored(stream), n_emitted, "trace photons"}};
    if (is_culled_)
        counts.push_back({"photons in use", n_in_grid(stream), n_stored(stream), "photon grid"});
    return counts;
}

TL_DEVICE_END
