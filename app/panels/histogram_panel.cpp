#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

using Counts = std::array<std::uint32_t, FilmHistogram::kBins>;

constexpr ImU32 kColors[] = {IM_COL32(200, 204, 210, 130), IM_COL32(235, 80, 80, 255),
                             IM_COL32(90, 205, 110, 255), IM_COL32(95, 140, 250, 255)};

/// Height of a bin, 0 to 1: square roots, so that small counts are visible beside large ones.
float height_of(std::uint32_t count, std::uint32_t peak) {
    return std::sqrt(static_cast<float>(std::min(count, peak)) / static_cast<float>(peak));
}

void draw_channel(ImDrawList& list, const Counts& counts, std::uint32_t peak, ImVec2 at,
                  ImVec2 size, ImU32 color, bool filled) {
    float step = size.x / FilmHistogram::kBins;
    float bottom = at.y + size.y;
    ImVec2 before;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        float x = at.x + static_cast<float>(i) * step;
        ImVec2 top(x + step / 2, bottom - height_of(counts[i], peak) * (size.y - 2));
        if (filled)
            list.AddRectFilled(ImVec2(x, top.y), ImVec2(x + step, bottom), color);
        else if (i > 0)
            list.AddLine(before, top, color, 1.2f);
        before = top;
    }
}

/// Shows the range of the bin under the cursor and its percentage of the pixels.
void tell_bin(const FilmHistogram& found, float share) {
    auto bin = static_cast<std::size_t>(
        std::clamp(share * FilmHistogram::kBins, 0.0f, FilmHistogram::kBins - 1.0f));
    constexpr float kStops = FilmHistogram::kBrightest - FilmHistogram::kDarkest;
    float low = FilmHistogram::kDarkest + kStops * static_cast<float>(bin) / FilmHistogram::kBins;
    auto percent = [&](FilmHistogram::Channel channel) {
        return 100.0 * found.counts[channel][bin] / static_cast<double>(found.n_pixels);
    };
    show_tooltip(
        formatted("%.3g to %.3g W/(sr m^2)\nluminance %.2f %% of the pixels\n"
                  "red %.2f %%, green %.2f %%, blue %.2f %%",
                  std::exp2(static_cast<double>(low)),
                  std::exp2(static_cast<double>(low + kStops / FilmHistogram::kBins)),
                  percent(FilmHistogram::luminance), percent(FilmHistogram::red),
                  percent(FilmHistogram::green), percent(FilmHistogram::blue)));
}

std::string share_text(std::uint64_t count, std::uint64_t of) {
    double percent = 100.0 * static_cast<double>(count) / static_cast<double>(of);
    return count == 0 ? "none" : percent < 0.01 ? "below 0.01 %" : formatted("%.2f %%", percent);
}

void draw_marks_box(ViewerModel& model) {
    ImGui::Checkbox("Mark in the picture", &model.view.histogram.marks_shown);
    tooltip("Too dark: blue. Too bright: red. Not finite: magenta. Not in screenshots.");
}

}  // namespace

std::vector<PanelWidget> histogram_widgets() {
    return {{"Mark clipped pixels in the picture", draw_marks_box}};
}

void draw_histogram_panel(ViewerModel& model) {
    auto& view = model.view.histogram;
    view.wanted = true;
    if (model.session.renderer().false_color())
        ImGui::TextWrapped("The picture shows false colours: these are counted, not radiance.");
    if (!view.found) {
        ImGui::TextDisabled("being counted ...");
        return;
    }
    auto& found = *view.found;
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 5);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("histogram", size);
    auto& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                       ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    // The end bins, which collect everything beyond, do not set the scale.
    std::uint32_t peak = 1;
    for (auto& counts : found.counts)
        peak = std::max(peak, *std::max_element(counts.begin() + 1, counts.end() - 1));
    for (std::size_t k = 0; k < found.counts.size(); ++k)
        draw_channel(list, found.counts[k], peak, at, size, kColors[k], k == 0);
    if (ImGui::IsItemHovered()) tell_bin(found, (ImGui::GetIO().MousePos.x - at.x) / size.x);
    draw_scale_top(
        formatted("%.2g %% of pixels", 100.0 * peak / static_cast<double>(found.n_pixels)));
    auto radiance = [](float stops) { return formatted("%.3g", std::exp2(double(stops))); };
    draw_axis(radiance(FilmHistogram::kDarkest), "radiance, W/(sr m^2)",
              radiance(FilmHistogram::kBrightest));
    if (begin_rows("clipped")) {
        row("too dark", share_text(found.n_dark, found.n_pixels),
            "pixels that are shown as black; a higher exposure (Page Up) shows them");
        row("too bright", share_text(found.n_bright, found.n_pixels),
            "pixels with a colour at its maximum; a lower exposure (Page Down) or the tone curve "
            "'reinhard' shows their differences");
        row("not finite", found.n_not_finite == 0 ? "none" : grouped(found.n_not_finite),
            "pixels that are infinite or no number; they are shown in magenta");
        end_rows();
    }
    draw_marks_box(model);
}

}  // namespace tl
