// Layout of menu bar, picture, timeline, side panel and status line in the window, in framebuffer
// pixels, y down.
#pragma once

#include <algorithm>

#include "core/base/math.h"

namespace tl {

/// Widths of the side panel at scale 1: default, minimum and maximum.
inline constexpr float kPanelWidth = 360, kNarrowestPanel = 340, kWidestPanel = 1000;
/// Share of the window's width that the panel may take.
inline constexpr float kLargestPanelShare = 0.6f;

struct Rect {
    int x = 0, y = 0, width = 0, height = 0;
    [[nodiscard]] Extent extent() const { return {width, height}; }
    bool operator==(const Rect&) const = default;
};

struct Layout {
    Rect menu, picture, timeline, panel, status;
    /// Position of a window column as a fraction of the picture's width: 0 to 1 inside.
    [[nodiscard]] float share_of_width(float x) const {
        return (x - static_cast<float>(picture.x)) / static_cast<float>(std::max(picture.width, 1));
    }
};

/// Menu bar on top, panel on the right, timeline below the picture, status line at the bottom. The
/// panel takes at most 60 % of the window, or its default width at scale 1 in a small one. What a
/// window has no room for is left out. `scale` is the interface scale. `panel_width`: at scale 1.
/// `moves`: the scene has a motion, and so a timeline.
[[nodiscard]] Layout layout_of(Extent window, float scale, bool interface_visible,
                               float panel_width = kPanelWidth, bool moves = false);
/// Window size whose layout has a picture of this size.
[[nodiscard]] Extent window_for(Extent picture, float scale, bool interface_visible,
                                float panel_width = kPanelWidth, bool moves = false);

}  // namespace tl
