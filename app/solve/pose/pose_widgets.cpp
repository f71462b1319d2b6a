#include "app/solve/pose/pose_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"
#include "core/base/setting_words.h"

namespace tl {
namespace {

constexpr ImU32 kInlierColor = IM_COL32(75, 210, 90, 255),
                kOutlierColor = IM_COL32(255, 90, 80, 255);
constexpr ImU32 kMarkColor = IM_COL32(255, 214, 90, 255), kShadowColor = IM_COL32(0, 0, 0, 170);

/// One of the two pictures on the screen.
struct MatchPicture {
    ImVec2 at, size;
    double scale;  ///< pixels of the screen for one of the matches
    const std::vector<double>& places;

    [[nodiscard]] ImVec2 end() const { return {at.x + size.x, at.y + size.y}; }
    [[nodiscard]] ImVec2 place(const double* pixel) const {
        return {at.x + static_cast<float>(pixel[0] * scale),
                at.y + static_cast<float>(pixel[1] * scale)};
    }
    [[nodiscard]] ImVec2 place(std::size_t match) const { return place(&places[2 * match]); }
};

void draw_dots(const MatchPicture& picture, const PoseOutcome& outcome) {
    auto& list = *ImGui::GetWindowDrawList();
    // Draws a subset of very many matches, which looks the same.
    constexpr std::size_t kMostDots = 4000;
    std::size_t step = std::max<std::size_t>(1, outcome.matches.count() / kMostDots);
    // Inliers last, on top.
    for (bool inliers : {false, true})
        for (std::size_t i = 0; i < outcome.matches.count(); i += step) {
            bool inlier = i < outcome.estimate.inliers.size() && outcome.estimate.inliers[i] != 0;
            if (inlier != inliers) continue;
            list.AddCircleFilled(picture.place(i), 1.5f, inlier ? kInlierColor : kOutlierColor, 6);
        }
}

std::optional<std::size_t> nearest_match(const MatchPicture& picture) {
    constexpr float kReach = 12;
    ImVec2 cursor = ImGui::GetIO().MousePos;
    float nearest = kReach;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < picture.places.size() / 2; ++i) {
        ImVec2 at = picture.place(i);
        float away = std::hypot(at.x - cursor.x, at.y - cursor.y);
        if (away < nearest) {
            nearest = away;
            found = i;
        }
    }
    return found;
}

/// Draws the line within the picture, whose clip rectangle is set.
void draw_epipolar_line(const MatchPicture& picture, const EpipolarLine& line,
                        const Extent& extent) {
    const double width = extent.width, height = extent.height;
    const bool steep = std::abs(line.a) * height > std::abs(line.b) * width;
    double ends[2][2];
    for (int i = 0; i < 2; ++i) {
        double along = i == 0 ? 0 : steep ? height : width;
        double across =
            steep ? -(line.b * along + line.c) / line.a : -(line.a * along + line.c) / line.b;
        ends[i][0] = steep ? across : along;
        ends[i][1] = steep ? along : across;
        if (!std::isfinite(across)) return;
    }
    auto& list = *ImGui::GetWindowDrawList();
    list.AddLine(picture.place(ends[0]), picture.place(ends[1]), kShadowColor, 3);
    list.AddLine(picture.place(ends[0]), picture.place(ends[1]), kMarkColor, 1.5f);
}

void mark_match(const MatchPicture& picture, std::size_t match) {
    auto& list = *ImGui::GetWindowDrawList();
    list.AddCircle(picture.place(match), 5, kShadowColor, 0, 3);
    list.AddCircle(picture.place(match), 5, kMarkColor, 0, 1.5f);
}

std::string text_of_match(const PoseOutcome& outcome, std::size_t i) {
    auto& m = outcome.matches;
    bool inlier = i < outcome.estimate.inliers.size() && outcome.estimate.inliers[i] != 0;
    return formatted("match %zu: (%.1f, %.1f) and (%.1f, %.1f)\nfound as %s; in truth %s", i + 1,
                     m.first[2 * i], m.first[2 * i + 1], m.second[2 * i], m.second[2 * i + 1],
                     inlier ? "an inlier" : "an outlier", m.right[i] ? "right" : "wrong");
}

}  // namespace

void draw_task_setting(const Setting& setting) {
    auto label = label_of(setting.declaration());
    next_width();
    auto variable = setting.variable();
    if (auto* real = std::get_if<float*>(&variable)) {
        // A range of many powers of ten takes a logarithmic slider.
        constexpr double kWide = 1e4;
        bool wide = setting->minimum > 0 && setting->maximum > kWide * setting->minimum;
        auto unit = setting->unit;
        if (setting.text() == "1" && unit.ends_with("s")) unit.pop_back();
        auto format = unit.empty() ? std::string("%.4g") : "%.3g " + unit;
        ImGui::SliderFloat(label.c_str(), *real, static_cast<float>(setting->minimum),
                           static_cast<float>(setting->maximum), format.c_str(),
                           ImGuiSliderFlags_AlwaysClamp |
                               (wide ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None));
    } else if (auto* whole = std::get_if<int*>(&variable)) {
        if (ImGui::InputInt(label.c_str(), *whole, 1, 100))
            **whole = std::clamp(**whole, static_cast<int>(setting->minimum),
                                 static_cast<int>(setting->maximum));
    } else if (auto* flag = std::get_if<bool*>(&variable)) {
        ImGui::Checkbox(label.c_str(), *flag);
    } else if (ImGui::BeginCombo(label.c_str(), setting.text().c_str())) {
        for (auto& choice : setting->choices)
            if (ImGui::Selectable(choice.c_str(), choice == setting.text())) setting.set(choice);
        ImGui::EndCombo();
    }
    tooltip(setting->help + "; " + setting->accepts());
}

void draw_matches(PoseView& view, const PoseOutcome& outcome) {
    auto& image = outcome.pictures;
    if (image.extent.pixels() <= 0 || view.preview.texture == 0) return;
    // Both pictures should be visible at once in a panel of usual height.
    constexpr float kHighest = 1.25f;
    float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f);
    float ratio =
        static_cast<float>(image.extent.height) / 2 / static_cast<float>(image.extent.width);
    ImVec2 size(width, width * ratio);
    if (ratio > kHighest) size = ImVec2(width * kHighest / ratio, width * kHighest);
    std::optional<std::size_t> pointed;
    auto draw = [&](int number, const PinholeView& other, const PinholeView& own,
                    const std::vector<double>& places, const std::vector<double>& others) {
        ImVec2 at = ImGui::GetCursorScreenPos();
        float top = static_cast<float>(number) / 2;
        ImGui::Image(reinterpret_cast<ImTextureID>(view.preview.texture), size, ImVec2(0, top),
                     ImVec2(1, top + 0.5f));
        bool hovered = ImGui::IsItemHovered();
        MatchPicture picture{at, size, static_cast<double>(size.x) / own.extent.width, places};
        ImGui::PushClipRect(at, picture.end(), true);
        draw_dots(picture, outcome);
        if (hovered) pointed = nearest_match(picture);
        auto marked = view.pointed;
        if (marked && *marked < outcome.matches.count()) {
            if (outcome.has_pose())
                draw_epipolar_line(picture, epipolar_line(other, own, &others[2 * *marked]),
                                   own.extent);
            mark_match(picture, *marked);
        }
        ImGui::PopClipRect();
        if (hovered && pointed) show_tooltip(text_of_match(outcome, *pointed));
    };
    auto& matches = outcome.matches;
    auto& second = outcome.has_pose() ? outcome.found : outcome.second;
    auto first = outcome.assumed_first();
    draw(0, second, first, matches.first, matches.second);
    draw(1, first, second, matches.second, matches.first);
    view.pointed = pointed;
}

void draw_pose_history(const std::vector<PoseOutcome>& history) {
    if (history.empty() || !ImGui::BeginTable("history", 5, ImGuiTableFlags_RowBg)) return;
    auto fixed = [](const char* name, const char* widest) {
        ImGui::TableSetupColumn(
            name, ImGuiTableColumnFlags_WidthFixed,
            std::max(ImGui::CalcTextSize(widest).x, ImGui::CalcTextSize(name).x));
    };
    ImGui::TableSetupColumn("kind", ImGuiTableColumnFlags_WidthStretch);
    fixed("inliers", "1396/2000");
    fixed("R deg", "0.00123");
    fixed("t deg", "0.00123");
    fixed("ms", "12.3");
    draw_column_names();
    constexpr std::size_t kShown = 12;
    std::size_t n = std::min(history.size(), kShown);
    for (std::size_t i = 0; i < n; ++i) {
        auto& o = history[history.size() - 1 - i];
        auto number = [](double value) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(value < 0 ? "-" : formatted("%.3g", value).c_str());
        };
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(o.kind.c_str());
        auto made = o.source == MatchSource::scene
                        ? formatted("noise %.3g pixels, %.3g %% outliers", double(o.spec.noise),
                                    100 * double(o.spec.outliers))
                        : std::string("features of the pictures");
        tooltip(o.first_name + " and " + o.second_name + ", " + made + ", " + o.mode + " on " +
                o.device);
        ImGui::TableNextColumn();
        if (!o.error.empty()) {
            ImGui::TextUnformatted("failed");
            tooltip(o.error);
            continue;
        }
        ImGui::Text("%zu/%zu", o.estimate.n_inliers, o.n_matches);
        number(o.off.rotation);
        number(o.off.direction);
        number(1000 * o.estimate.seconds);
    }
    ImGui::EndTable();
}

}  // namespace tl
