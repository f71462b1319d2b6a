#include "app/viewer/imgui/layout.h"

namespace tl {
namespace {

// At scale 1.
constexpr float kStatusHeight = 26;
constexpr int kSmallestPicture = 48;

int scaled(float length, float scale) {
    return static_cast<int>(length * scale + 0.5f);
}

}  // namespace

Layout layout_of(Extent window, float scale, bool interface_visible, float panel_width) {
    int panel = scaled(panel_width, scale), status = scaled(kStatusHeight, scale);
    if (!interface_visible || window.width < panel + kSmallestPicture) panel = 0;
    if (!interface_visible || window.height < status + kSmallestPicture) status = 0;
    Extent picture{window.width - panel, window.height - status};
    return {{0, 0, picture.width, picture.height},
            {picture.width, 0, panel, picture.height},
            {0, picture.height, window.width, status}};
}

Extent window_for(Extent picture, float scale, bool interface_visible, float panel_width) {
    if (!interface_visible) return picture;
    return {picture.width + scaled(panel_width, scale),
            picture.height + scaled(kStatusHeight, scale)};
}

}  // namespace tl
