#include "app/solve/svd/svd_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/svd/svd_actions.h"

namespace tl {
namespace {

/// The lowest decade drawn: values below it are rounding errors.
constexpr double kMostDecades = 18;

/// Decades below the largest value, 0 to kMostDecades; zeros are at the bottom.
float decades_down(double value, double largest) {
    if (!(value > 0)) return static_cast<float>(kMostDecades);
    return static_cast<float>(std::clamp(std::log10(largest / value), 0.0, kMostDecades));
}

void draw_decades(ImDrawList& list, ImVec2 at, ImVec2 size, float decades) {
    float step = decades > 9 ? 4.0f : decades > 4 ? 2.0f : 1.0f;
    for (float d = step; d < decades; d += step) {
        float y = at.y + size.y * d / decades;
        list.AddLine(ImVec2(at.x, y), ImVec2(at.x + size.x, y),
                     ImGui::GetColorU32(ImGuiCol_Border));
        list.AddText(ImVec2(at.x + 4, y - ImGui::GetTextLineHeight()),
                     ImGui::GetColorU32(ImGuiCol_TextDisabled),
                     formatted("1e-%.0f", static_cast<double>(d)).c_str());
    }
}

std::string seconds_text(double seconds) {
    return seconds < 0 ? "-" : formatted("%.3g", seconds);
}

}  // namespace

void draw_spectrum(const std::vector<double>& values) {
    if (values.empty()) return;
    double largest = std::max(values.front(), 0.0);
    float decades = std::clamp(std::ceil(decades_down(values.back(), largest) + 0.1f), 1.0f,
                               static_cast<float>(kMostDecades));
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 7);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("spectrum", size);
    auto& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                       ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    draw_decades(list, at, size, decades);
    auto place = [&](std::size_t i) {
        float x = values.size() > 1 ? static_cast<float>(i) / static_cast<float>(values.size() - 1)
                                    : 0.5f;
        float down = std::min(decades_down(values[i], largest) / decades, 1.0f);
        return ImVec2(at.x + size.x * x, at.y + 2 + (size.y - 4) * down);
    };
    // One point per pixel is sufficient.
    std::size_t step = std::max<std::size_t>(1, values.size() / static_cast<std::size_t>(size.x));
    auto color = ImGui::GetColorU32(ImGuiCol_PlotLines);
    ImVec2 before = place(0);
    for (std::size_t i = step; i < values.size(); i += step) {
        ImVec2 next = place(i);
        list.AddLine(before, next, color, 1.5f);
        before = next;
    }
    list.AddCircleFilled(place(values.size() - 1), 2, color);
    bool hovered = ImGui::IsItemHovered();
    draw_axis("1", "singular value, over the largest", std::to_string(values.size()));
    if (!hovered) return;
    float x = std::clamp((ImGui::GetIO().MousePos.x - at.x) / size.x, 0.0f, 1.0f);
    auto i = static_cast<std::size_t>(std::lround(x * static_cast<float>(values.size() - 1)));
    ImGui::SetTooltip("value %zu of %zu: %.6g", i + 1, values.size(), values[i]);
}

void draw_stage_bars(const std::vector<StageTime>& stages) {
    float whole = 0;
    for (auto& stage : stages) whole += stage.milliseconds;
    if (!(whole > 0)) return;
    float width = ImGui::GetContentRegionAvail().x;
    for (auto& stage : stages) {
        ImVec2 at = ImGui::GetCursorScreenPos();
        float height = ImGui::GetTextLineHeight();
        auto& list = *ImGui::GetWindowDrawList();
        list.AddRectFilled(at, ImVec2(at.x + width, at.y + height),
                           ImGui::GetColorU32(ImGuiCol_FrameBg));
        ImVec4 bar = ImGui::GetStyleColorVec4(ImGuiCol_PlotHistogram);
        bar.w *= 0.6f;  // the text is drawn over it
        list.AddRectFilled(
            at, ImVec2(at.x + std::max(width * stage.milliseconds / whole, 1.0f), at.y + height),
            ImGui::GetColorU32(bar));
        ImGui::SetCursorScreenPos(ImVec2(at.x + 4, at.y));
        ImGui::Text("%s %.1f ms", stage.name.c_str(), static_cast<double>(stage.milliseconds));
    }
}

void draw_svd_history(const std::vector<SvdOutcome>& history) {
    if (history.empty()) return;
    float number = ImGui::CalcTextSize("0.0012").x, size = ImGui::CalcTextSize("1024x1024").x;
    // If mode names would be cut off, a tooltip shows the parts of the time.
    float mode = 0, padding = 2 * ImGui::GetStyle().CellPadding.x;
    for (auto& outcome : history)
        mode = std::max(mode, ImGui::CalcTextSize(outcome.mode.c_str()).x);
    bool has_parts =
        ImGui::GetContentRegionAvail().x >= size + mode + 3 * number + 5 * (padding + 1);
    if (!ImGui::BeginTable("history", has_parts ? 5 : 3, ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, size);
    ImGui::TableSetupColumn("mode", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("SVD s", ImGuiTableColumnFlags_WidthFixed, number);
    if (has_parts)
        for (const char* name : {"bidiag.", "diag."})
            ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed, number);
    draw_column_names();
    constexpr std::size_t kShown = 12;
    std::size_t n = std::min(history.size(), kShown);
    for (std::size_t i = 0; i < n; ++i) {
        auto& outcome = history[history.size() - 1 - i];
        auto parts = parts_of(outcome);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::Text("%dx%d", outcome.rows, outcome.cols);
        tooltip(outcome.what + ", " + outcome.precision + ", vectors: " + outcome.vectors);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(outcome.mode.c_str());
        tooltip(outcome.mode + " on " + outcome.device);
        ImGui::TableNextColumn();
        if (outcome.error.empty()) {
            ImGui::TextUnformatted(seconds_text(outcome.seconds).c_str());
            if (!has_parts)
                tooltip("Bidiagonal form " + seconds_text(parts.bidiagonalise) +
                        " s, its values and vectors " + seconds_text(parts.diagonalise) + " s");
        } else {
            ImGui::TextUnformatted("failed");
            tooltip(outcome.error);
        }
        if (!has_parts) continue;
        for (double part : {parts.bidiagonalise, parts.diagonalise}) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(seconds_text(part).c_str());
        }
    }
    ImGui::EndTable();
}

}  // namespace tl
