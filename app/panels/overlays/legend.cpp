// Legend of false colours: a colour bar with numbers, and statistics of the picture.
#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/viewer_model.h"
#include "renderer/false_color/color_map.h"
#include "renderer/film/srgb8.h"

namespace tl {
namespace {

constexpr ImU32 kLegendPlate = IM_COL32(16, 18, 22, 215),
                kLegendText = IM_COL32(227, 229, 232, 255);
constexpr ImU32 kDim = IM_COL32(160, 166, 176, 255);
constexpr int kSteps = 64;  // of the bar

/// Packs sRGB components from 0 to 1.
ImU32 packed(vec3 srgb) {
    vec3 c = srgb * 255.0f + 0.5f;
    return IM_COL32(static_cast<int>(c.x), static_cast<int>(c.y), static_cast<int>(c.z), 255);
}

/// The displayed colour for a colour of the film.
ImU32 film_color(vec3 c) {
    return packed({srgb_from_linear(c.x), srgb_from_linear(c.y), srgb_from_linear(c.z)});
}

/// Formats with few digits: "0", "0.127", "7.5", "132".
std::string number(float value) {
    return formatted(std::abs(value) < 100 ? "%.3g" : "%.0f", static_cast<double>(value));
}

std::string figures(const LegendView::Side& side, bool cursor, const char* name) {
    auto& s = side.scale;
    std::string text = name;
    if (s.is_ramp())
        text += "min " + number(s.minimum) + "   mean " + number(s.mean) + "   max " +
                number(s.maximum) + "   ";
    if (!cursor) return text;
    auto& words = side.text_at_cursor;
    return text + "at cursor " + (words.empty() ? number(side.at_cursor) : words);
}

/// A scale with the lines of text below it.
struct Legend {
    FalseColorScale scale;
    std::vector<std::string> lines;
    float maximum = 0;  ///< over all pictures that use the scale
};

/// Draws the colour bar with the numbers at its quarters; returns its height.
float draw_ramp(ImDrawList& list, const Legend& legend, ImVec2 at, float width, float bar) {
    auto& scale = legend.scale;
    float step = width / kSteps;
    for (int i = 0; i < kSteps; ++i) {
        float t = static_cast<float>(i) / (kSteps - 1);
        float x = at.x + static_cast<float>(i) * step;
        list.AddRectFilled(ImVec2(x, at.y), ImVec2(x + step + 1, at.y + bar),
                           packed(heat_color_srgb(t)));
    }
    // The last colour represents all larger values.
    for (int quarter = 0; quarter <= 4; ++quarter) {
        float share = static_cast<float>(quarter) / 4;
        std::string text = number(scale.bottom + share * (scale.top - scale.bottom));
        if (quarter == 4 && legend.maximum > scale.top) text.insert(0, ">= ");
        float text_width = ImGui::CalcTextSize(text.c_str()).x;
        list.AddText(ImVec2(at.x + share * (width - text_width), at.y + bar + 1), kDim,
                     text.c_str());
    }
    return bar + ImGui::GetTextLineHeight() * 1.2f;
}

/// Draws squares of the colours, each followed by its name; only measures if `list` is null.
/// Returns the width.
float draw_named_colors(ImDrawList* list, const std::vector<NamedColor>& colors, ImVec2 at) {
    float side = ImGui::GetTextLineHeight(), x = at.x;
    for (auto& [color, name] : colors) {
        if (x > at.x) x += side;
        if (list) {
            list->AddRectFilled(ImVec2(x, at.y), ImVec2(x + side, at.y + side), film_color(color));
            list->AddRect(ImVec2(x, at.y), ImVec2(x + side, at.y + side), kDim);
            list->AddText(ImVec2(x + 1.3f * side, at.y), kDim, name.c_str());
        }
        x += 1.3f * side + ImGui::CalcTextSize(name.c_str()).x;
    }
    return x - at.x;
}

/// Draws a legend with its lower left corner at `corner`; returns its size.
ImVec2 draw_one_legend(const Legend& legend, ImVec2 corner, float scale) {
    float line = ImGui::GetTextLineHeight(), pad = 8 * scale, bar = 14 * scale;
    auto& shown = legend.scale;
    bool ramp = shown.is_ramp();
    float width = std::max(300 * scale, draw_named_colors(nullptr, shown.colors, {}));
    auto widen = [&](const std::string& text) {
        width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
    };
    for (auto& text : legend.lines) widen(text);
    widen(shown.title);
    widen(shown.key);
    auto n_lines = static_cast<float>(legend.lines.size());
    float height = line * (2.2f + 1.2f * n_lines) + (ramp ? bar : 0) + 2 * pad;
    ImVec2 at(corner.x, corner.y - height);
    auto& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(at, ImVec2(at.x + width + 2 * pad, at.y + height), kLegendPlate, 4 * scale);
    at.x += pad;
    at.y += pad;
    list.AddText(at, kLegendText, shown.title.c_str());
    at.y += line * 1.2f;
    if (ramp) {
        at.y += draw_ramp(list, legend, at, width, bar);
    } else {
        list.AddText(at, kDim, shown.key.c_str());
        draw_named_colors(&list, shown.colors, at);
        at.y += line * 1.2f;
    }
    for (auto& text : legend.lines) {
        list.AddText(at, kLegendText, text.c_str());
        at.y += line * 1.2f;
    }
    return {width + 2 * pad, height};
}

bool one_scale(const FalseColorScale& a, const FalseColorScale& b) {
    return a.title == b.title && a.top == b.top && a.bottom == b.bottom && a.key == b.key;
}

/// The legends of the sides: one for both if they have one scale.
std::vector<Legend> legends_of_sides(const ViewerView& view) {
    auto& legend = view.legend;
    bool two = view.compare.second != nullptr;
    std::vector<Legend> legends;
    for (std::size_t i = 0; i < (two ? 2u : 1u); ++i) {
        auto& side = legend.sides[i];
        if (!side.known) continue;
        auto line = figures(side, legend.cursor_inside, !two ? "" : i == 0 ? "A  " : "B  ");
        if (legends.empty() || !one_scale(legends.back().scale, side.scale))
            legends.push_back({side.scale, {}, 0});
        legends.back().lines.push_back(line);
        legends.back().maximum = std::max(legends.back().maximum, side.scale.maximum);
    }
    return legends;
}

/// The legend of FLIP's picture.
Legend legend_of_flip(const ViewerModel& model, const FilmFlip& flip) {
    auto& values = flip.map.values;
    LegendView::Side side;
    side.scale = {"FLIP: what a viewer sees who flips between A and B", 1, flip.least,
                  static_cast<float>(flip.mean), flip.most};
    auto pixel = pixel_under_cursor(model);
    auto extent = flip.map.extent;
    bool inside = pixel && pixel->x < extent.width && pixel->y < extent.height;
    if (inside)
        side.at_cursor = values[static_cast<std::size_t>(pixel->y * extent.width + pixel->x)];
    return {side.scale, {figures(side, inside, "")}, flip.most};
}

/// The legend of the picture of differences.
Legend legend_of_difference(float gain) {
    FalseColorScale scale;
    scale.title =
        formatted("Difference of displayed colours, |A - B| x %.0f", static_cast<double>(gain));
    scale.key = "black: equal; red, green and blue each for itself";
    return {scale, {}, 0};
}

}  // namespace

Corner draw_legend(ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    float gap = 8 * scale;
    ImVec2 at(static_cast<float>(picture.x) + gap,
              static_cast<float>(picture.y + picture.height) - gap);
    auto& compare = model.view.compare;
    auto legends = legends_of_sides(model.view);
    if (compare.second && compare.shown_mode(model.session) == CompareMode::flip)
        legends = {legend_of_flip(model, *compare.flip_of(model.session))};
    if (compare.second && compare.shown_mode(model.session) == CompareMode::difference)
        legends = {legend_of_difference(compare.gain)};
    std::ranges::reverse(legends);  // side A's stands above
    Corner taken{at.x, at.y};
    for (auto& legend : legends) {
        auto size = draw_one_legend(legend, {at.x, taken.top}, scale);
        taken = {std::max(taken.right, at.x + size.x), taken.top - size.y - gap};
    }
    return taken;
}

}  // namespace tl
