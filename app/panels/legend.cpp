// Legend of false colours: a colour bar with numbers, and statistics of the picture.
#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
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
        text += "least " + number(s.minimum) + "   mean " + number(s.mean) + "   most " +
                number(s.maximum) + "   ";
    if (!cursor) return text;
    auto& words = side.text_at_cursor;
    return text + "at cursor " + (words.empty() ? number(side.at_cursor) : words);
}

/// Draws the colour bar with the numbers at its quarters; returns its height.
float draw_ramp(ImDrawList& list, const LegendView& legend, ImVec2 at, float width, float bar) {
    auto& scale = legend.sides[0].scale;
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
        if (quarter == 4 && std::max(scale.maximum, legend.sides[1].scale.maximum) > scale.top)
            text.insert(0, ">= ");
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

}  // namespace

void draw_legend(ViewerModel& model, float scale, float lift) {
    auto& legend = model.legend;
    if (!legend.known || !model.session.false_color()) return;
    bool two = model.compare.second != nullptr;
    auto& first = legend.sides[0];
    std::string lines[2] = {figures(first, legend.cursor_inside, two ? "A  " : "")};
    if (two) lines[1] = figures(legend.sides[1], legend.cursor_inside, "B  ");

    auto& picture = model.layout.picture;
    float line = ImGui::GetTextLineHeight(), pad = 8 * scale, bar = 14 * scale;
    bool ramp = first.scale.is_ramp();
    float width = std::max(300 * scale, draw_named_colors(nullptr, first.scale.colors, {}));
    for (auto& text : {lines[0], lines[1], first.scale.title, first.scale.key})
        width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
    float height = line * (two ? 4.6f : 3.4f) + (ramp ? bar : 0) + 2 * pad;
    ImVec2 at(static_cast<float>(picture.x) + pad,
              static_cast<float>(picture.y + picture.height) - lift - pad - height);
    auto& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(at, ImVec2(at.x + width + 2 * pad, at.y + height), kLegendPlate, 4 * scale);
    at.x += pad;
    at.y += pad;
    list.AddText(at, kLegendText, first.scale.title.c_str());
    at.y += line * 1.2f;
    if (ramp) {
        at.y += draw_ramp(list, legend, at, width, bar);
    } else {
        list.AddText(at, kDim, first.scale.key.c_str());
        draw_named_colors(&list, first.scale.colors, at);
        at.y += line * 1.2f;
    }
    list.AddText(at, kLegendText, lines[0].c_str());
    if (two) list.AddText(ImVec2(at.x, at.y + line * 1.2f), kLegendText, lines[1].c_str());
}

}  // namespace tl
