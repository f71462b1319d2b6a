#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_stages(const FrameStatistics& statistics) {
    if (!ImGui::BeginTable("stages", 3, ImGuiTableFlags_RowBg)) return;
    float number = ImGui::CalcTextSize("0.000 ms").x;
    ImGui::TableSetupColumn("Stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Last", ImGuiTableColumnFlags_WidthFixed, number);
    ImGui::TableSetupColumn("Mean", ImGuiTableColumnFlags_WidthFixed, number);
    draw_column_names();
    for (auto& stage : statistics.stages()) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(stage.name.c_str());
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(time_text(static_cast<double>(stage.last)).c_str());
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(time_text(static_cast<double>(stage.mean)).c_str());
    }
    ImGui::EndTable();
}

/// Tells the time of the frame under the cursor, or where keys have reached the graph, of the
/// longest one.
void tell_frame(const FrameStatistics& statistics) {
    constexpr int kLast = FrameStatistics::kHistory - 1;
    auto time = [&](int i) {
        return statistics.frames()[static_cast<std::size_t>((statistics.oldest() + i) %
                                                            FrameStatistics::kHistory)];
    };
    int at = 0;
    bool by_keys = reached_by_keys();
    if (by_keys) {
        for (int i = 1; i <= kLast; ++i)
            if (time(i) >= time(at)) at = i;
    } else {
        float left = ImGui::GetItemRectMin().x, width = ImGui::GetItemRectSize().x;
        float share = (ImGui::GetIO().MousePos.x - left) / std::max(width, 1.0f);
        at = std::clamp(static_cast<int>(share * FrameStatistics::kHistory), 0, kLast);
    }
    show_tooltip(formatted("Time from frame to frame.\n%s%d %s ago: %s",
                           by_keys ? "Longest of those shown, " : "", kLast - at,
                           kLast - at == 1 ? "frame" : "frames",
                           time_text(static_cast<double>(time(at))).c_str()));
}

/// A graph of the newest frames, which keys reach as well.
void draw_frames(const FrameStatistics& statistics) {
    auto& frames = statistics.frames();
    auto [ms, fps] = statistics.rate_of_newest();
    std::string text = "no frames yet";
    if (fps >= 1)
        text =
            time_text(static_cast<double>(ms)) + ", " + frame_rate_text(static_cast<double>(fps));
    else if (fps > 0)
        text = frame_rate_text(static_cast<double>(fps));
    float top = 1.2f * *std::max_element(frames.begin(), frames.end());
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 4);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("frames", size);
    if (ImGui::IsItemHovered()) tell_frame(statistics);
    ImGui::SetCursorScreenPos(at);
    ImGui::PlotLines("##plot", frames.data(), FrameStatistics::kHistory, statistics.oldest(),
                     nullptr, 0, top, size);
    draw_scale_top(time_text(static_cast<double>(top)));
    draw_axis(formatted("%d frames ago", FrameStatistics::kHistory), text, "now");
}

/// A counter as a row: a percentage where it is a share, else the number, with mean and rate.
void draw_count(const FrameCount& count, const FrameStatistics& statistics) {
    auto value = static_cast<double>(count.value);
    if (count.n_all > 0) {
        auto all = static_cast<double>(count.n_all);
        return row(count.name.c_str(), three_digits(100 * value / all) + " %",
                   grouped(count.value) + " of " + grouped(count.n_all));
    }
    std::string text = grouped(count.value);
    if (count.n_rays > 0)
        text += ", " + three_digits(value / static_cast<double>(count.n_rays)) + " a ray";
    if (float ms = statistics.mean_of(count.stage); ms > 0)
        text += ", " + three_digits(value / static_cast<double>(ms) / 1000) + " M/s";
    row(count.name.c_str(), text);
}

/// A fold with the counters and figures of the renderer, if it has any.
void draw_counters(const ViewerStatus& status) {
    if (status.counts.empty() && status.figures.empty()) return;
    if (!ImGui::TreeNodeEx("Counters of the renderer",
                           ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth))
        return;
    if (!begin_rows("counters", 0.55f)) return;
    for (auto& count : status.counts) draw_count(count, status.statistics);
    for (auto& figure : status.figures)
        row(figure.name.c_str(), formatted("%.3g %%", 100 * figure.share));
    end_rows();
}

}  // namespace

void draw_timing_panel(ViewerModel& model) {
    auto& statistics = model.status.statistics;
    draw_frames(statistics);
    draw_stages(statistics);
    if (statistics.rays_per_frame > 0) {
        // Rays divided by the device's time for the frame.
        auto& stages = statistics.stages();
        double ms = stages.empty() ? 0 : static_cast<double>(stages.back().mean);
        double rays = static_cast<double>(statistics.rays_per_frame);
        auto rate = ms > 0 ? ", " + three_digits(rays / ms / 1000) + " Mrays/s" : std::string();
        ImGui::Text("%s rays a frame%s", grouped(static_cast<std::uint64_t>(rays)).c_str(),
                    rate.c_str());
    }
    draw_counters(model.status);
}

}  // namespace tl
