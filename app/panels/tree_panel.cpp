#include <imgui/imgui.h>

#include <cstdio>

#include "app/panels/panels.h"
#include "app/panels/text.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

// Measuring downloads the whole tree: larger ones are measured only when asked for.
constexpr std::uint32_t kMeasuredUnasked = 1'000'000;

bool up_to_date(const ViewerModel& model) {
    auto& session = model.session;
    auto& tree = model.tree;
    return tree.scene == &session.scene() && tree.device == &session.device() &&
           tree.builder == session.builder_id();
}

}  // namespace

void draw_tree_panel(ViewerModel& model) {
    auto& session = model.session;
    bool built = session.samples() > 0;
    bool small = session.live_scene().primitive_count() <= kMeasuredUnasked;
    if (built && small && !up_to_date(model)) measure_tree(model);

    bool current = up_to_date(model) && model.tree.stats;
    if (current && begin_rows("tree")) {
        auto& stats = *model.tree.stats;
        char sah[32];
        std::snprintf(sah, sizeof sah, "%.2f", stats.sah);
        row("primitives", grouped(stats.n_primitives));
        row("inner nodes", grouped(stats.n_nodes));
        row("leaves", grouped(stats.n_leaves));
        row("depth", std::to_string(stats.depth));
        row("SAH cost", sah);
        row("memory", byte_text(stats.bytes));
        end_rows();
    } else if (!current) {
        ImGui::TextDisabled("%s primitives, not measured",
                            grouped(session.live_scene().primitive_count()).c_str());
    }
    if (ImGui::Button("Measure") && built) measure_tree(model);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("Walks the tree of this frame on the host (last time: %.0f ms).",
                          static_cast<double>(model.tree.milliseconds));
}

}  // namespace tl
