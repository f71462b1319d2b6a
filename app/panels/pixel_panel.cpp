#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

std::string numbers_of(vec3 v) {
    return formatted("%.4g, %.4g, %.4g", static_cast<double>(v.x), static_cast<double>(v.y),
                     static_cast<double>(v.z));
}

}  // namespace

void draw_pin(PixelView& pixel) {
    if (!pixel.pinned) {
        ImGui::TextDisabled("A click on the picture pins a pixel.");
        return;
    }
    ImGui::TextColored(warning_color(), "Pinned");
    next_in_line("Unpin (Esc)");
    if (ImGui::SmallButton("Unpin (Esc)")) pixel.pinned.reset();
    tooltip("A click on the mark unpins it, too; a click elsewhere pins another pixel.");
}

void draw_pixel_panel(ViewerModel& model) {
    model.view.pixel.wanted = true;
    auto& pixel = model.view.pixel.at_cursor;
    if (!pixel.inside()) {
        wrapped_text(info_color(), "Move the cursor over the picture. A click pins a pixel.");
        return;
    }
    draw_pin(model.view.pixel);
    if (!begin_rows("pixel")) return;
    row("pixel", formatted("%d, %d", pixel.x, pixel.y));
    row("radiance", numbers_of(pixel.radiance),
        "red, green, blue; the mean of the pixel's samples, W/(sr m^2)");
    auto& displayed = pixel.displayed;
    row("displayed", formatted("%d, %d, %d", displayed[0], displayed[1], displayed[2]),
        "red, green, blue of the screen, 0 to 255");
    row("samples", grouped(pixel.samples));
    bool estimated = pixel.error && std::isfinite(*pixel.error);
    row("error", estimated ? formatted("%.2g", static_cast<double>(*pixel.error)) : "not estimated",
        "estimated error of the mean, as a fraction of the display's range; it is estimated while "
        "'Noise threshold' in the section Film is above 0");
    if (pixel.hit) {
        auto& scene = model.session.scene();
        row("distance", formatted("%.5g", static_cast<double>(pixel.distance)), "from the eye");
        row("position", numbers_of(pixel.position));
        row("normal", numbers_of(pixel.normal), "the shading normal");
        row("albedo", numbers_of(pixel.albedo));
        if (pixel.material < scene.materials.size())
            row("material", scene.materials[pixel.material].name);
        row("primitive", grouped(pixel.primitive),
            "number of the triangle, sphere, splat or piece of a patch");
        if (pixel.instance != ProbedPixel::kNoInstance) row("instance", grouped(pixel.instance));
    } else {
        row("surface", "none", "the ray leaves the scene");
    }
    end_rows();
}

}  // namespace tl
