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
    show_tooltip(formatted("Milliseconds from frame to frame.\n%s%d %s ago: %.2f ms",
                           by_keys ? "Longest of those shown, " : "", kLast - at,
                           kLast - at == 1 ? "frame" : "frames", static_cast<double>(time(at))));
}

/// A graph of the newest frames, which keys reach as well.
void draw_frames(const FrameStatistics& statistics) {
    auto& frames = statistics.frames();
    auto [ms, fps] = statistics.rate_of_newest();
    auto text =
        fps > 0 ? formatted("%.2f ms, %.1f fps", static_cast<double>(ms), static_cast<double>(fps))
                : std::string("no frames yet");
    float highest = *std::max_element(frames.begin(), frames.end());
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 4);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("frames", size);
    if (ImGui::IsItemHovered()) tell_frame(statistics);
    ImGui::SetCursorScreenPos(at);
    ImGui::PlotLines("##plot", frames.data(), FrameStatistics::kHistory, statistics.oldest(),
                     text.c_str(), 0, highest * 1.2f, size);
}

}  // namespace

void draw_timing_panel(ViewerModel& model) {
    auto& statistics = model.status.statistics;
    draw_frames(statistics);
    draw_stages(statistics);
    for (auto& count : model.status.counts) {
        std::string mean;
        if (count.n_rays > 0)
            mean = formatted(", %.2f a ray",
                             static_cast<double>(count.value) / static_cast<double>(count.n_rays));
        std::string rate;
        if (float ms = statistics.mean_of(count.stage); ms > 0)
            rate = formatted(", %.1f M/s",
                             static_cast<double>(count.value) / static_cast<double>(ms) / 1000);
        std::string share;
        if (count.n_all > 0)
            share = formatted(
                " of %s, %.1f %%", grouped(count.n_all).c_str(),
                100 * static_cast<double>(count.value) / static_cast<double>(count.n_all));
        ImGui::Text("%s: %s%s%s%s", count.name.c_str(), grouped(count.value).c_str(), share.c_str(),
                    mean.c_str(), rate.c_str());
    }
    for (auto& figure : model.status.figures)
        ImGui::Text("%s: %.3g %%", figure.name.c_str(), 100 * figure.share);
    if (statistics.rays_per_frame > 0) {
        // Rays divided by the device's time for the frame.
        auto& stages = statistics.stages();
        double ms = stages.empty() ? 0 : static_cast<double>(stages.back().mean);
        double rays = static_cast<double>(statistics.rays_per_frame);
        auto rate = ms > 0 ? formatted(", %.1f Mrays/s", rays / ms / 1000) : std::string();
        ImGui::Text("%s rays a frame%s", grouped(static_cast<std::uint64_t>(rays)).c_str(),
                    rate.c_str());
    }
}

}  // namespace tl
