// State of the region of the picture to which samples are limited, and which the mouse draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/viewer/imgui/layout.h"
#include "renderer/film/film_share.h"

namespace tl {

/// Rectangle in fractions of the picture's width and height, y down.
struct PictureRect {
    vec2 from{0}, to{1};  ///< upper left and lower right corner
};

struct RegionView {
    std::optional<PictureRect> chosen{};  ///< region in use; none: all pixels are sampled
    std::optional<PictureRect> drawn{};   ///< rectangle of the drag in progress
    bool awaits_drag = false;             ///< the next drag draws a region
};

/// Position of a framebuffer pixel in fractions of the picture, clamped to its border.
[[nodiscard]] inline vec2 share_of_picture(const Layout& layout, vec2 at) {
    auto& picture = layout.picture;
    vec2 corner(static_cast<float>(picture.x), static_cast<float>(picture.y));
    vec2 size(static_cast<float>(std::max(picture.width, 1)),
              static_cast<float>(std::max(picture.height, 1)));
    return glm::clamp((at - corner) / size, vec2(0), vec2(1));
}

/// Pixels that a rectangle covers in a film of this size; at least one.
[[nodiscard]] inline FilmRegion pixels_of(const PictureRect& rect, Extent film) {
    auto first = [](float share, int n) {
        return std::min(static_cast<int>(std::lround(share * static_cast<float>(n))), n - 1);
    };
    auto end = [](float share, int n, int begin) {
        return std::max(static_cast<int>(std::lround(share * static_cast<float>(n))), begin + 1);
    };
    int left = first(rect.from.x, film.width), top = first(rect.from.y, film.height);
    int right = end(rect.to.x, film.width, left), bottom = end(rect.to.y, film.height, top);
    auto pixel = [](int x) { return static_cast<std::uint32_t>(x); };
    return {pixel(left), pixel(top), pixel(right), pixel(bottom)};
}

}  // namespace tl
