// Fonts, sizes and colours of the interface.
#pragma once

namespace tl {

/// Applies all of them for an interface scale; the font is DejaVu Sans where it is installed, else
/// ImGui's own. Outside of a frame only.
void apply_theme(float scale);

}  // namespace tl
