#include "app/solve/pose/pose_lines.h"

#include <algorithm>

namespace tl {
namespace {

vec3 eye_of(const PinholeView& view) {
    return {static_cast<float>(view.center[0]), static_cast<float>(view.center[1]),
            static_cast<float>(view.center[2])};
}

/// Adds a pyramid with its picture at this depth before the eye, and a roof that shows what is up.
void add_view(std::vector<OverlayVertex>& lines, const PinholeView& view, double depth,
              std::uint32_t color) {
    auto place = [&](double x, double y) {
        const double pixel[2] = {x * view.extent.width, y * view.extent.height};
        double way[3];
        view.towards(pixel, way);
        return eye_of(view) + vec3(static_cast<float>(way[0] * depth),
                                   static_cast<float>(way[1] * depth),
                                   static_cast<float>(way[2] * depth));
    };
    auto line = [&](vec3 from, vec3 to) {
        lines.push_back({from, color});
        lines.push_back({to, color});
    };
    const vec3 corners[4] = {place(0, 0), place(1, 0), place(1, 1), place(0, 1)};
    for (int i = 0; i < 4; ++i) {
        line(eye_of(view), corners[i]);
        line(corners[i], corners[(i + 1) % 4]);
    }
    vec3 roof = place(0.5, -0.2);
    line(place(0.25, 0), roof);
    line(roof, place(0.75, 0));
}

}  // namespace

std::vector<OverlayVertex> view_lines(const PoseOutcome& outcome) {
    std::vector<OverlayVertex> lines;
    if (!outcome.has_pose()) return lines;
    // In the middle between the eyes and the surfaces views would hide each other.
    double baseline = distance_between(outcome.first.center, outcome.second.center);
    double depth = std::clamp(baseline / 3, 0.03 * outcome.depth, 0.15 * outcome.depth);
    constexpr double kSmaller = 0.85;
    auto join = [&](const PinholeView& to, std::uint32_t color) {
        constexpr std::uint32_t kFaint = 0x60ffffffu;
        lines.push_back({eye_of(outcome.first), color & kFaint});
        lines.push_back({eye_of(to), color & kFaint});
    };
    join(outcome.second, kTrueViewColor);
    join(outcome.found, kFoundViewColor);
    add_view(lines, outcome.first, depth, kFirstViewColor);
    add_view(lines, outcome.second, depth, kTrueViewColor);
    add_view(lines, outcome.found, kSmaller * depth, kFoundViewColor);
    return lines;
}

}  // namespace tl
