// Layout of picture, side panel and status line in the window, in framebuffer pixels, y down.
#pragma once

#include <algorithm>

#include "core/base/math.h"

namespace tl {

/// Widths of the side panel at scale 1: default, minimum and maximum.
inline constexpr float kPanelWidth = 360, kNarrowestPanel = 340, kWidestPanel = 1000;

struct Rect {
    int x = 0, y = 0, width = 0, height = 0;
    [[nodiscard]] Extent extent() const { return {width, height}; }
    bool operator==(const Rect&) const = default;
};

struct Layout {
    Rect picture, panel, status;
    /// Position of a window column as a fraction of the picture's width: 0 to 1 inside.
    [[nodiscard]] float share_of_width(float x) const {
        return (x - static_cast<float>(picture.x)) / static_cast<float>(std::max(picture.width, 1));
    }
};

/// Panel on the right, status line below both, the picture in the rest. A window too narrow for the
/// panel or too low for the status line has none. `scale` is the interface scale.
/// `panel_width`: at scale 1.
[[nodiscard]] Layout layout_of(Extent window, float scale, bool interface_visible,
                               float panel_width = kPanelWidth);
/// Window size whose layout has a picture of this size.
[[nodiscard]] Extent window_for(Extent picture, float scale, bool interface_visible,
                                float panel_width = kPanelWidth);

}  // namespace tl
