#include "app/jobs/format.h"
#include "app/solve/queue/queue_row.h"
#include "app/solve/queue/queue_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

double milliseconds_of(const QueueOutcome& outcome, LaneKind lane) {
    return outcome.overlap.busy[static_cast<int>(lane)];
}

void take_queue(Messages& messages, QueueView& view, QueueOutcome outcome) {
    if (outcome.error.empty())
        messages.info(formatted("%d %s in %s, %.0f %% of copies hidden", outcome.task.work.count,
                                outcome.task.work.operation.c_str(),
                                duration_of(outcome.taken).c_str(), outcome.overlap.percent()));
    else
        messages.warning("the queue ended: " + outcome.error);
    view.history.push_back(std::move(outcome));
    view.settle = kFramesAfterRun;
}

}  // namespace

void toggle_queue(ViewerModel& model) {
    auto& view = queue_of(model);
    if (view.job.busy()) return view.job.cancel();
    reveal_section(model, "queue");
    QueueOutcome expected;
    expected.task = view.task;
    expected.device = view.task.device;
    view.job.start(
        "queue", expected,
        [task = view.task, live = view.live](JobRun& run, QueueOutcome& out) {
            run_queue_task(task, *live, run, out);
        },
        frames_before(model));
}

bool QueueView::poll(ViewerModel& model) {
    return follow_run(*this, model, [&](QueueOutcome outcome) {
        take_queue(model.status.messages, *this, std::move(outcome));
    });
}

std::string history_csv(const QueueView& view) {
    std::string text =
        "operation,rows,tasks,precision,device,overlapping,seconds,compute_ms,upload_ms,read_ms,"
        "overlap_percent,fps_before,fps_during,fps_after,error\n";
    for (auto& o : view.history) {
        auto& work = o.task.work;
        bool has_run = o.error.empty();
        auto number = [&](double value) { return csv_number(has_run ? value : -1) + ","; };
        text += work.operation + "," + std::to_string(work.size) + "," +
                std::to_string(work.count) + (work.single ? ",float," : ",double,") + o.device +
                (o.task.overlapping ? ",yes," : ",no,") + number(o.taken) +
                number(milliseconds_of(o, LaneKind::compute)) +
                number(milliseconds_of(o, LaneKind::upload)) +
                number(milliseconds_of(o, LaneKind::read)) + number(o.overlap.percent()) +
                csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    }
    return text;
}

std::string history_json(const QueueView& view) {
    constexpr const char* kLanes[] = {"compute", "upload", "read"};
    auto runs = nlohmann::ordered_json::array();
    for (auto& o : view.history) {
        auto& work = o.task.work;
        nlohmann::ordered_json run = {
            {"operation", work.operation}, {"rows", work.size},
            {"tasks", work.count},         {"precision", work.single ? "float" : "double"},
            {"device", o.device},          {"overlapping", o.task.overlapping}};
        if (o.error.empty()) {
            auto spans = nlohmann::ordered_json::array();
            for (auto& span : o.spans)
                spans.push_back({{"id", span.id},
                                 {"name", span.name},
                                 {"lane", kLanes[static_cast<int>(span.lane)]},
                                 {"begin_ms", span.begin},
                                 {"end_ms", span.end}});
            run.update({{"seconds", o.taken},
                        {"overlap_percent", o.overlap.percent()},
                        {"timeline", spans}});
        } else {
            run["error"] = o.error;
        }
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("queue-history", runs);
}

std::vector<ViewerCommand> queue_commands() {
    std::vector<ViewerCommand> rows{
        {"Run queue, or cancel",
         "Do the panel's tasks on the queue of operations, or stop them.",
         {{Key::m, Modifiers{.shift = true}}},
         toggle_queue,
         [](const ViewerModel& m) {
             auto& job = queue_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
