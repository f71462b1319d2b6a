#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/queue/queue_row.h"
#include "app/solve/queue/queue_view.h"
#include "app/solve/solver_widgets.h"

namespace tl {
namespace {

constexpr int kMostQueueRows = 8192, kMostQueueTasks = 1000;

/// The lanes from top to bottom, with their names and colours.
struct LaneLook {
    LaneKind lane;
    const char* name;
    ImU32 color;
};
const LaneLook kLaneLooks[] = {{LaneKind::upload, "up", IM_COL32(90, 160, 235, 255)},
                               {LaneKind::compute, "compute", IM_COL32(235, 165, 70, 255)},
                               {LaneKind::read, "back", IM_COL32(110, 200, 130, 255)}};

void draw_queue_operation(ViewerModel& model) {
    auto& work = queue_of(model).task.work;
    next_width();
    if (ImGui::BeginCombo("Operation##queue", work.operation.c_str())) {
        for (auto& id : work_operations())
            if (ImGui::Selectable(id.c_str(), id == work.operation)) work.operation = id;
        ImGui::EndCombo();
    }
    tooltip("What is done in each task");
}

void draw_queue_size(ViewerModel& model) {
    auto& work = queue_of(model).task.work;
    int numbers[2] = {work.size, work.count};
    next_width();
    if (ImGui::InputInt2("Rows, tasks##queue", numbers)) {
        work.size = std::clamp(numbers[0], 1, kMostQueueRows);
        work.count = std::clamp(numbers[1], 1, kMostQueueTasks);
    }
    tooltip("Rows of each matrix, and the number of tasks");
}

void draw_queue_device(ViewerModel& model) {
    choose_device("Device##queue", queue_of(model).task.device);
}

void draw_queue_precision(ViewerModel& model) {
    choose_precision("Precision##queue", queue_of(model).task.work.single);
}

void draw_overlapping(ViewerModel& model) {
    ImGui::Checkbox("Overlapping##queue", &queue_of(model).task.overlapping);
    tooltip("Copies of one task run beside the computation of another one.");
}

void tell_span(const TimelineSpan& span) {
    show_tooltip(formatted("%s #%lu\n%.3f ms, from %.3f ms on", span.name,
                           static_cast<unsigned long>(span.id), span.end - span.begin, span.begin));
}

/// A line for each lane, a box for each operation, from the first one's begin to the last one's
/// end.
void draw_lanes(const std::vector<TimelineSpan>& spans) {
    double first = spans[0].begin, last = spans[0].end;
    for (auto& span : spans) {
        first = std::min(first, span.begin);
        last = std::max(last, span.end);
    }
    float line = ImGui::GetTextLineHeightWithSpacing();
    float names = ImGui::CalcTextSize("compute ").x;
    ImVec2 corner = ImGui::GetCursorScreenPos();
    float width = std::max(ImGui::GetContentRegionAvail().x - names, 1.0f);
    auto* draw = ImGui::GetWindowDrawList();
    auto x_of = [&](double time) {
        double share = (time - first) / std::max(last - first, 1e-9);
        return corner.x + names + static_cast<float>(share) * width;
    };
    ImGui::InvisibleButton("lanes", {names + width, 3 * line});
    bool is_hovered = ImGui::IsItemHovered();
    auto mouse = ImGui::GetIO().MousePos;
    float y = corner.y;
    for (auto& look : kLaneLooks) {
        draw->AddText({corner.x, y}, ImGui::GetColorU32(ImGuiCol_Text), look.name);
        for (auto& span : spans) {
            if (span.lane != look.lane) continue;
            ImVec2 from(x_of(span.begin), y),
                to(std::max(x_of(span.end), from.x + 1), y + line - 3);
            draw->AddRectFilled(from, to, look.color);
            bool is_over =
                mouse.x >= from.x && mouse.x < to.x && mouse.y >= from.y && mouse.y < to.y;
            if (is_hovered && is_over) tell_span(span);
        }
        y += line;
    }
    draw_axis("0 ms", "time", formatted("%.3g ms", last - first));
    auto overlap = measure_overlap(spans);
    ImGui::Text("%.1f ms, %.0f %% of the copies' %.1f ms hidden", overlap.elapsed,
                overlap.percent(), overlap.copies);
}

void draw_queue_outcome(const QueueOutcome& outcome) {
    if (!outcome.error.empty()) return wrapped_text(error_color(), outcome.error);
    if (!outcome.spans.empty()) draw_lanes(outcome.spans);
    if (!begin_rows("queue")) return;
    auto& work = outcome.task.work;
    row("tasks", formatted("%d %s of %d x %d, %s", work.count, work.operation.c_str(), work.size,
                           work.size, work.single ? "float" : "double"));
    row("time", duration_of(outcome.taken) + ", " + outcome.device);
    for (auto& look : kLaneLooks)
        row(look.name, formatted("%.2f ms", outcome.overlap.busy[static_cast<int>(look.lane)]));
    auto rates = rates_text(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

}  // namespace

std::vector<PanelWidget> queue_widgets() {
    return {{"Operation", draw_queue_operation},
            {"Rows, tasks", draw_queue_size},
            {"Device", draw_queue_device},
            {"Precision", draw_queue_precision},
            {"Overlapping", draw_overlapping}};
}

void draw_queue_panel(ViewerModel& model) {
    auto& view = queue_of(model);
    draw_purpose(
        "Runs equal tasks on a queue of copies and computing. Boxes above each other show work at "
        "the same time: the more, the better the overlap.");
    for (auto& widget : queue_widgets()) widget.draw(model);
    if (view.job.busy()) {
        draw_busy(view.job);
        if (auto spans = view.live->spans(); !spans.empty()) draw_lanes(spans);
        return;
    }
    if (run_button("Uploads a matrix, solves with it and reads the results, for each task,"))
        toggle_queue(model);
    draw_history_buttons(model, view);
    if (!view.history.empty()) draw_queue_outcome(view.history.back());
}

}  // namespace tl
