#include "app/viewer/views/net_lines.h"

#include "app/viewer/views/parted_lines.h"

namespace tl {
namespace {

constexpr std::uint32_t kEdgeColor = 0x0046d7ff, kInnerColor = 0x00ffb45a;  // 0x00bbggrr

}  // namespace

std::vector<LineVertex> lines_of(const ControlNets& nets, bool hidden_too) {
    std::vector<LineVertex> lines;
    std::uint32_t n_patches = nets.size(), n_parts = net_line_parts(n_patches);
    // Patch edges last, on top of the inner lines.
    for (bool edges : {false, true})
        for (std::uint32_t i = 0; i < kNetLines * n_patches; ++i) {
            NetLine line(i % kNetLines);
            if (line.on_edge != edges) continue;
            const vec3* net =
                nets.points.data() + std::size_t(PatchPoints::kCount) * (i / kNetLines);
            add_parted_line(lines, net[line.from], net[line.to], n_parts, nets.hidden[i],
                            edges ? kEdgeColor : kInnerColor, hidden_too);
        }
    return lines;
}

}  // namespace tl
