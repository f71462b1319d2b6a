#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/text.h"
#include "app/panels/widgets.h"

namespace tl {
namespace {

void draw_stages(const FrameStatistics& statistics) {
    if (!ImGui::BeginTable("stages", 3, ImGuiTableFlags_RowBg)) return;
    float number = ImGui::CalcTextSize("mean ms").x;
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("last ms", ImGuiTableColumnFlags_WidthFixed, number);
    ImGui::TableSetupColumn("mean ms", ImGuiTableColumnFlags_WidthFixed, number);
    draw_column_names();
    for (auto& stage : statistics.stages()) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(stage.name.c_str());
        ImGui::TableNextColumn();
        ImGui::Text("%7.3f", static_cast<double>(stage.last));
        ImGui::TableNextColumn();
        ImGui::Text("%7.3f", static_cast<double>(stage.mean));
    }
    ImGui::EndTable();
}

/// Tells the time of the frame under the cursor, in place of what ImGui tells of a graph.
void tell_frame(const FrameStatistics& statistics) {
    float left = ImGui::GetItemRectMin().x, width = ImGui::GetItemRectSize().x;
    int last = FrameStatistics::kHistory - 1;
    float share = (ImGui::GetIO().MousePos.x - left) / std::max(width, 1.0f);
    int at = std::clamp(static_cast<int>(share * FrameStatistics::kHistory), 0, last);
    float time = statistics.frames()[static_cast<std::size_t>((statistics.oldest() + at) %
                                                              FrameStatistics::kHistory)];
    ImGui::SetTooltip("Milliseconds from frame to frame.\n%d %s ago: %.2f ms", last - at,
                      last - at == 1 ? "frame" : "frames", static_cast<double>(time));
}

}  // namespace

void draw_timing_panel(ViewerModel& model) {
    auto& statistics = model.statistics;
    auto& frames = statistics.frames();
    auto fps = static_cast<double>(statistics.frames_per_second());
    float newest = frames[static_cast<std::size_t>(
        (statistics.oldest() + FrameStatistics::kHistory - 1) % FrameStatistics::kHistory)];
    auto text = formatted("%.2f ms, %.1f fps", static_cast<double>(newest), fps);
    float highest = *std::max_element(frames.begin(), frames.end());
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 4);
    ImGui::PlotLines("##frames", frames.data(), FrameStatistics::kHistory, statistics.oldest(),
                     text.c_str(), 0, highest * 1.2f, size);
    if (ImGui::IsItemHovered()) tell_frame(statistics);
    draw_stages(statistics);
    for (auto& count : model.counts) {
        std::string mean;
        if (count.n_rays > 0)
            mean = formatted(", %.2f a ray",
                             static_cast<double>(count.value) / static_cast<double>(count.n_rays));
        std::string rate;
        if (float ms = statistics.mean_of(count.stage); ms > 0)
            rate = formatted(", %.1f M/s",
                             static_cast<double>(count.value) / static_cast<double>(ms) / 1000);
        ImGui::Text("%s: %s%s%s", count.name.c_str(), grouped(count.value).c_str(), mean.c_str(),
                    rate.c_str());
    }
    for (auto& figure : model.figures)
        ImGui::Text("%s: %.3g %%", figure.name.c_str(), 100 * figure.share);
    if (statistics.rays_per_frame > 0) {
        // Rays divided by the device's time for the frame.
        auto& stages = statistics.stages();
        double ms = stages.empty() ? 0 : static_cast<double>(stages.back().mean);
        double rays = static_cast<double>(statistics.rays_per_frame);
        ImGui::Text("%s rays a frame, %.1f Mrays/s",
                    grouped(static_cast<std::uint64_t>(rays)).c_str(),
                    ms > 0 ? rays / ms / 1000 : 0);
    }
}

}  // namespace tl
