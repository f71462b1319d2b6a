#include "app/jobs/format.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void take_dense(Messages& messages, DenseView& view, DenseOutcome outcome) {
    if (outcome.error.empty())
        messages.info(outcome.problem + " by " + outcome.mode + ": " +
                      duration_of(outcome.seconds()));
    else
        messages.warning("not solved: " + outcome.error);
    view.history.push_back(std::move(outcome));
    view.settle = kFramesAfterRun;
}

}  // namespace

void start_dense(ViewerModel& model) {
    auto& view = dense_of(model);
    reveal_section(model, "dense");
    if (view.job.busy()) {
        model.status.messages.info("a problem of dense algebra is being solved: cancel it first");
        return;
    }
    view.job.start(
        "dense algebra", expected_outcome(view.task),
        [task = view.task](JobRun& run, DenseOutcome& out) { run_dense_task(task, run, out); },
        frames_before(model));
}

void toggle_dense(ViewerModel& model) {
    auto& view = dense_of(model);
    if (view.job.busy())
        view.job.cancel();
    else
        start_dense(model);
}

bool DenseView::poll(ViewerModel& model) {
    return follow_run(*this, model, [&](DenseOutcome outcome) {
        take_dense(model.status.messages, *this, std::move(outcome));
    });
}

std::string history_csv(const DenseView& view) {
    std::string text =
        "problem,rows,cols,mode,device,precision,seconds,matrix,accuracy,fps_before,fps_during,"
        "fps_after,error\n";
    for (auto& o : view.history) {
        double accuracy = -1;
        if (o.error.empty())
            for (auto& [name, value] : o.report["accuracy"].items()) {
                accuracy = value.get<double>();
                break;
            }
        text += o.problem + "," + std::to_string(o.rows) + "," + std::to_string(o.cols) + "," +
                csv_text(o.mode) + "," + o.device + "," + o.precision + "," +
                csv_number(o.seconds()) + "," + csv_text(o.what) + "," + csv_number(accuracy) +
                "," + csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    }
    return text;
}

std::string history_json(const DenseView& view) {
    auto runs = nlohmann::ordered_json::array();
    for (auto& o : view.history) {
        nlohmann::ordered_json run = {{"problem", o.problem},
                                      {"matrix", o.what},
                                      {"device", o.device},
                                      {"precision", o.precision}};
        if (o.error.empty())
            run.update(o.report);
        else
            run["error"] = o.error;
        if (o.multiprocessors > 0) run["multiprocessors"] = o.multiprocessors;
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("dense-history", runs);
}

std::vector<ViewerCommand> dense_commands() {
    std::vector<ViewerCommand> rows{
        {"Run dense algebra, or cancel",
         "Run the panel's problem of dense algebra, or stop it.",
         {{Key::i, Modifiers{.shift = true}}},
         toggle_dense,
         [](const ViewerModel& m) {
             auto& job = dense_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
