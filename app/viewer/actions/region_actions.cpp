#include "app/viewer/actions/region_actions.h"

#include <utility>

#include "app/viewer/viewer_model.h"
#include "session/render_region.h"

namespace tl {
namespace {

void choose_region(ViewerModel& model, const std::optional<PictureRect>& rect) {
    model.gate.edit(
        {.apply = [&model, rect] { model.view.region.chosen = rect; }, .ends = Cancellation::view});
}

}  // namespace

void draw_region(ViewerModel& model) {
    if (model.gate.open())
        if (auto fault = region_fault(model.session); !fault.empty())
            return model.status.messages.warning("no region: " + fault);
    model.view.region.awaits_drag = true;
    model.status.messages.info("drag a rectangle over the picture; Esc keeps the region as it is");
}

void take_drawn_region(ViewerModel& model) {
    auto& region = model.view.region;
    region.awaits_drag = false;
    auto drawn = std::exchange(region.drawn, std::nullopt);
    if (!drawn) return;
    constexpr int kLeast = 4;  // pixels; a smaller rectangle is a click
    auto& picture = model.view.layout.picture;
    vec2 size = drawn->to - drawn->from;
    if (size.x * static_cast<float>(picture.width) < kLeast ||
        size.y * static_cast<float>(picture.height) < kLeast)
        return model.status.messages.info("the rectangle is too small for a region");
    choose_region(model, drawn);
    model.status.messages.info("only pixels " + text_of(pixels_of(*drawn, picture.extent())) +
                               " are sampled; Ctrl+Alt+B samples all again");
}

void stop_drawing_region(ViewerModel& model) {
    model.view.region.awaits_drag = false;
    model.view.region.drawn.reset();
}

void clear_region(ViewerModel& model) {
    stop_drawing_region(model);
    choose_region(model, {});
}

}  // namespace tl
