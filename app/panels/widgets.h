// What several panels and dialogs draw in the same way.
#pragma once

#include <imgui/imgui.h>

#include <string>

#include "app/viewer/imgui/layout.h"

namespace tl {

inline const ImVec4 kErrorColor{1.0f, 0.45f, 0.40f, 1}, kWarningColor{0.95f, 0.75f, 0.35f, 1};
inline const ImVec4 kInfoColor{0.60f, 0.86f, 0.72f, 1};

/// Shows a text while the cursor is over the widget drawn last.
void tooltip(const std::string& text);
/// Sets the width of the next widget; the rest of the panel is its label.
void next_width();
/// Draws text in a colour, in as many lines as it needs.
void wrapped_text(const ImVec4& color, const std::string& text);
/// Centres the next window in the display, with this size or as much of it as there is room for; a
/// height of 0 fits the contents.
void center_next_window(float width, float height);
/// Puts the next window in this place.
void place_next_window(const Rect& place);

}  // namespace tl
