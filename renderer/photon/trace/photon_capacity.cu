#include "renderer/photon/trace/photon_capacity.h"

#include <algorithm>
#include <string>

#include "core/device/parallel_for.h"
#include "renderer/photon/trace/trace_photons.h"

TL_DEVICE_BEGIN

void find_scene_bounds(Stream& stream, const Tree& tree, View<Box> bounds) {
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

std::uint32_t PhotonCapacity::find(const Device& device, const PhotonConfig& config,
                                   std::size_t bytes_each, bool with_direct, bool with_beams) {
    auto n = static_cast<std::size_t>(config.photons);
    // Photons that split are stored more than once.
    int n_surfaces = std::max(config.max_depth - (with_direct || with_beams ? 0 : 1), 1);
    if (config.caustics_only) n_surfaces = with_beams ? 2 : 1;
    std::size_t n_split = std::min<std::size_t>(n, kMostSplitTogether);
    std::size_t traced =
        with_beams ? n * kBeamPhotonBytes + n_split * kSplitPhotonBytes : n * kTracedPhotonBytes;
    auto most = std::min(n * static_cast<std::size_t>(n_surfaces), std::size_t(1) << 31);
    if (most > most_so_far_)
        require_memory(device, most * bytes_each + traced, std::to_string(n) + " photons",
                       "ask for fewer (--photon-photons) or fewer bounces (--photon-max-depth)");
    most_so_far_ = std::max(most, most_so_far_);
    return static_cast<std::uint32_t>(most);
}

std::uint32_t CapacityEstimate::next(Stream& stream, const std::uint32_t* count,
                                     std::uint32_t settings) {
    if (settings != settings_) n_known_.reset();
    settings_ = settings;
    if (stream.device().kind() == DeviceKind::cpu) {
        std::uint32_t n = 0;
        stream.device().download(stream, &n, count, sizeof n);
        return n;
    }
    if (!readback_) readback_.emplace(stream.device());
    if (auto taken = readback_->take_all_but(1); taken && taken->tag == settings_)
        n_known_ = taken->value;
    readback_->request(stream, count, settings_);
    return n_known_ ? 2 * *n_known_ + 4096 : ~0u;
}

TL_DEVICE_END
