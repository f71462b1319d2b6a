#include "app/viewer/actions/point_views.h"

#include <algorithm>

#include "app/viewer/actions/viewer_actions.h"

namespace tl {

void toggle_points(ViewerModel& model) {
    auto& points = model.points;
    if (!points.shown && model.session.samples() > 0 && !model.measured.has_points)
        model.messages.info("this renderer stores no photons: choose photon");
    points.shown = !points.shown;
    points.stale = true;
}

void toggle_point_colors(ViewerModel& model) {
    model.points.by_value = !model.points.by_value;
}

void set_point_count(ViewerModel& model, int most) {
    model.points.most = std::clamp(most, 1, PointView::kMost);
    model.points.stale = true;
}

void update_points(ViewerModel& model, bool at_once) {
    constexpr std::chrono::milliseconds kEvery{50};
    auto& points = model.points;
    if (!points.shown) return;
    Session* sides[2] = {&model.session,
                         model.compare.second ? &model.compare.second->session() : nullptr};
    for (std::size_t i = 0; i < 2; ++i)
        points.stale |= points.versions[i] != (sides[i] ? sides[i]->points_version() : 0);
    auto now = std::chrono::steady_clock::now();
    if (!points.stale || (!at_once && now - points.found_at < kEvery)) return;
    points.shown = attempt(model, "Cannot show the photons", [&] {
        for (std::size_t i = 0; i < 2; ++i) {
            points.versions[i] = sides[i] ? sides[i]->points_version() : 0;
            points.found[i] =
                sides[i] ? sides[i]->collect_points(static_cast<std::uint32_t>(points.most))
                         : PointList{};
        }
    });
    points.stale = false;
    ++points.found_count;
    points.found_at = std::chrono::steady_clock::now();
}

}  // namespace tl
