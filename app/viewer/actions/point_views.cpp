#include "app/viewer/actions/point_views.h"

#include <algorithm>

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void toggle_points(ViewerModel& model) {
    auto& points = model.view.points;
    if (!points.shown && model.session.samples() > 0 && !model.status.measured.has_points)
        model.status.messages.info("this renderer stores no photons: choose photon");
    points.shown = !points.shown;
    points.stale = true;
}

void toggle_point_colors(ViewerModel& model) {
    model.view.points.by_value = !model.view.points.by_value;
}

void set_point_count(PointView& points, int most) {
    points.most = std::clamp(most, 1, PointView::kMost);
    points.stale = true;
}

}  // namespace tl
