#include "accel/bvh/inspect/control_net.h"

#include <algorithm>

namespace tl {

ControlNets collect_control_nets(Scratch& scratch, const TreeView& tree, std::uint32_t n_patches,
                                 vec3 eye) {
    ControlNets nets;
    nets.n_total = n_patches;
    std::size_t n = std::min(n_patches, kMaxNetPatches);
    if (n == 0) return nets;
    auto& stream = scratch.stream();
    auto& device = stream.device();
    Scratch::Scope scope(scratch);
    auto points = scratch.take<vec3>(PatchPoints::kCount * n);
    auto hidden = scratch.take<std::uint32_t>(kNetLines * n);
    TL_DISPATCH(device, find_control_nets(scratch, tree, eye, points, hidden));
    nets.points.resize(points.size);
    nets.hidden.resize(hidden.size);
    device.download(stream, nets.points.data(), points.data, points.size * sizeof(vec3));
    device.download(stream, nets.hidden.data(), hidden.data, hidden.size * sizeof(std::uint32_t));
    return nets;
}

}  // namespace tl
