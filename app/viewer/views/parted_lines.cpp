#include "app/viewer/views/parted_lines.h"

namespace tl {
namespace {

constexpr std::uint32_t kSeen = 0xe6u << 24, kHidden = 0x26u << 24;  // opacity

}  // namespace

void add_parted_line(std::vector<LineVertex>& lines, vec3 from, vec3 to, std::uint32_t n_parts,
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

}  // namespace tl
