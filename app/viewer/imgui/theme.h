// Fonts, sizes and colours of the interface.
#pragma once

namespace tl {

/// Scale of the interface, and whether its colours are light.
struct Look {
    float scale = 1;
    bool light = false;
    bool operator==(const Look&) const = default;
};

/// Applies scale and colours. The font is DejaVu Sans if installed, else ImGui's default. Call only
/// outside of an ImGui frame.
void apply_theme(const Look& look);

}  // namespace tl
