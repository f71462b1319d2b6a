#include "app/viewer/box_lines.h"

namespace tl {
namespace {

constexpr std::uint32_t kInnerColor = 0x00a0ff8a, kLeafColor = 0x0030a8ff;  // 0x00bbggrr
constexpr std::uint32_t kSeen = 0xe6u << 24, kHidden = 0x26u << 24;         // opacity

}  // namespace

std::vector<LineVertex> lines_of(const TreeBoxes& boxes, bool hidden_too) {
    std::vector<LineVertex> lines;
    std::uint32_t n_segments = edge_segments(boxes.n_total);
    for (std::size_t i = 0; i < boxes.hidden.size(); ++i) {
        auto& box = boxes.boxes[i / 12];
        vec3 from, to;
        box_edge(box, static_cast<std::uint32_t>(i % 12), from, to);
        std::uint32_t color = box.n_primitives ? kLeafColor : kInnerColor;
        auto hidden_at = [&](std::uint32_t s) { return (boxes.hidden[i] >> s & 1) != 0; };
        for (std::uint32_t begin = 0, end; begin < n_segments; begin = end) {
            bool hidden = hidden_at(begin);
            for (end = begin + 1; end < n_segments && hidden_at(end) == hidden;) ++end;
            if (hidden && !hidden_too) continue;
            auto at = [&](std::uint32_t s) {
                return from +
                       (to - from) * (static_cast<float>(s) / static_cast<float>(n_segments));
            };
            std::uint32_t rgba8 = color | (hidden ? kHidden : kSeen);
            lines.push_back({at(begin), rgba8});
            lines.push_back({at(end), rgba8});
        }
    }
    return lines;
}

}  // namespace tl
