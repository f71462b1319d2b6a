#include "app/viewer/views/overlay_points.h"

#include <algorithm>
#include <cmath>

#include "renderer/false_color/color_map.h"

namespace tl {
namespace {

constexpr std::uint32_t kSeenPoint = 0xffu << 24, kHiddenPoint = 0x30u << 24;  // opacity
constexpr float kDecades = 3;

std::uint32_t packed_rgb(vec3 srgb) {
    std::uint32_t packed = 0;
    for (int c = 0; c < 3; ++c)
        packed |= static_cast<std::uint32_t>(srgb[c] * 255 + 0.5f) << (8 * c);
    return packed;
}

}  // namespace

vec3 color_of_group(std::size_t group, std::size_t n_groups) {
    constexpr vec3 kLast{1, 0.86f, 0.1f};
    constexpr vec3 kColors[] = {{0.35f, 0.78f, 1},
                                {0.25f, 0.95f, 0.6f},
                                {1, 0.55f, 0.25f},
                                {0.95f, 0.3f, 0.45f},
                                {0.7f, 0.45f, 1}};
    if (group + 1 == n_groups) return kLast;
    return kColors[std::min(group, std::size(kColors) - 1)];
}

ValueRange value_range(const PointList& list) {
    std::vector<float> values;
    values.reserve(list.points.size());
    for (auto& point : list.points) values.push_back(point.value);
    if (values.empty()) return {};
    auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 99 / 100);
    std::ranges::nth_element(values, at);
    return {*at * std::pow(10.0f, -kDecades), *at};
}

std::vector<OverlayVertex> points_of(const PointList& list, bool by_value, bool hidden_too) {
    ValueRange range = by_value ? value_range(list) : ValueRange{};
    auto color_of = [&](const ScenePoint& point) {
        if (!by_value) return color_of_group(point.group, list.groups.size());
        bool known = range.top > 0 && point.value > 0;
        return heat_color_srgb(known ? 1 + std::log10(point.value / range.top) / kDecades : 0);
    };
    std::vector<OverlayVertex> vertices;
    vertices.reserve(list.points.size());
    for (std::uint32_t hidden : {1u, 0u}) {
        if (hidden && !hidden_too) continue;
        for (auto& point : list.points)
            if (point.hidden == hidden)
                vertices.push_back({point.position, packed_rgb(color_of(point)) |
                                                        (hidden ? kHiddenPoint : kSeenPoint)});
    }
    return vertices;
}

}  // namespace tl
