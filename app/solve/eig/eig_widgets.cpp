#include "app/solve/eig/eig_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"

namespace tl {
namespace {

/// Area of a plot, as wide as the panel.
struct Plot {
    ImVec2 at, size;
    ImDrawList& list;
    bool hovered;
};
Plot begin_plot(const char* id, float height) {
    ImVec2 size(std::max(ImGui::GetContentRegionAvail().x, 1.0f), height);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(id, size);
    bool hovered = ImGui::IsItemHovered();
    auto& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                       ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    return {at, size, list, hovered};
}

/// Bars of a histogram, each of `width` numbers of sweeps from `first` on.
struct SweepBars {
    std::size_t first = 0, width = 1;
    std::vector<std::size_t> counts;
};
SweepBars bars_of(const std::vector<std::size_t>& histogram) {
    constexpr std::size_t kMostBars = 64;
    SweepBars bars;
    while (bars.first < histogram.size() && histogram[bars.first] == 0) ++bars.first;
    bars.width = (histogram.size() - bars.first + kMostBars - 1) / kMostBars;
    for (std::size_t sweeps = bars.first; sweeps < histogram.size(); ++sweeps) {
        std::size_t bar = (sweeps - bars.first) / bars.width;
        if (bar >= bars.counts.size()) bars.counts.resize(bar + 1);
        bars.counts[bar] += histogram[sweeps];
    }
    return bars;
}

std::string number_with_sign(double re, double im) {
    return im == 0 ? formatted("%.6g", re)
                   : formatted("%.6g %c %.6g i", re, im < 0 ? '-' : '+', std::abs(im));
}

/// Shows the eigenvalue nearest to the cursor, if within kReach pixels of it.
void tell_nearest(std::span<const double> values, ImVec2 centre, double pixels) {
    constexpr double kReach = 12;
    ImVec2 cursor = ImGui::GetIO().MousePos;
    double nearest = kReach;
    std::size_t found = values.size();
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        double x = static_cast<double>(centre.x) + values[i] * pixels;
        double y = static_cast<double>(centre.y) - values[i + 1] * pixels;
        double away =
            std::hypot(x - static_cast<double>(cursor.x), y - static_cast<double>(cursor.y));
        if (away < nearest) {
            nearest = away;
            found = i;
        }
    }
    if (found == values.size()) return;
    show_tooltip(formatted("eigenvalue %zu of %zu: %s\nabsolute value %.6g", found / 2 + 1,
                           values.size() / 2,
                           number_with_sign(values[found], values[found + 1]).c_str(),
                           std::hypot(values[found], values[found + 1])));
}

}  // namespace

void draw_sweeps(const std::vector<std::size_t>& histogram) {
    auto bars = bars_of(histogram);
    if (bars.counts.empty()) return;
    auto plot = begin_plot("sweeps", ImGui::GetTextLineHeight() * 4);
    auto most = static_cast<float>(*std::ranges::max_element(bars.counts));
    auto n_bars = static_cast<float>(bars.counts.size());
    // A few bars leave space beside them, so that a single bar does not fill the plot.
    float step = plot.size.x / std::max(n_bars, 8.0f), left = plot.at.x;
    float gap = step > 4 ? 1.0f : 0.0f, bottom = plot.at.y + plot.size.y;
    for (std::size_t i = 0; i < bars.counts.size(); ++i) {
        if (bars.counts[i] == 0) continue;
        // Square roots, so that a few matrices are visible beside many.
        float height = std::sqrt(static_cast<float>(bars.counts[i]) / most) * (plot.size.y - 2);
        float x = left + static_cast<float>(i) * step;
        plot.list.AddRectFilled(ImVec2(x, bottom - std::max(height, 1.0f)),
                                ImVec2(x + step - gap, bottom),
                                ImGui::GetColorU32(ImGuiCol_PlotHistogram));
    }
    draw_axis(
        std::to_string(bars.first), "QR sweeps of a matrix",
        std::to_string(bars.first + bars.width * std::max<std::size_t>(bars.counts.size(), 8)));
    if (!plot.hovered) return;
    auto bar = static_cast<std::size_t>(std::max(ImGui::GetIO().MousePos.x - left, 0.0f) / step);
    if (bar >= bars.counts.size()) return;
    std::size_t from = bars.first + bar * bars.width, to = from + bars.width - 1;
    auto range = from == to ? std::to_string(from) : formatted("%zu to %zu", from, to);
    show_tooltip(range + " QR sweeps: " + grouped(bars.counts[bar]) +
                 (bars.counts[bar] == 1 ? " matrix" : " matrices"));
}

void draw_complex_plane(std::span<const double> values) {
    double largest = 1;  // the unit circle is always seen
    for (double value : values) largest = std::max(largest, std::abs(value));
    auto plot = begin_plot("plane", ImGui::GetTextLineHeight() * 11);
    ImVec2 centre(plot.at.x + plot.size.x / 2, plot.at.y + plot.size.y / 2);
    constexpr double kMargin = 0.88;
    double pixels = kMargin * static_cast<double>(std::min(plot.size.x, plot.size.y)) / 2 / largest;
    auto line = ImGui::GetColorU32(ImGuiCol_Border),
         dim = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    ImVec2 end(plot.at.x + plot.size.x, plot.at.y + plot.size.y);
    plot.list.PushClipRect(plot.at, end, true);
    plot.list.AddLine(ImVec2(plot.at.x, centre.y), ImVec2(end.x, centre.y), line);
    plot.list.AddLine(ImVec2(centre.x, plot.at.y), ImVec2(centre.x, end.y), line);
    plot.list.AddCircle(centre, static_cast<float>(pixels), dim);
    float text = ImGui::GetTextLineHeight();
    plot.list.AddText(ImVec2(end.x - ImGui::CalcTextSize("Re").x - 4, centre.y + 1), dim, "Re");
    plot.list.AddText(ImVec2(centre.x + 4, plot.at.y + 1), dim, "Im");
    plot.list.AddText(ImVec2(plot.at.x + 4, end.y - text - 2), dim, "circle: absolute value 1");
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        ImVec2 place(centre.x + static_cast<float>(values[i] * pixels),
                     centre.y - static_cast<float>(values[i + 1] * pixels));
        plot.list.AddCircleFilled(
            place, 3,
            ImGui::GetColorU32(values[i + 1] == 0 ? ImGuiCol_PlotHistogram : ImGuiCol_PlotLines));
    }
    plot.list.PopClipRect();
    if (plot.hovered) tell_nearest(values, centre, pixels);
}

void draw_eig_history(const std::vector<EigOutcome>& history) {
    if (history.empty() || !ImGui::BeginTable("history", 4, ImGuiTableFlags_RowBg)) return;
    auto fixed = [](const char* name, const char* widest) {
        ImGui::TableSetupColumn(
            name, ImGuiTableColumnFlags_WidthFixed,
            std::max(ImGui::CalcTextSize(widest).x, ImGui::CalcTextSize(name).x));
    };
    fixed("n x count", "128 x 10,000,000");
    ImGui::TableSetupColumn("mode", ImGuiTableColumnFlags_WidthStretch);
    fixed("s", "0.00123");
    fixed("1/s", "1,234,567");
    draw_column_names();
    constexpr std::size_t kShown = 12;
    std::size_t n = std::min(history.size(), kShown);
    for (std::size_t i = 0; i < n; ++i) {
        auto& outcome = history[history.size() - 1 - i];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::Text("%d x %s", outcome.batch.n, grouped(outcome.batch.count).c_str());
        tooltip(outcome.batch.kind + ", seed " + std::to_string(outcome.batch.seed) + ", " +
                outcome.precision + ", pairs: " + id_of(outcome.pairs));
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(outcome.mode.c_str());
        tooltip(outcome.mode + " on " + outcome.device);
        ImGui::TableNextColumn();
        if (!outcome.error.empty()) {
            ImGui::TextUnformatted("failed");
            tooltip(outcome.error);
            continue;
        }
        ImGui::Text("%.3g", outcome.summary.seconds);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(
            grouped(static_cast<std::size_t>(outcome.matrices_per_second())).c_str());
    }
    ImGui::EndTable();
}

}  // namespace tl
