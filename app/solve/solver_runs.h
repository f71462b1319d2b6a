// Shared by the runs of all solvers in the panel: their priority, and tables of their results.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/viewer/viewer_model.h"

namespace tl {

/// Runs `work` in the calling thread at low priority, so that frames take precedence. Work on the
/// CPU device runs in that thread too.
void give_way(const std::function<void()>& work);

inline constexpr int kFramesAfterRun = 4;  ///< frames until a section shows the results of a run

/// Frames before a run, as BackgroundJob::start takes them.
[[nodiscard]] FramesBefore frames_before(const ViewerModel& model);

/// Follows the run of a section, once per step of the loop. The section's `view` has a job, a
/// history of its outcomes, and frames to settle. Passes an outcome, with its error, to `take` once
/// the run has ended, and updates the frame rates of the newest outcome. Returns whether the run
/// has ended.
template <class View, class Take>
bool follow_run(View& view, const ViewerModel& model, Take&& take) {
    if (view.settle > 0) --view.settle;
    view.job.follow_frames(model.status.statistics.log(), model.accumulating());
    auto ended = view.job.take();
    if (ended) {
        ended->result.error = ended->error;
        take(std::move(ended->result));
    }
    if (!view.job.busy() && !view.history.empty()) view.history.back().rates = view.job.rates();
    return ended.has_value();
}

/// Frees the results of all runs.
template <class Outcome>
void forget_runs(std::vector<Outcome>& history) {
    std::vector<Outcome>().swap(history);
}

/// Quotes a text as a CSV field.
[[nodiscard]] std::string csv_text(const std::string& text);
/// CSV field of a number that is never negative; empty if it is below 0, which means unknown.
[[nodiscard]] std::string csv_number(double value);
/// Columns fps_before, fps_during and fps_after; empty if no frames were measured.
[[nodiscard]] std::string csv_rates(const JobFrameRates& rates);
/// Adds "fps": {before, during, after} to a run, as far as frames were measured.
void add_rates(nlohmann::ordered_json& run, const JobFrameRates& rates);
/// The text of a report of runs, as {schema, kind, runs}.
[[nodiscard]] std::string history_text(const char* kind, const nlohmann::ordered_json& runs);

/// Words for one run and for several, in messages.
struct RunNames {
    const char *run, *runs;  ///< "decomposition", "decompositions"
};
/// Copies a table of `n_runs` to the clipboard and reports that, or that there are none. `format`:
/// file format of the table, "CSV".
void copy_runs(ViewerModel& model, const std::string& text, std::size_t n_runs,
               const RunNames& names, const char* format);
/// Copies the history of a section as CSV. The view has the history and the names of its runs.
template <class View>
void copy_csv(ViewerModel& model, const View& view) {
    copy_runs(model, history_csv(view), view.history.size(), View::kNames, "CSV");
}
template <class View>
void copy_json(ViewerModel& model, const View& view) {
    copy_runs(model, history_json(view), view.history.size(), View::kNames, "JSON");
}

}  // namespace tl
