// Actions on the region of the picture to which samples are limited. None of these throws.
#pragma once

namespace tl {

struct ViewerModel;

/// Lets the next drag of the mouse draw the region. A renderer that supports no region gives a
/// warning instead, which says why.
void draw_region(ViewerModel& model);
/// Limits the samples to the drawn rectangle; one of less than 4 pixels a side changes nothing.
void take_drawn_region(ViewerModel& model);
/// Cancels draw_region(): the region stays as it was before.
void stop_drawing_region(ViewerModel& model);
/// Removes the region, so that all pixels are sampled again. Cancels draw_region(), too.
void clear_region(ViewerModel& model);

}  // namespace tl
