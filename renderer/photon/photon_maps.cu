#include "renderer/photon/photon_maps.h"

#include <algorithm>
#include <string>

#include "accel/parallel/parallel_for.h"
#include "accel/parallel/stage_timer.h"
#include "renderer/photon/trace_photons.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kOwnNumbers = 0x70686f746f6e73;

}  // namespace

void find_bounds(Stream& stream, const Tree& tree, View<Box> bounds) {
    View<const BvhNode> nodes = tree.nodes().view();
    View<const TreeHeader> header = tree.header();
    parallel_for(
        stream, "scene bounds", 1, TL_LAMBDA(std::uint32_t) {
            Box box;
            if (header[0].n_nodes > 0) {
                const BvhNode& root = nodes[header[0].root];
                for (int side = 0; side < 2; ++side)
                    if (!root.child(side).is_missing()) box.extend(root.box(side));
            }
            if (!box.is_valid()) box.lo = box.hi = vec3(0);
            constexpr float kAir = 1e-3f;
            vec3 size = box.hi - box.lo, far = glm::max(glm::abs(box.lo), glm::abs(box.hi));
            float air = kAir * largest(size) + 1e-4f * kAir * largest(far);
            bounds[0].lo = box.lo - air;
            bounds[0].hi = box.hi + air;
        });
}

void PhotonMaps::update(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config, float radius) {
    const Frame& frame = context.frame;
    const Versions& now = context.versions;
    PassKey key{now.scene, now.lights, now.settings, frame.sample, frame.seed, radius};
    if (key == key_) return;
    if (now.settings != settings_) n_known_.reset();
    settings_ = now.settings;
    key_ = {};
    auto& stream = context.stream();
    Scratch::Scope scope(context.scratch);
    count_.resize_discard(stream, 1);
    bounds_.resize_discard(stream, 1);
    std::uint32_t room = most_stored(stream.device(), config);
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
        find_bounds(stream, context.scene.tree(), bounds_.view());
        trace_photons(context.scratch, pass, list);
    }
    if (context.cancelled()) return;
    StageTimer::Scope stage(context.timer, "photon grid", StageKind::trace);
    grid_.build(context.scratch, list, std::min(room, about_stored(stream)), pass.n_ids(), radius);
    key_ = key;
}
/// How many photons a pass can store: each at all surfaces that it meets but the first. Throws
/// UserError where more than in any pass before do not fit.
std::uint32_t PhotonMaps::most_stored(const Device& device, const PhotonConfig& config) {
    constexpr std::size_t kBytes = 2 * sizeof(Photon) + 28;  // in the list, sorted, keys
    auto n = static_cast<std::size_t>(config.photons);
    auto most = n * static_cast<std::size_t>(std::max(config.max_depth - 1, 1));
    most = std::min(most, std::size_t(1) << 31);
    if (most > most_so_far_)
        require_memory(device, most * kBytes + n * kTracedPhotonBytes,
                       std::to_string(n) + " photons",
                       "ask for fewer (--photon-photons) or fewer bounces (--photon-max-depth)");
    most_so_far_ = std::max(most, most_so_far_);
    return static_cast<std::uint32_t>(most);
}
/// An upper bound of how many photons the pass has stored: on the CPU their number, on a GPU,
/// without waiting, twice that of some passes before.
std::uint32_t PhotonMaps::about_stored(Stream& stream) {
    if (stream.device().kind() == DeviceKind::cpu) return count_.download(stream)[0];
    if (!readback_) readback_.emplace(stream.device());
    if (auto taken = readback_->take(); taken && taken->tag == settings_) n_known_ = taken->value;
    readback_->request(stream, count_.data(), settings_);
    return n_known_ ? 2 * *n_known_ + 4096 : ~0u;
}

TL_DEVICE_END
