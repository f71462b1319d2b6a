#include "session/render_region.h"

namespace tl {

std::string region_fault(Session& session) {
    auto& renderer = session.renderer();
    auto of = [&](const char* what) {
        return "the renderer '" + session.renderer_id() + "' " + what +
               ", for which it needs the whole picture";
    };
    if (renderer.false_color()) return of("shows numbers on a scale");
    if (renderer.compares_pixels()) return of("compares neighbouring pixels");
    return "";
}

std::string text_of(const FilmRegion& region) {
    auto corner = [](std::uint32_t x, std::uint32_t y) {
        return std::to_string(x) + "," + std::to_string(y);
    };
    return corner(region.left, region.top) + " to " + corner(region.right, region.bottom);
}

}  // namespace tl
