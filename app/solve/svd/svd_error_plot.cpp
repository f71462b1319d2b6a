#include "app/solve/svd/svd_error_plot.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"

namespace tl {
namespace {

const ImVec4 kModeColors[] = {{0.44f, 0.75f, 0.58f, 1}, {0.93f, 0.62f, 0.32f, 1},
                              {0.48f, 0.66f, 0.95f, 1}, {0.86f, 0.50f, 0.72f, 1},
                              {0.84f, 0.80f, 0.40f, 1}, {0.62f, 0.62f, 0.62f, 1}};

ImU32 color_of_mode(std::size_t mode, float alpha = 1) {
    ImVec4 color = kModeColors[mode % std::size(kModeColors)];
    color.w = alpha;
    return ImGui::GetColorU32(color);
}

/// Powers of ten that enclose all errors above 0.
struct Decades {
    int low = 0, high = 0;
};
std::optional<Decades> decades_of(const SvdErrors& errors, ErrorRange ValueError::*kind) {
    double least = HUGE_VAL, most = 0;
    for (auto& mode : errors.modes)
        for (auto& value : mode.values) {
            auto& range = value.*kind;
            if (range.mean > 0) least = std::min(least, range.mean);
            if (range.most > 0 && std::isfinite(range.most)) most = std::max(most, range.most);
        }
    if (!(least <= most)) return std::nullopt;
    Decades decades{static_cast<int>(std::floor(std::log10(least))),
                    static_cast<int>(std::ceil(std::log10(most)))};
    // Values without an error make means small; what is far below the maximum is cut off.
    constexpr int kMostDecades = 12;
    decades.low = std::max(decades.low, decades.high - kMostDecades);
    decades.high = std::max(decades.high, decades.low + 1);
    return decades;
}

/// The area of the plot within its labels.
struct PlotAxes {
    ImVec2 at, size;
    Decades decades;
    std::size_t n_values;
    ImDrawList& list;

    [[nodiscard]] float x_of(std::size_t value) const {
        return n_values > 1
                   ? at.x + size.x * static_cast<float>(value) / static_cast<float>(n_values - 1)
                   : at.x + size.x / 2;
    }
    /// Errors that are 0, or below the axis, lie on its bottom; NaN on its top.
    [[nodiscard]] float y_of(double error) const {
        if (std::isnan(error)) return at.y;
        double down = decades.high - std::log10(std::max(error, 1e-300));
        auto part = static_cast<float>(down / (decades.high - decades.low));
        return at.y + size.y * std::clamp(part, 0.0f, 1.0f);
    }
};

void draw_axes(const PlotAxes& axes, const char* title) {
    auto line = ImGui::GetColorU32(ImGuiCol_Border),
         text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    float height = ImGui::GetTextLineHeight(), bottom = axes.at.y + axes.size.y;
    int n_decades = axes.decades.high - axes.decades.low;
    int step = n_decades > 6 ? 3 : n_decades > 3 ? 2 : 1;
    for (int power = axes.decades.high; power >= axes.decades.low; power -= step) {
        float y = axes.y_of(std::pow(10.0, power));
        axes.list.AddLine(ImVec2(axes.at.x, y), ImVec2(axes.at.x + axes.size.x, y), line);
        auto label = formatted("1e%d", power);
        axes.list.AddText(
            ImVec2(axes.at.x - ImGui::CalcTextSize(label.c_str()).x - 4, y - height / 2), text,
            label.c_str());
    }
    std::size_t before = axes.n_values;
    for (std::size_t quarter = 0; quarter <= 4; ++quarter) {
        std::size_t value = (axes.n_values - 1) * quarter / 4;
        if (value == before) continue;
        before = value;
        float x = axes.x_of(value);
        axes.list.AddLine(ImVec2(x, bottom), ImVec2(x, bottom + 3), text);
        auto label = std::to_string(value + 1);
        float width = ImGui::CalcTextSize(label.c_str()).x;
        float left = std::clamp(x - width / 2, axes.at.x, axes.at.x + axes.size.x - width);
        axes.list.AddText(ImVec2(left, bottom + 3), text, label.c_str());
    }
    const char* beside = "number of the value";
    axes.list.AddText(
        ImVec2(axes.at.x + (axes.size.x - ImGui::CalcTextSize(beside).x) / 2, bottom + 3 + height),
        text, beside);
    axes.list.AddText(ImVec2(axes.at.x + 4, axes.at.y + 1), text, title);
}

/// One curve of a mode: means of the means, or maxima of the maxima, of the values of each pixel.
void draw_curve(const PlotAxes& axes, const ModeErrors& mode, ErrorRange ValueError::*kind,
                bool maximum, ImU32 color) {
    std::size_t n = mode.values.size();
    auto per_pixel =
        std::max<std::size_t>(1, n / static_cast<std::size_t>(std::max(axes.size.x, 1.0f)));
    std::vector<ImVec2> points;
    for (std::size_t first = 0; first < n; first += per_pixel) {
        double sum = 0, most = 0;
        int count = 0;
        for (std::size_t i = first; i < std::min(first + per_pixel, n); ++i) {
            auto& range = mode.values[i].*kind;
            if (range.mean < 0) continue;
            sum += range.mean;
            most = std::max(most, range.most);
            ++count;
        }
        if (count > 0)
            points.emplace_back(axes.x_of(first), axes.y_of(maximum ? most : sum / count));
    }
    float thickness = maximum ? 1.0f : 2.0f;
    if (points.size() == 1) axes.list.AddCircleFilled(points[0], 1.5f * thickness, color);
    axes.list.AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, thickness);
}

std::string figures_text(const ErrorRange& range) {
    return range.mean < 0 ? "none" : formatted("mean %.2e, maximum %.2e", range.mean, range.most);
}

void show_value(const PlotAxes& axes, const SvdErrors& errors, ErrorRange ValueError::*kind) {
    float x = std::clamp((ImGui::GetIO().MousePos.x - axes.at.x) / axes.size.x, 0.0f, 1.0f);
    auto i = static_cast<std::size_t>(std::lround(x * static_cast<float>(axes.n_values - 1)));
    auto text = formatted("value %zu of %zu: %.6g", i + 1, axes.n_values, errors.values[i]);
    for (auto& mode : errors.modes)
        if (i < mode.values.size())
            text += "\n" + mode.mode + ": " + figures_text(mode.values[i].*kind);
    show_tooltip(text);
}

/// Entries and norm of A - U S V^T, for a tooltip; "" without vectors.
std::string product_text(const ModeErrors& mode) {
    if (mode.residual.mean < 0) return "";
    return "||A - U S V^T|| / ||A||: " + figures_text(mode.residual) +
           "\nentries of A - U S V^T: " + figures_text(mode.product);
}

void draw_legend(const SvdErrors& errors, ErrorRange ValueError::*kind) {
    bool has_vectors = !errors.compared.empty();
    if (!ImGui::BeginTable("errors", has_vectors ? 4 : 3, ImGuiTableFlags_RowBg)) return;
    float number = ImGui::CalcTextSize("1.2e-16 ").x;
    ImGui::TableSetupColumn("mode", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("mean", ImGuiTableColumnFlags_WidthFixed, number);
    ImGui::TableSetupColumn("max.", ImGuiTableColumnFlags_WidthFixed, number);
    if (has_vectors) ImGui::TableSetupColumn("residual", ImGuiTableColumnFlags_WidthFixed, number);
    draw_column_names();
    for (std::size_t m = 0; m < errors.modes.size(); ++m) {
        auto& mode = errors.modes[m];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, color_of_mode(m));
        ImGui::TextUnformatted(mode.mode.c_str());
        ImGui::PopStyleColor();
        auto& range = mode.all.*kind;
        std::vector<double> figures{range.mean, range.most};
        if (has_vectors) figures.push_back(mode.residual.mean);
        for (double error : figures) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(!mode.error.empty() ? "failed"
                                   : error < 0         ? "-"
                                                       : formatted("%.1e", error).c_str());
            auto more = mode.error.empty() ? product_text(mode) : mode.error;
            if (!more.empty()) tooltip(more);
        }
    }
    ImGui::EndTable();
}

/// The area of the plot, with its curves.
void draw_plot(const SvdErrors& errors, const ValueErrorKind& kind, Decades decades) {
    float height = ImGui::GetTextLineHeight(), left = ImGui::CalcTextSize("1e-16").x + 6;
    ImVec2 whole(std::max(ImGui::GetContentRegionAvail().x, left + 8), height * 11);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("value errors", whole);
    PlotAxes axes{ImVec2(at.x + left, at.y + height / 2),
                  ImVec2(whole.x - left, whole.y - 2.5f * height - 3), decades,
                  errors.values.size(), *ImGui::GetWindowDrawList()};
    axes.list.AddRectFilled(axes.at, ImVec2(axes.at.x + axes.size.x, axes.at.y + axes.size.y),
                            ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    draw_axes(axes, kind.title);
    for (bool maximum : {true, false})
        for (std::size_t m = 0; m < errors.modes.size(); ++m)
            draw_curve(axes, errors.modes[m], kind.range, maximum,
                       color_of_mode(m, maximum ? 0.55f : 1));
    if (ImGui::IsItemHovered()) show_value(axes, errors, kind.range);
}

}  // namespace

void draw_value_errors(const SvdErrors& errors, const ValueErrorKind& kind) {
    if (errors.values.empty()) return;
    if (auto decades = decades_of(errors, kind.range)) draw_plot(errors, kind, *decades);
    draw_legend(errors, kind.range);
    ImGui::TextDisabled("%d x %d %s, %d matrices, against %s", errors.spec.matrix.rows,
                        errors.spec.matrix.cols, errors.spec.single ? "float" : "double",
                        errors.n_matrices, exact_values_of(errors.spec.single));
    if (auto text = vectors_text(errors); !text.empty())
        wrapped_text(ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled), text);
}

}  // namespace tl
