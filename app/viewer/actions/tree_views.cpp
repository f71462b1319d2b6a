#include "app/viewer/actions/tree_views.h"

#include <algorithm>
#include <cmath>

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr const char* kHeatMap = "heat-map";

}  // namespace

std::string tree_choices(Session& session) {
    std::string text = session.builder_id();
    for (auto kind : {SectionKind::builder, SectionKind::tree})
        for (auto& setting : session.settings().section(kind).settings)
            text += " " + setting.text();
    return text;
}

// The current renderer may be known only once earlier edits have been applied.
void toggle_heat_map(ViewerModel& model) {
    model.gate.edit([&model] {
        auto current = model.session.renderer_id();
        if (current != kHeatMap) model.view.renderer_before = current;
        choose_renderer(model, current != kHeatMap ? kHeatMap : model.view.renderer_before, false);
    });
}

void next_heat_map_count(ViewerModel& model) {
    model.gate.edit([&model] {
        if (model.session.renderer_id() != kHeatMap) toggle_heat_map(model);
        if (model.session.renderer_id() != kHeatMap) return;  // an error is shown
        auto settings = model.session.settings().renderer();
        auto& count = find_setting(settings, "count", kHeatMap);
        change_setting(model, kHeatMap, "count", next_of(count->choices, count.text()));
    });
}

void toggle_boxes(ViewerModel& model) {
    model.view.boxes.shown = !model.view.boxes.shown;
    model.view.boxes.stale = true;
}

void change_box_level(BoxView& boxes, int by) {
    // Switching boxes on keeps the level.
    if (boxes.shown && !boxes.leaves) boxes.level += by;
    boxes.level = std::clamp(boxes.level, 0, kMaxTreeBoxLevel);
    boxes.shown = true;
    boxes.leaves = false;
    boxes.stale = true;
}

void toggle_leaf_boxes(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    boxes.leaves = !(boxes.shown && boxes.leaves);
    boxes.shown = true;
    boxes.stale = true;
}

void toggle_octree_boxes(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    boxes.octree = !(boxes.shown && boxes.octree);
    boxes.shown = true;
    boxes.stale = true;
}

std::optional<glm::ivec2> pixel_under_cursor(const ViewerModel& model) {
    return film_pixel_at(model, model.view.cursor);
}

std::optional<glm::ivec2> film_pixel_at(const ViewerModel& model, vec2 at) {
    auto& picture = model.view.layout.picture;
    int x = static_cast<int>(std::floor(at.x)) - picture.x;
    int y = static_cast<int>(std::floor(at.y)) - picture.y;
    if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return {};
    // The film may have fewer pixels than the picture while the view moves.
    Extent film = model.session.extent();
    return glm::ivec2(x * film.width / picture.width, y * film.height / picture.height);
}

void pin_pixel(PixelView& pixel, vec2 at) {
    constexpr float kReach = 6;
    auto& pinned = pixel.pinned;
    bool again = pinned && glm::length(*pinned - at) <= kReach;
    pinned = again ? std::nullopt : std::optional(at);
}

std::optional<glm::ivec2> examined_pixel(const ViewerModel& model) {
    auto& pinned = model.view.pixel.pinned;
    return pinned ? film_pixel_at(model, *pinned) : pixel_under_cursor(model);
}

void read_pixel_tree(ViewerModel& model) {
    auto& view = model.view.pixel_tree;
    if (!view.wanted) return;
    if (auto pixel = examined_pixel(model)) {
        view.x = pixel->x;
        view.y = pixel->y;
    }
    view.tree = model.session.inspection().pixel_tree(view.x, view.y);
}

void read_legend(ViewerModel& model) {
    auto& legend = model.view.legend;
    auto pixel = pixel_under_cursor(model);
    legend.cursor_inside = pixel.has_value();
    glm::ivec2 at = pixel.value_or(glm::ivec2(0));
    auto read = [&](Session& session, LegendView::Side& side) {
        auto* colors = session.renderer().false_color();
        side.known = colors != nullptr && session.samples() > 0;
        if (!side.known) return;
        side.scale = colors->scale(session.stream());
        side.at_cursor = legend.cursor_inside ? colors->value(session.stream(), at.x, at.y) : 0;
        side.text_at_cursor =
            legend.cursor_inside ? colors->text(session.stream(), at.x, at.y) : "";
    };
    read(model.session, legend.sides[0]);
    legend.sides[1].known = false;
    if (model.view.compare.second) read(model.view.compare.second->session(), legend.sides[1]);
}

}  // namespace tl
