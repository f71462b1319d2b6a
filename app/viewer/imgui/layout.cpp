#include "app/viewer/imgui/layout.h"

#include <algorithm>

namespace tl {
namespace {

// At scale 1: a line of text with the padding of a frame, and so on.
constexpr float kMenuHeight = 21, kStatusHeight = 26, kTimelineHeight = 32;
constexpr int kSmallestPicture = 48;

int scaled(float length, float scale) {
    return static_cast<int>(length * scale + 0.5f);
}

int widest_panel(int window) {
    return std::max(static_cast<int>(kLargestPanelShare * static_cast<float>(window)),
                    static_cast<int>(kPanelWidth));
}

}  // namespace

Layout layout_of(Extent window, float scale, bool interface_visible, float panel_width,
                 bool moves) {
    int panel = std::min(scaled(panel_width, scale), widest_panel(window.width));
    if (!interface_visible || window.width < panel + kSmallestPicture) panel = 0;
    // Each gets its height where the picture keeps enough.
    int left = window.height - kSmallestPicture;
    auto take = [&](float height) {
        int wanted = scaled(height, scale);
        if (!interface_visible || left < wanted) return 0;
        left -= wanted;
        return wanted;
    };
    int status = take(kStatusHeight), menu = take(kMenuHeight);
    int timeline = moves ? take(kTimelineHeight) : 0;
    int below_menu = window.height - menu - status;
    Extent picture{window.width - panel, below_menu - timeline};
    return {.menu = {0, 0, window.width, menu},
            .picture = {0, menu, picture.width, picture.height},
            .timeline = {0, menu + picture.height, picture.width, timeline},
            .panel = {picture.width, menu, panel, below_menu},
            .status = {0, menu + below_menu, window.width, status}};
}

Extent window_for(Extent picture, float scale, bool interface_visible, float panel_width,
                  bool moves) {
    if (!interface_visible) return picture;
    int height = picture.height + scaled(kStatusHeight, scale) + scaled(kMenuHeight, scale) +
                 (moves ? scaled(kTimelineHeight, scale) : 0);
    int width = picture.width + scaled(panel_width, scale);
    if (scaled(panel_width, scale) <= widest_panel(width)) return {width, height};
    // The narrowest window in which the panel's largest share leaves the picture its width.
    for (width = picture.width; width - widest_panel(width) < picture.width;) ++width;
    return {width, height};
}

}  // namespace tl
