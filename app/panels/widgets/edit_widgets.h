// Widgets for numbers of the scene. A dragged widget keeps its own value, since edits may have to
// wait for a frame.
#pragma once

#include "core/base/math.h"

namespace tl {

/// Three numbers to drag or to type; returns whether they have changed. `speed`: change per pixel.
[[nodiscard]] bool drag_vector(const char* label, vec3& value, float speed);
/// A number to drag, from `least` to `most`.
[[nodiscard]] bool drag_number(const char* label, float& value, float speed, float least,
                               float most, const char* format = "%.4g");
/// A slider.
[[nodiscard]] bool slide_number(const char* label, float& value, float least, float most,
                                const char* format = "%.3f");
/// A slider of an angle in degrees.
[[nodiscard]] bool slide_angle(const char* label, float& value, float least, float most);
/// A colour from 0 to 1.
[[nodiscard]] bool edit_color(const char* label, vec3& color);
/// A colour and its strength, which together may be any radiance.
[[nodiscard]] bool edit_radiance(const char* label, vec3& radiance);

}  // namespace tl
