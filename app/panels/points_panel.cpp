#include <imgui/imgui.h>

#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/point_views.h"
#include "app/viewer/viewer_model.h"
#include "app/viewer/views/overlay_points.h"
#include "renderer/false_color/color_map.h"

namespace tl {
namespace {

void draw_color(vec3 color, const std::string& name) {
    ImGui::ColorButton(name.c_str(), ImVec4(color.x, color.y, color.z, 1),
                       ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop,
                       ImVec2(ImGui::GetTextLineHeight(), ImGui::GetTextLineHeight()));
    ImGui::SameLine();
    ImGui::TextUnformatted(name.c_str());
}

/// Draws the legend of the points' colours.
void draw_key(const PointList& found, bool by_value) {
    if (!by_value) {
        std::vector<std::size_t> counts(found.groups.size());
        for (auto& point : found.points) ++counts[point.group];
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (counts[i] > 0)
                draw_color(color_of_group(i, counts.size()),
                           found.groups[i] + ": " + grouped(counts[i]));
        return;
    }
    auto range = value_range(found);
    ImGui::Text("%s:", found.value_name.c_str());
    for (float share : {0.0f, 1 / 3.0f, 2 / 3.0f, 1.0f}) {
        float value = range.bottom * std::pow(range.top / range.bottom, share);
        draw_color(heat_color_srgb(share), formatted("%.2g", static_cast<double>(value)));
        if (share < 1) ImGui::SameLine();
    }
}

void draw_photons_box(ViewerModel& model) {
    state_box(model, "Photons", model.view.points.shown,
              "Those of the newest pass, where they are stored", toggle_points);
}

void draw_flux_box(ViewerModel& model) {
    ImGui::Checkbox("Colour by flux", &model.view.points.by_value);
    tooltip("Colours photons by their flux, else by the surfaces that they have met (Shift+Y)");
}

void draw_hidden_photons_box(ViewerModel& model) {
    ImGui::Checkbox("Show hidden", &model.view.points.hidden_too);
    tooltip("Also those that something hides, faintly");
}

void draw_photon_size(ViewerModel& model) {
    next_width();
    ImGui::SliderFloat("Size", &model.view.points.size, 1, PointView::kLargest, "%.1f",
                       ImGuiSliderFlags_AlwaysClamp);
    tooltip("Diameter of a photon in the picture, pixels");
}

void draw_most_photons(ViewerModel& model) {
    int most = model.view.points.most;
    next_width();
    if (ImGui::SliderInt("Max photons", &most, 100, PointView::kMost, "%d",
                         ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic))
        set_point_count(model.view.points, most);
    tooltip("How many of the stored photons are drawn");
}

}  // namespace

std::vector<PanelWidget> point_widgets() {
    return {{"Photons in the picture", draw_photons_box},
            {"Colour by flux", draw_flux_box},
            {"Show hidden", draw_hidden_photons_box},
            {"Size of photons", draw_photon_size},
            {"Max photons drawn", draw_most_photons}};
}

void draw_points_panel(ViewerModel& model) {
    auto& points = model.view.points;
    draw_photons_box(model);
    next_in_line("Colour by flux");
    draw_flux_box(model);
    next_in_line("Show hidden");
    draw_hidden_photons_box(model);
    if (!points.shown) return;
    draw_photon_size(model);
    draw_most_photons(model);
    auto& found = points.found[0];
    ImGui::TextDisabled("%s of %s photons", grouped(found.points.size()).c_str(),
                        grouped(found.n_total).c_str());
    if (!found.points.empty()) draw_key(found, points.by_value);
}

}  // namespace tl
