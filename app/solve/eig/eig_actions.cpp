#include "app/solve/eig/eig_actions.h"

#include <algorithm>

#include "app/jobs/format.h"
#include "app/solve/eig/eig_row.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void take_batch(Messages& messages, EigView& view, EigOutcome outcome) {
    if (outcome.error.empty())
        messages.info("eigenvalues by " + outcome.mode + ": " +
                      three_digits(outcome.matrices_per_second()) + " matrices a second");
    else
        messages.warning("no eigenvalues: " + outcome.error);
    if (!view.history.empty()) view.history.back().shrink();
    view.history.push_back(std::move(outcome));
    view.settle = kFramesAfterRun;
}

}  // namespace

void start_eig(ViewerModel& model) {
    auto& view = eig_of(model);
    reveal_section(model, "eig");
    if (view.job.busy()) {
        model.status.messages.info("a batch of eigenvalues is being solved: cancel it first");
        return;
    }
    view.job.start(
        "eigenvalues", expected_outcome(view.task),
        [task = view.task](JobRun& run, EigOutcome& out) { run_eig(task, run, out); },
        frames_before(model));
}

void toggle_eig(ViewerModel& model) {
    auto& view = eig_of(model);
    if (view.job.busy())
        view.job.cancel();
    else
        start_eig(model);
}

bool EigView::poll(ViewerModel& model) {
    return follow_run(*this, model, [&](EigOutcome outcome) {
        take_batch(model.status.messages, *this, std::move(outcome));
    });
}

std::string history_csv(const EigView& view) {
    std::string text =
        "n,count,kind,seed,mode,device,precision,pairs,seconds,matrices_per_second,not_converged,"
        "sweeps_mean,sweeps_most,residual,trace_error,fps_before,fps_during,fps_after,error\n";
    for (auto& o : view.history) {
        auto& s = o.summary;
        text += std::to_string(o.batch.n) + "," + std::to_string(o.batch.count) + "," +
                o.batch.kind + "," + std::to_string(o.batch.seed) + "," + o.mode + "," + o.device +
                "," + o.precision + "," + id_of(o.pairs) + ",";
        if (o.error.empty())
            text += csv_number(s.seconds) + "," + csv_number(o.matrices_per_second()) + "," +
                    std::to_string(s.n_not_converged) + "," + csv_number(s.mean_sweeps()) + "," +
                    std::to_string(s.most_sweeps) + "," +
                    csv_number(s.accuracy.n_vectors > 0 ? s.accuracy.residual : -1) + "," +
                    csv_number(s.accuracy.trace);
        else
            text += ",,,,,,";
        text += "," + csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    }
    return text;
}

std::string history_json(const EigView& view) {
    auto runs = nlohmann::ordered_json::array();
    for (auto& o : view.history) {
        nlohmann::ordered_json run = {{"batch", {{"kind", o.batch.kind}, {"seed", o.batch.seed}}},
                                      {"n", o.batch.n},
                                      {"count", o.batch.count},
                                      {"mode", o.mode},
                                      {"device", o.device},
                                      {"precision", o.precision},
                                      {"pairs", id_of(o.pairs)}};
        if (o.error.empty())
            run.update(summary_json(o.summary));
        else
            run["error"] = o.error;
        if (o.multiprocessors > 0) run["multiprocessors"] = o.multiprocessors;
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("eig-history", runs);
}

std::vector<ViewerCommand> eig_commands() {
    std::vector<ViewerCommand> rows{
        {"Run eigenvalues, or cancel",
         "Run the panel's batch of eigenvalue problems, or stop it.",
         {{Key::i, Modifiers{}}},
         toggle_eig,
         [](const ViewerModel& m) {
             auto& job = eig_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
