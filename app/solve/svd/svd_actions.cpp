#include "app/solve/svd/svd_actions.h"

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

std::string number(double value) {
    return formatted("%.6g", value);
}

constexpr RunNames kErrorNames{"measurement of errors", "modes' errors"};

/// Adds the session's data that the task needs.
void add_inputs(ViewerModel& model, SvdTask& task) {
    if (task.source == SvdSource::frame) task.frame = luminance_of(model.session);
    if (task.source == SvdSource::form_factors) {
        // A copy, since the scene may be edited meanwhile.
        task.scene = std::make_shared<const Scene>(model.session.scene());
        task.time = model.session.time;
    }
}

/// Approximates the newest frame by the requested number of triplets.
void start_approximation(SvdView& view) {
    view.approximation.start("approximation", {},
                             [frame = view.frame, rank = view.rank](JobRun&, RankPicture& picture) {
                                 picture = approximate(*frame, rank);
                             });
}

void take_outcome(Messages& messages, SvdView& view, SvdOutcome outcome) {
    if (!outcome.error.empty())
        messages.warning("no decomposition: " + outcome.error);
    else
        messages.info("SVD by " + outcome.mode + ": " + duration_of(outcome.seconds));
    if (auto frame = std::exchange(outcome.frame, nullptr)) {
        view.frame = std::move(frame);
        view.rank = std::clamp(view.rank, 1, std::max(view.most_rank(), 1));
        start_approximation(view);
    }
    view.history.push_back(std::move(outcome));
    view.settle = kFramesAfterRun;
}

/// A run from the command line waits until the frame rate is known, but not for long.
bool time_to_start(const ViewerModel& model, SvdView& view) {
    if (!view.due || !model.gate.open() || model.session.samples() == 0) return false;
    if (!model.accumulating()) return true;
    if (view.due_since == Clock::time_point{}) view.due_since = Clock::now();
    constexpr auto kLongest = std::chrono::seconds(5);
    return model.status.statistics.rate().settled() || Clock::now() - view.due_since >= kLongest;
}

void take_picture(SvdView& view, RankPicture picture) {
    int width = picture.luminance.cols, height = picture.luminance.rows;
    auto& image = view.preview.image;
    image = {{width, height},
             std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 4)};
    std::size_t next = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float grey = std::clamp(picture.luminance(y, x), 0.0f, 1.0f);
            auto byte = static_cast<std::uint8_t>(std::lround(255 * grey));
            for (auto channel : {byte, byte, byte, std::uint8_t{255}}) image.rgba[next++] = channel;
        }
    view.picture = std::move(picture);
    ++view.preview.version;
    view.settle = std::max(view.settle, kFramesAfterRun);
}

double of(const SvdOutcome& outcome, const char* key) {
    return outcome.accuracy.is_object() ? outcome.accuracy.value(key, -1.0) : -1.0;
}

void start_task(ViewerModel& model, SvdView& view, SvdTask task) {
    view.mode = task.mode;
    auto outcome = expected_outcome(task);
    view.job.start(
        "decomposition", std::move(outcome),
        [task = std::move(task)](JobRun& run, SvdOutcome& out) { run_svd(task, run, out); },
        frames_before(model));
}

}  // namespace

void start_svd(ViewerModel& model) {
    auto& view = svd_of(model);
    view.due = false;
    reveal_section(model, "svd");
    if (view.job.busy()) {
        model.status.messages.info("a decomposition is running: cancel it first");
        return;
    }
    // The picture and the scene are taken between two frames.
    model.gate.edit({.apply =
                         [&model, &view] {
                             SvdTask task = view.task;
                             if (attempt(model.status.messages, "Cannot decompose",
                                         [&] { add_inputs(model, task); }))
                                 start_task(model, view, std::move(task));
                         },
                     .ends = Cancellation::nothing,
                     .name = "svd"});
}

void start_svd_of(ViewerModel& model, SvdSource source) {
    svd_of(model).task.source = source;
    start_svd(model);
}

void toggle_svd(ViewerModel& model) {
    auto& view = svd_of(model);
    if (!view.job.busy()) return start_svd(model);
    if (auto note = cancel_note(view); !note.empty()) model.status.messages.info(note);
    view.job.cancel();
}

void toggle_svd_errors(ViewerModel& model) {
    auto& view = svd_of(model);
    reveal_section(model, "svd");
    view.reveal_errors = true;
    if (view.errors_job.busy()) return view.errors_job.cancel();
    view.errors_job.start("errors", {},
                          [task = view.task, n = view.n_matrices](JobRun& run, SvdErrors& errors) {
                              run_svd_errors(task, n, run, errors);
                          });
}

void copy_svd_errors_csv(ViewerModel& model) {
    auto& errors = svd_of(model).errors;
    copy_runs(model, errors_csv({errors}), errors.modes.size(), kErrorNames, "CSV");
}
void copy_svd_errors_json(ViewerModel& model) {
    auto& errors = svd_of(model).errors;
    copy_runs(model,
              history_text("svd-errors", nlohmann::ordered_json::array({errors_json(errors)})),
              errors.modes.size(), kErrorNames, "JSON");
}

void SvdView::apply_flags(const std::string& device) {
    task = task_of(flags, device);
    rank = flags.rank;
    asked = due = !flags.source.empty();
}

bool SvdView::poll(ViewerModel& model) {
    if (!model.status.stopped_by.empty()) due = false;
    if (time_to_start(model, *this)) start_svd(model);
    bool ended = follow_run(*this, model, [&](SvdOutcome outcome) {
        take_outcome(model.status.messages, *this, std::move(outcome));
    });
    auto approximated = approximation.take();
    // If memory was insufficient, the preview stays unchanged.
    if (approximated && approximated->error.empty()) {
        take_picture(*this, std::move(approximated->result));
        if (picture.rank != rank) start_approximation(*this);
    }
    auto measured = errors_job.take();
    if (measured) {
        if (measured->error.empty())
            errors = std::move(measured->result);
        else
            model.status.messages.warning("no errors of values: " + measured->error);
        settle = kFramesAfterRun;
    }
    return ended || approximated || measured;
}

void SvdView::forget() {
    forget_runs(history);
    errors = {};
    approximation.drop();
    frame.reset();
    picture = {};
    preview.image = {};
    ++preview.version;
}

std::string SvdView::report() const {
    return asked && !history.empty() ? summary_of(history.front()) : "";
}

std::string cancel_note(const SvdView& view) {
    if (!view.job.busy() || !find_row(svd_solvers(), view.mode, "svd mode").peer) return "";
    return view.mode +
           " is a library routine: it is discarded when it returns, and cannot be stopped earlier";
}

void show_rank(ViewerModel& model, int rank) {
    auto& view = svd_of(model);
    if (!view.frame) return model.status.messages.info("no frame has been decomposed yet");
    view.rank = std::clamp(rank, 1, std::max(view.most_rank(), 1));
    // A running approximation ends first, so that dragging the slider shows intermediate ranks.
    if (!view.approximation.busy()) start_approximation(view);
}

HostMatrix<float> luminance_of(Session& session) {
    auto picture = session.display().picture();
    HostMatrix<float> luminance(picture.extent.height, picture.extent.width);
    std::size_t next = 0;
    for (int y = 0; y < picture.extent.height; ++y)
        for (int x = 0; x < picture.extent.width; ++x, next += 4) {
            auto channel = [&](std::size_t c) {
                return static_cast<float>(picture.rgba[next + c]) / 255;
            };
            luminance(y, x) = 0.2126f * channel(0) + 0.7152f * channel(1) + 0.0722f * channel(2);
        }
    return luminance;
}

SvdParts parts_of(const SvdOutcome& outcome) {
    SvdParts parts;
    auto add = [](double& part, float ms) {
        part = std::max(part, 0.0) + static_cast<double>(ms) / 1000;
    };
    for (auto& stage : outcome.stages) {
        if (stage.name == "bidiagonalise")
            add(parts.bidiagonalise, stage.milliseconds);
        else if (stage.name.starts_with("bidiagonal "))
            add(parts.diagonalise, stage.milliseconds);
    }
    return parts;
}

std::string summary_of(const SvdOutcome& o) {
    auto text = formatted("svd: %s, %dx%d %s by %s on %s", o.what.c_str(), o.rows, o.cols,
                          o.precision.c_str(), o.mode.c_str(), o.device.c_str());
    if (o.multiprocessors > 0) text += formatted(", %d multiprocessors", o.multiprocessors);
    text += ": " + (o.error.empty() ? number(o.seconds) + " s" : o.error);
    if (!(o.rates.during > 0)) return text + "; too few frames to measure a frame rate";
    text += formatted("; frames a second: %.1f before, %.1f during (%.0f %%), ", o.rates.before,
                      o.rates.during, 100 * o.rates.during / o.rates.before);
    return text + (o.rates.after > 0 ? formatted("%.1f after", o.rates.after) : "none after");
}

std::string history_csv(const SvdView& view) {
    std::string text =
        "rows,cols,mode,device,precision,svd_s,bidiagonalisation_s,diagonalisation_s,vectors,"
        "matrix,residual,orthogonality_u,orthogonality_v,value_error,fps_before,fps_during,fps_"
        "after,error\n";
    for (auto& o : view.history) {
        auto parts = parts_of(o);
        text += std::to_string(o.rows) + "," + std::to_string(o.cols) + "," + o.mode + "," +
                o.device + "," + o.precision + "," + (o.error.empty() ? number(o.seconds) : "") +
                "," + csv_number(parts.bidiagonalise) + "," + csv_number(parts.diagonalise) + "," +
                csv_text(o.vectors) + "," + csv_text(o.what) + "," + csv_number(of(o, "residual")) +
                "," + csv_number(of(o, "orthogonality_u")) + "," +
                csv_number(of(o, "orthogonality_v")) + "," + csv_number(of(o, "value_error")) +
                "," + csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    }
    return text;
}

std::string history_json(const SvdView& view) {
    auto runs = nlohmann::ordered_json::array();
    for (auto& o : view.history) {
        nlohmann::ordered_json run = {{"matrix", o.what},    {"rows", o.rows},
                                      {"cols", o.cols},      {"mode", o.mode},
                                      {"device", o.device},  {"precision", o.precision},
                                      {"vectors", o.vectors}};
        if (o.error.empty()) {
            run["seconds"] = o.seconds;
            run["stages"] = stages_json(o.stages);
            run["accuracy"] = o.accuracy;
            run["values"] = o.values;
        } else {
            run["error"] = o.error;
        }
        if (o.multiprocessors > 0) run["multiprocessors"] = o.multiprocessors;
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("svd-history", runs);
}

}  // namespace tl
