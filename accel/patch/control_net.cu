#include "accel/patch/control_net.h"

#include "accel/bvh/inspect/hidden_lines.h"

TL_DEVICE_BEGIN

namespace {

struct NetLines {
    View<const vec3> points;
    std::uint32_t parts;
    TL_D bool ends(std::uint32_t i, vec3& from, vec3& to) const {
        NetLine line(i % kNetLines);
        const vec3* net = points.data + std::size_t(PatchPoints::kCount) * (i / kNetLines);
        from = net[line.from];
        to = net[line.to];
        return true;
    }
    [[nodiscard]] TL_D std::uint32_t n_parts() const { return parts; }
};

}  // namespace

void find_control_nets(Scratch& scratch, const TreeView& tree, vec3 eye, View<vec3> points,
                       View<std::uint32_t> hidden) {
    PatchesView patches = tree.patches;
    View<vec3> out = points;
    auto n_points = static_cast<std::uint32_t>(points.size);
    parallel_for(
        scratch.stream(), "control points", n_points, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t patch = i / PatchPoints::kCount, k = i % PatchPoints::kCount;
            float weight = patches.weights ? patches.weights[patch].at[k] : 1.0f;
            for (int axis = 0; axis < 3; ++axis)
                out[i][axis] = patches.points[patch].of_axis[axis][k] / weight;
        });
    NetLines lines{points, net_line_parts(n_points / PatchPoints::kCount)};
    visit_any_tracer(tree, HiddenLines<NetLines>{scratch.stream(), eye, lines, hidden});
}

TL_DEVICE_END
