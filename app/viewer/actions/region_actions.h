// The region of the picture to which samples are limited. None of these throws.
#pragma once

namespace tl {

struct ViewerModel;

/// The next drag of the mouse draws the region. Tells why the renderer has none.
void draw_region(ViewerModel& model);
/// Takes the region that was drawn; one without area changes nothing.
void take_drawn_region(ViewerModel& model);
/// Keeps the region as it was before draw_region().
void stop_drawing_region(ViewerModel& model);
/// Samples all pixels again.
void clear_region(ViewerModel& model);

}  // namespace tl
