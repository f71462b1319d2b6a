#include "app/viewer/picture_overlays.h"

#include <algorithm>

#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "app/viewer/views/overlay_lines.h"
#include "app/viewer/views/overlay_points.h"

namespace tl {

void PictureOverlays::draw(ViewerModel& model, const Camera& camera, int window_height,
                           float scale) {
    camera_ = camera;
    window_height_ = window_height;
    if (model.view.boxes.shown) draw_boxes(model);
    if (model.view.net.shown) draw_control_net(model);
    if (model.view.points.shown) draw_points(model, scale);
    if (!model.document.selection.empty()) draw_selection(model);
    draw_section_lines(model);
}

void PictureOverlays::forget_hidden(ViewerView& view) {
    auto forget = [](auto& overlay, auto& drawn) {
        if (overlay.shown) return;
        overlay.found = {};
        overlay.stale = true;
        for (auto& lines : drawn) lines.set_lines({});
    };
    forget(view.boxes, lines_);
    forget(view.net, net_lines_);
    forget(view.points, points_);
}

/// Draws the bounds of the selected object, or of a light's surface, at rest.
void PictureOverlays::draw_selection(const ViewerModel& model) {
    // The bounds of a large mesh take a while to find.
    auto& selection = model.document.selection;
    SelectionDrawn now{&model.session.scene(), selection, model.gate.edits()};
    if (now != selection_drawn_)
        selection_.set_lines(lines_of(selection_corners(model.document.scene.edited, selection)));
    selection_drawn_ = now;
    auto& picture = model.view.layout.picture;
    selection_.draw(model.context.framebuffer(), picture, picture, window_height_, camera_);
}

/// Draws what the sections of the panel want to be seen in the scene.
void PictureOverlays::draw_section_lines(const ViewerModel& model) {
    std::uint64_t versions = 0;
    for (auto& state : model.interface.states) versions += state->lines.version;
    if (versions == 0) return;
    if (versions != section_versions_drawn_) {
        std::vector<OverlayVertex> ends;
        for (auto& state : model.interface.states)
            ends.insert(ends.end(), state->lines.ends.begin(), state->lines.ends.end());
        section_lines_.set_lines(ends);
        section_versions_drawn_ = versions;
    }
    auto& picture = model.view.layout.picture;
    section_lines_.draw(model.context.framebuffer(), picture, picture, window_height_, camera_);
}

/// Draws the boxes of both sides' trees.
void PictureOverlays::draw_boxes(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    if (boxes_drawn_ != boxes.found_count || hidden_drawn_ != boxes.hidden_too) {
        for (std::size_t i = 0; i < lines_.size(); ++i)
            lines_[i].set_lines(lines_of(boxes.found[i], boxes.hidden_too));
        boxes_drawn_ = boxes.found_count;
        hidden_drawn_ = boxes.hidden_too;
    }
    draw_on_sides(model, lines_);
}

/// Draws the points of both sides' renderers.
void PictureOverlays::draw_points(ViewerModel& model, float scale) {
    auto& points = model.view.points;
    if (points_drawn_ != points.found_count || hidden_points_drawn_ != points.hidden_too ||
        value_drawn_ != points.by_value) {
        for (std::size_t i = 0; i < points_.size(); ++i)
            points_[i].set_points(points_of(points.found[i], points.by_value, points.hidden_too));
        points_drawn_ = points.found_count;
        hidden_points_drawn_ = points.hidden_too;
        value_drawn_ = points.by_value;
    }
    for (auto& drawn : points_) drawn.point_size = std::max(points.size * scale, 1.0f);
    draw_on_sides(model, points_);
}

/// Draws what belongs to side A and to side B, each on its side of the split.
void PictureOverlays::draw_on_sides(const ViewerModel& model,
                                    std::array<OverlayRenderer, 2>& overlays) {
    auto& compare = model.view.compare;
    Rect picture = model.view.layout.picture, left = picture, right = picture;
    if (compare.second && compare.shown_mode(model.session) == CompareMode::split) {
        left.width = static_cast<int>(compare.split * static_cast<float>(picture.width) + 0.5f);
        right.x += left.width;
        right.width -= left.width;
    } else {
        right.width = 0;
    }
    auto draw = [&](OverlayRenderer& overlay, const Rect& part) {
        overlay.draw(model.context.framebuffer(), picture, part, window_height_, camera_);
    };
    draw(overlays[0], left);
    draw(overlays[1], right);
}

void PictureOverlays::draw_control_net(ViewerModel& model) {
    bool hidden_too = model.view.boxes.hidden_too;
    if (nets_drawn_ != model.view.net.found_count || hidden_nets_drawn_ != hidden_too) {
        net_lines_[0].set_lines(lines_of(model.view.net.found, hidden_too));
        nets_drawn_ = model.view.net.found_count;
        hidden_nets_drawn_ = hidden_too;
    }
    auto& picture = model.view.layout.picture;
    net_lines_[0].draw(model.context.framebuffer(), picture, picture, window_height_, camera_);
}

}  // namespace tl
