#include "app/viewer/views/box_lines.h"

#include "app/viewer/views/parted_lines.h"

namespace tl {
namespace {

constexpr std::uint32_t kInnerColor = 0x00a0ff8a, kLeafColor = 0x0030a8ff;  // 0x00bbggrr

}  // namespace

std::vector<LineVertex> lines_of(const TreeBoxes& boxes, bool hidden_too) {
    std::vector<LineVertex> lines;
    std::uint32_t n_segments = edge_segments(boxes.n_total);
    for (std::size_t i = 0; i < boxes.hidden.size(); ++i) {
        auto& box = boxes.boxes[i / 12];
        vec3 from, to;
        box_edge(box, static_cast<std::uint32_t>(i % 12), from, to);
        add_parted_line(lines, from, to, n_segments, boxes.hidden[i],
                        box.n_primitives ? kLeafColor : kInnerColor, hidden_too);
    }
    return lines;
}

}  // namespace tl
