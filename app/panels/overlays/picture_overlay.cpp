// Overlay on the picture, also without the side panel: the split between two compared sides, the
// times of each, and error figures between them.
#include <imgui/imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/viewer/actions/input_router.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr ImU32 kLabelPlate = IM_COL32(16, 18, 22, 200), kLabelText = IM_COL32(227, 229, 232, 255);

/// Lines of a label.
using Label = std::vector<std::string>;
using Parts = std::vector<std::string>;

/// Adds the parts as one line, or as more where they do not fit in `room` pixels.
void add_parts(Label& label, const Parts& parts, float room) {
    std::string line;
    for (auto& part : parts) {
        auto longer = line.empty() ? part : line + "   " + part;
        if (!line.empty() && ImGui::CalcTextSize(longer.c_str()).x > room) {
            label.push_back(line);
            longer = part;
        }
        line = longer;
    }
    label.push_back(line);
}

/// Names of the features in which a side differs from the other; if they are alike, its renderer
/// and builder: "A", "LBVH".
Parts names_of(const char* side, Session& session, Session& other) {
    constexpr std::size_t kMost = 3;
    auto parts = peculiarities(session, other);
    if (parts.empty()) parts = {session.renderer_id(), session.builder_id()};
    if (parts.size() > kMost) {
        auto more = parts.size() - kMost;
        parts.resize(kMost);
        parts.push_back(formatted("%zu more", more));
    }
    parts.insert(parts.begin(), side);
    return parts;
}

/// "128 samples", "build 0.412 ms", "trace 3.20 ms", "281 Mrays/s"; a dash for what has not run.
Parts times_of(Session& session, const FrameStatistics& statistics) {
    auto time = [&](const char* name, float ms, bool known) {
        return std::string(name) + " " + (known ? time_text(static_cast<double>(ms)) : "-");
    };
    float build = statistics.mean_of(StageKind::build),
          refit = statistics.mean_of(StageKind::refit);
    float trace = statistics.mean_of(StageKind::trace);
    Parts parts = {
        formatted("%u %s", session.samples(), plural(session.samples(), "sample").c_str()),
        time(build > 0 || refit == 0 ? "build" : "refit", build + refit, build + refit > 0),
        time("trace", trace, trace > 0)};
    if (statistics.rays_per_frame > 0 && trace > 0)
        parts.push_back(three_digits(static_cast<double>(statistics.rays_per_frame) /
                                     static_cast<double>(trace) / 1000) +
                        " Mrays/s");
    return parts;
}

Label label_of(const char* side, Session& session, Session& other,
               const FrameStatistics& statistics, float room) {
    Label label;
    add_parts(label, names_of(side, session, other), room);
    add_parts(label, times_of(session, statistics), room);
    return label;
}

/// Error figures of the two displayed pictures. The label names their sample counts where the
/// pictures have more samples by now.
Label figures_label(const ViewerModel& model, float room) {
    auto& compare = model.view.compare;
    auto [figures, flip] = compare.figures_of(model.session);
    if (figures && !figures->fault.empty()) return {};
    Label label;
    Parts title{"A against the reference B"};
    if (!figures)
        title.emplace_back("measuring");
    else if (figures->stamp != stamp_of(model.session, compare.second->session()))
        title.push_back("of " + samples_text(figures->stamp));
    add_parts(label, title, room);
    if (figures)
        add_parts(label,
                  {formatted("relative MSE %.4g", figures->relative_mse),
                   "PSNR " + psnr_text(figures->psnr),
                   "FLIP " + (flip ? formatted("%.4f", flip->mean) : std::string("measuring"))},
                  room);
    return label;
}

ImVec2 size_of(const Label& label, float pad) {
    float width = 0, lines = static_cast<float>(label.size());
    for (auto& line : label) width = std::max(width, ImGui::CalcTextSize(line.c_str()).x);
    return {width + 2 * pad, ImGui::GetTextLineHeight() * (1.2f * lines - 0.2f) + 2 * pad};
}

void draw_label(const Label& label, ImVec2 at, float pad) {
    auto& list = *ImGui::GetBackgroundDrawList();
    ImVec2 size = size_of(label, pad);
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), kLabelPlate, 2 * pad / 3);
    at.x += pad;
    at.y += pad;
    for (auto& line : label) {
        list.AddText(at, kLabelText, line.c_str());
        at.y += ImGui::GetTextLineHeight() * 1.2f;
    }
}

/// Draws the labels in the upper corners, or one below the other if they do not fit side by side.
void draw_labels(ViewerModel& model, float left, float right, float top, float scale) {
    auto& second = *model.view.compare.second;
    float gap = 8 * scale, pad = 6 * scale, room = right - left - 2 * (gap + pad);
    Label a = label_of("A", model.session, second.session(), model.status.statistics, room);
    Label b = label_of("B", second.session(), model.session, second.statistics, room);
    ImVec2 size_a = size_of(a, pad), size_b = size_of(b, pad);
    bool side_by_side = size_a.x + size_b.x + 3 * gap <= right - left;
    draw_label(a, ImVec2(left + gap, top + gap), pad);
    draw_label(b,
               ImVec2(right - gap - size_b.x, top + gap + (side_by_side ? 0 : size_a.y + gap / 2)),
               pad);
}

/// Draws the figures in the lower right corner, above the legend where both do not fit.
void draw_figures_label(const ViewerModel& model, const Rect& picture, float bottom, Corner legend,
                        float scale) {
    float gap = 8 * scale, pad = 6 * scale;
    auto label = figures_label(model, static_cast<float>(picture.width) - 2 * (gap + pad));
    if (label.empty()) return;
    ImVec2 size = size_of(label, pad);
    float left = static_cast<float>(picture.x + picture.width) - gap - size.x;
    if (left < legend.right + gap) bottom = std::min(bottom, legend.top + gap);
    draw_label(label, ImVec2(left, bottom - gap - size.y), pad);
}

void draw_split(const ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    float x = static_cast<float>(picture.x) +
              model.view.compare.split * static_cast<float>(picture.width);
    auto top = static_cast<float>(picture.y);
    float bottom = top + static_cast<float>(picture.height), middle = (top + bottom) / 2;
    bool hovered = on_split(model);
    auto& list = *ImGui::GetBackgroundDrawList();
    ImU32 color = hovered ? IM_COL32(255, 255, 255, 255) : IM_COL32(235, 235, 235, 190);
    list.AddLine(ImVec2(x, top), ImVec2(x, bottom), IM_COL32(0, 0, 0, 140), 3 * scale);
    list.AddLine(ImVec2(x, top), ImVec2(x, bottom), color, hovered ? 2 * scale : scale);
    float r = 5 * scale;
    for (float way : {-1.0f, 1.0f})
        list.AddTriangleFilled(ImVec2(x + way * 2.2f * r, middle), ImVec2(x + way * r, middle - r),
                               ImVec2(x + way * r, middle + r), color);
}

/// Marks the pixels that the display cannot show.
void draw_clipped(const ViewerView& view, ImVec2 from, ImVec2 to) {
    auto& histogram = view.histogram;
    if (!histogram.marks_shown || !histogram.texture || view.compare.second) return;
    ImGui::GetBackgroundDrawList()->AddImage(reinterpret_cast<ImTextureID>(histogram.texture), from,
                                             to);
}

/// Marks the pinned pixel.
void draw_pinned(const PixelView& pixel, float scale) {
    if (!pixel.pinned) return;
    auto& list = *ImGui::GetBackgroundDrawList();
    ImVec2 at(pixel.pinned->x, pixel.pinned->y);
    float r = 6 * scale, far = 11 * scale;
    for (auto [color, width] : {std::pair{IM_COL32(0, 0, 0, 200), 3 * scale},
                                std::pair{IM_COL32(255, 214, 90, 255), 1.5f * scale}}) {
        list.AddCircle(at, r, color, 0, width);
        for (ImVec2 way : {ImVec2(1, 0), ImVec2(-1, 0), ImVec2(0, 1), ImVec2(0, -1)})
            list.AddLine(ImVec2(at.x + way.x * r, at.y + way.y * r),
                         ImVec2(at.x + way.x * far, at.y + way.y * far), color, width);
    }
}

}  // namespace

void draw_picture_overlay(ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    if (picture.width <= 0 || picture.height <= 0) return;
    auto& list = *ImGui::GetBackgroundDrawList();
    auto left = static_cast<float>(picture.x), top = static_cast<float>(picture.y);
    auto right = left + static_cast<float>(picture.width);
    float bottom = top + static_cast<float>(picture.height);
    list.PushClipRect(ImVec2(left, top), ImVec2(right, bottom));
    draw_clipped(model.view, ImVec2(left, top), ImVec2(right, bottom));
    draw_pinned(model.view.pixel, scale);
    draw_gizmo(model, scale);
    draw_picking(model, scale);
    if (model.view.compare.second) {
        if (model.view.compare.shown_mode(model.session) == CompareMode::split)
            draw_split(model, scale);
        draw_labels(model, left, right, top, scale);
    }
    auto legend = draw_legend(model, scale);
    if (model.view.compare.second) draw_figures_label(model, picture, bottom, legend, scale);
    list.PopClipRect();
}

}  // namespace tl
