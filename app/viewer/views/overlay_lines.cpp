#include "app/viewer/views/overlay_lines.h"

namespace tl {
namespace {

constexpr std::uint32_t kSeen = 0xe6u << 24, kHidden = 0x26u << 24;  // opacity
// 0x00bbggrr: of a tree's boxes, and of control nets.
constexpr std::uint32_t kInnerNode = 0x00a0ff8a, kLeaf = 0x0030a8ff;
constexpr std::uint32_t kSelected = 0x00ffffff;
constexpr std::uint32_t kPatchEdge = 0x0046d7ff, kInnerLine = 0x00ffb45a;

/// Adds a line of n_parts parts; part s is occluded if bit s of `hidden` is set. Neighbouring parts
/// of one colour become one line. `bgr`: 0x00bbggrr.
void add_parted_line(std::vector<OverlayVertex>& lines, vec3 from, vec3 to, std::uint32_t n_parts,
                     std::uint32_t hidden, std::uint32_t bgr, bool hidden_too) {
    auto hidden_at = [&](std::uint32_t s) { return (hidden >> s & 1) != 0; };
    for (std::uint32_t begin = 0, end; begin < n_parts; begin = end) {
        bool behind = hidden_at(begin);
        for (end = begin + 1; end < n_parts && hidden_at(end) == behind;) ++end;
        if (behind && !hidden_too) continue;
        auto at = [&](std::uint32_t s) {
            if (s == n_parts) return to;
            return from + (to - from) * (static_cast<float>(s) / static_cast<float>(n_parts));
        };
        std::uint32_t rgba8 = bgr | (behind ? kHidden : kSeen);
        lines.push_back({at(begin), rgba8});
        lines.push_back({at(end), rgba8});
    }
}

}  // namespace

std::vector<OverlayVertex> lines_of(const TreeBoxes& boxes, bool hidden_too) {
    std::vector<OverlayVertex> lines;
    std::uint32_t n_segments = edge_segments(boxes.n_total);
    for (std::size_t i = 0; i < boxes.hidden.size(); ++i) {
        auto& box = boxes.boxes[i / 12];
        vec3 from, to;
        box_edge(box, static_cast<std::uint32_t>(i % 12), from, to);
        add_parted_line(lines, from, to, n_segments, boxes.hidden[i],
                        box.n_primitives ? kLeaf : kInnerNode, hidden_too);
    }
    return lines;
}

std::vector<OverlayVertex> lines_of(const ControlNets& nets, bool hidden_too) {
    std::vector<OverlayVertex> lines;
    std::uint32_t n_patches = nets.size(), n_parts = net_line_parts(n_patches);
    // Patch edges last, on top of the inner lines.
    for (bool edges : {false, true})
        for (std::uint32_t i = 0; i < kNetLines * n_patches; ++i) {
            NetLine line(i % kNetLines);
            if (line.on_edge != edges) continue;
            const vec3* net =
                nets.points.data() + std::size_t(PatchPoints::kCount) * (i / kNetLines);
            add_parted_line(lines, net[line.from], net[line.to], n_parts, nets.hidden[i],
                            edges ? kPatchEdge : kInnerLine, hidden_too);
        }
    return lines;
}

std::vector<OverlayVertex> lines_of(const BoxCorners& corners) {
    std::vector<OverlayVertex> lines;
    for (std::size_t from = 0; from < corners.size(); ++from)
        for (std::size_t axis = 1; axis < corners.size(); axis *= 2)
            if (!(from & axis)) {
                lines.push_back({corners[from], kSelected | kSeen});
                lines.push_back({corners[from | axis], kSelected | kSeen});
            }
    return lines;
}

}  // namespace tl
