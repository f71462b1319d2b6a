// Fonts, sizes and colours of the interface.
#pragma once

namespace tl {

/// Applies the theme for an interface scale. The font is DejaVu Sans if installed, else ImGui's
/// default. Call only outside of an ImGui frame.
void apply_theme(float scale);

}  // namespace tl
