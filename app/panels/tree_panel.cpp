#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

// Measuring downloads the whole tree: larger trees are measured only on request, those of animated
// scenes from time to time.
constexpr std::uint32_t kMeasuredUnasked = 1'000'000, kMeasuredInMotion = 50'000;
constexpr float kEvery = 0.5f;  // seconds

bool up_to_date(const ViewerModel& model) {
    auto& session = model.session;
    auto& tree = model.status.tree_report;
    return tree.scene == &session.scene() && tree.device == &session.device() &&
           tree.settings == tree_choices(session) && tree.time == session.time;
}

/// Measures again if that is due and cheap.
void keep_measured(ViewerModel& model) {
    if (model.session.samples() == 0 || model.gate.busy() || up_to_date(model)) return;
    auto n = model.status.measured.n_primitives;
    if (n > (model.view.playing ? kMeasuredInMotion : kMeasuredUnasked)) return;
    if (model.view.playing && model.status.tree_report.seconds_old() < kEvery) return;
    measure_tree(model);
}

/// Draws columns from `first` on; a tooltip shows number and height of a column.
void draw_histogram(const char* title, const std::vector<std::size_t>& counts, std::size_t first) {
    std::vector<float> heights(counts.begin(), counts.end());
    if (heights.empty()) return;
    std::size_t peak = *std::max_element(counts.begin(), counts.end());
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 3);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(title);
    ImGui::InvisibleButton("histogram", size);
    bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    auto& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                       ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
    float column = size.x / static_cast<float>(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        float x = at.x + static_cast<float>(i) * column;
        float height = size.y * heights[i] / static_cast<float>(std::max<std::size_t>(peak, 1));
        bool under =
            hovered && ImGui::GetIO().MousePos.x >= x && ImGui::GetIO().MousePos.x < x + column;
        // Nonzero counts are always visible.
        if (counts[i]) height = std::max(height, 1.0f);
        list.AddRectFilled(ImVec2(x + 1, at.y + size.y - height),
                           ImVec2(std::max(x + column - 1, x + 2), at.y + size.y),
                           ImGui::GetColorU32(under ? ImGuiCol_PlotLines : ImGuiCol_PlotHistogram));
        if (under)
            show_tooltip(std::string(title) + " " + std::to_string(first + i) + ": " +
                         grouped(counts[i]) + (counts[i] == 1 ? " leaf" : " leaves"));
    }
    draw_scale_top(grouped(peak) + " leaves");
    draw_axis(std::to_string(first), title, std::to_string(first + counts.size() - 1));
}

void draw_stats(const ViewerStatus& status, const TreeStats& stats) {
    auto n = static_cast<double>(std::max<std::size_t>(stats.n_primitives, 1));
    auto build_ms = static_cast<double>(status.statistics.mean_of(StageKind::build));
    if (begin_rows("tree")) {
        row("primitives", grouped(stats.n_primitives));
        if (stats.n_dropped)
            row("dropped boxes", grouped(stats.n_dropped),
                "of primitives that are not finite, or whose lower corner lies above the upper "
                "one");
        row("inner nodes", grouped(stats.n_nodes));
        row("leaves",
            grouped(stats.n_leaves) +
                formatted(", %.2f primitives each",
                          n / static_cast<double>(std::max<std::size_t>(stats.n_leaves, 1))));
        row("depth", std::to_string(stats.depth));
        row("SAH cost", formatted("%.2f", stats.sah));
        if (auto& overlap = status.tree_report.overlap; overlap.n_sampled > 0)
            row("EPO", formatted("%.2f over ", overlap.epo) + grouped(overlap.n_sampled),
                "end-point overlap: extra cost of rays that end in boxes of other surfaces, taken "
                "over this number of triangles");
        std::size_t gathered = stats.n_primitives * sizeof(Primitive);
        row("nodes take", byte_text(stats.bytes), "nodes and the order of the leaves' primitives");
        row("primitives take",
            byte_text(gathered) + formatted(", with nodes %.0f B each",
                                            static_cast<double>(stats.bytes + gathered) / n),
            "copies of primitives in the order of the leaves");
        row("scratch", byte_text(status.measured.scratch_bytes),
            "what building and tracing borrow while they run");
        if (build_ms > 0)
            row("build", formatted("%.3f ms, %.1f Mtri/s", build_ms,
                                   status.measured.n_primitives / build_ms / 1000));
        end_rows();
    }
    if (stats.errors)
        ImGui::TextColored(error_color(), "errors: %s%s%s",
                           stats.errors & kBuildCapReached ? "build cap reached " : "",
                           stats.errors & kOutOfReferences ? "out of references " : "",
                           stats.errors & kTraversalStackFull ? "traversal stack full" : "");
    std::vector<std::size_t> sizes(stats.leaves_of_size.begin() + 1, stats.leaves_of_size.end());
    draw_histogram("leaf size", sizes, 1);
    draw_histogram("leaf depth", stats.leaves_at_depth, 0);
}

void draw_measure_button(ViewerModel& model) {
    if (ImGui::Button("Measure") && model.session.samples() > 0) measure_tree(model);
    tooltip(formatted("Walks the tree of this frame on the host (last time: %.0f ms).",
                      static_cast<double>(model.status.tree_report.milliseconds)));
}

}  // namespace

std::vector<PanelWidget> tree_quality_widgets() {
    return {{"Measure the tree", draw_measure_button}};
}

void draw_tree_panel(ViewerModel& model) {
    keep_measured(model);
    bool known =
        model.status.tree_report.stats && model.status.tree_report.scene == &model.session.scene();
    if (known) {
        draw_stats(model.status, *model.status.tree_report.stats);
        if (!up_to_date(model)) ImGui::TextDisabled("of an earlier tree");
    } else {
        ImGui::TextDisabled("%s primitives, not measured",
                            grouped(model.status.measured.n_primitives).c_str());
    }
    draw_measure_button(model);
}

}  // namespace tl
