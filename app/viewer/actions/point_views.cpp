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

}  // namespace tl
