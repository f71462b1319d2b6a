#include "app/jobs/format.h"
#include "app/solve/sparse/sparse_row.h"
#include "app/solve/sparse/sparse_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

void take_sparse(Messages& messages, SparseView& view, SparseOutcome outcome) {
    if (outcome.error.empty())
        messages.info(formatted("sparse system: %d iterations of %s, %s",
                                outcome.report["results"]["iterations"][0].get<int>(),
                                outcome.report["method"].get<std::string>().c_str(),
                                duration_of(outcome.report["seconds"].get<double>()).c_str()));
    else
        messages.warning("not solved: " + outcome.error);
    view.history.push_back(std::move(outcome));
    view.settle = kFramesAfterRun;
}

/// Fields of a report, separated by commas; empty ones of a run that has none.
std::string csv_of(const Json& report) {
    if (!report.contains("results")) return ",,,,,,,";
    return std::to_string(report["rows"].get<int>()) + "," +
           std::to_string(report["entries"].get<int>()) + "," +
           report["method"].get<std::string>() + "," + report["preconditioner"].get<std::string>() +
           "," + csv_number(report["setup_seconds"].get<double>()) + "," +
           csv_number(report["solve_seconds"].get<double>()) + "," +
           std::to_string(report["results"]["iterations"][0].get<int>()) + "," +
           csv_number(report["accuracy"]["residual"].get<double>());
}

}  // namespace

void start_sparse(ViewerModel& model) {
    auto& view = sparse_of(model);
    reveal_section(model, "sparse");
    if (view.job.busy()) {
        model.status.messages.info("a sparse system is being solved: cancel it first");
        return;
    }
    view.job.start(
        "sparse system", expected_outcome(view.task),
        [task = view.task](JobRun& run, SparseOutcome& out) { run_sparse_task(task, run, out); },
        frames_before(model));
}

void toggle_sparse(ViewerModel& model) {
    auto& view = sparse_of(model);
    if (view.job.busy())
        view.job.cancel();
    else
        start_sparse(model);
}

bool SparseView::poll(ViewerModel& model) {
    return follow_run(*this, model, [&](SparseOutcome outcome) {
        take_sparse(model.status.messages, *this, std::move(outcome));
    });
}

std::string history_csv(const SparseView& view) {
    std::string text =
        "matrix,device,precision,rows,entries,method,preconditioner,setup_seconds,solve_seconds,"
        "iterations,residual,fps_before,fps_during,fps_after,error\n";
    for (auto& o : view.history)
        text += csv_text(o.what) + "," + o.device + "," + o.precision + "," + csv_of(o.report) +
                "," + csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    return text;
}

std::string history_json(const SparseView& view) {
    auto runs = Json::array();
    for (auto& o : view.history) {
        Json run = {{"matrix", o.what}, {"device", o.device}, {"precision", o.precision}};
        if (!o.report.is_null()) run.update(o.report);
        if (!o.error.empty()) run["error"] = o.error;
        if (o.multiprocessors > 0) run["multiprocessors"] = o.multiprocessors;
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("sparse-history", runs);
}

std::vector<ViewerCommand> sparse_commands() {
    std::vector<ViewerCommand> rows{
        {"Run sparse system, or cancel",
         "Run the panel's sparse system, or stop it.",
         {{Key::m, Modifiers{.control = true}}},
         toggle_sparse,
         [](const ViewerModel& m) {
             auto& job = sparse_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
