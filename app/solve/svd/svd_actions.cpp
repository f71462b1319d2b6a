#include "app/solve/svd/svd_actions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "accel/parallel/registry.h"

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

// The interface has its new layout after some frames, and can be scrolled only then.
constexpr int kRevealFrames = 3, kSettleFrames = 4;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

/// What the task needs of the session.
void add_inputs(ViewerModel& model, SvdTask& task) {
    if (task.source == SvdSource::frame) task.frame = luminance_of(model.session);
    if (task.source == SvdSource::form_factors) {
        task.scene = model.session.shared_scene();
        task.time = model.session.time;
    }
}

void take_outcome(ViewerModel& model, SvdOutcome outcome) {
    auto& view = model.svd;
    auto seconds = std::chrono::duration<double>(Clock::now() - view.started).count();
    outcome.fps_before = view.fps_before;
    // A run of less than a few frames says nothing of their rate.
    constexpr std::uint64_t kFewest = 4;
    if (view.fps_before > 0 && view.frames_during >= kFewest) {
        outcome.fps_during = static_cast<double>(view.frames_during) / seconds;
        view.measuring_after = true;
        view.frames_after = 0;
        view.ended = Clock::now();
    }
    if (!outcome.error.empty())
        model.messages.warning("no decomposition: " + outcome.error);
    else
        model.messages.info("SVD by " + outcome.mode + ": " + number(outcome.seconds) + " s");
    // What a first result adds to the panel is to be seen; later ones take its place.
    if (view.history.empty()) view.reveal = kRevealFrames;
    if (outcome.source == SvdSource::frame && outcome.error.empty()) {
        view.most_rank = static_cast<int>(outcome.values.size());
        show_rank(model, view.rank);
    }
    view.history.push_back(std::move(outcome));
    view.settle = kSettleFrames;
}

/// The rate of the second that follows the run.
void measure_after(ViewerModel& model) {
    auto& view = model.svd;
    if (!model.accumulating() || view.runner.busy()) view.measuring_after = false;
    if (!view.measuring_after) return;
    ++view.frames_after;
    auto seconds = std::chrono::duration<double>(Clock::now() - view.ended).count();
    if (seconds < FrameRate::kWindow) return;
    view.measuring_after = false;
    view.history.back().fps_after = static_cast<double>(view.frames_after) / seconds;
}

/// The command line's run waits until it is known how fast frames come, but not for long.
bool time_to_start(ViewerModel& model) {
    auto& view = model.svd;
    if (!view.due || model.session.samples() == 0) return false;
    if (!model.accumulating()) return true;
    if (view.due_since == Clock::time_point{}) view.due_since = Clock::now();
    constexpr auto kLongest = std::chrono::seconds(5);
    return model.statistics.rate().settled() || Clock::now() - view.due_since >= kLongest;
}

void take_picture(SvdView& view, RankPicture picture) {
    int width = picture.luminance.cols, height = picture.luminance.rows;
    view.preview.extent = {width, height};
    view.preview.rgba.resize(static_cast<std::size_t>(width) * height * 4);
    std::size_t next = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float grey = std::clamp(picture.luminance(y, x), 0.0f, 1.0f);
            auto byte = static_cast<std::uint8_t>(std::lround(255 * grey));
            for (auto channel : {byte, byte, byte, std::uint8_t{255}})
                view.preview.rgba[next++] = channel;
        }
    view.picture = std::move(picture);
    if (view.preview_version == 0) view.reveal = kRevealFrames;
    ++view.preview_version;
    view.settle = std::max(view.settle, kSettleFrames);
}

double of(const SvdOutcome& outcome, const char* key) {
    return outcome.accuracy.is_object() ? outcome.accuracy.value(key, -1.0) : -1.0;
}

/// An empty field where it is not known.
std::string field(double value) {
    return value < 0 ? "" : number(value);
}
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

void copy(ViewerModel& model, const std::string& text, const char* what) {
    if (model.svd.history.empty()) {
        model.messages.info("no decomposition has run yet");
        return;
    }
    model.context.set_clipboard(text);
    model.messages.info("copied " + std::to_string(model.svd.history.size()) +
                        " decompositions as " + what);
}

}  // namespace

void start_svd(ViewerModel& model) {
    auto& view = model.svd;
    view.due = false;
    view.reveal = kRevealFrames;
    if (view.runner.busy()) {
        model.messages.info("a decomposition is running: cancel it first");
        return;
    }
    SvdTask task = view.task;
    try {
        add_inputs(model, task);
    } catch (const std::exception& error) {
        model.messages.error("Cannot decompose", error.what());
        return;
    }
    view.mode = task.mode;
    view.fps_before = model.accumulating() ? model.statistics.rate().per_second() : 0;
    view.frames_during = 0;
    view.measuring_after = false;
    view.started = Clock::now();
    view.runner.start(std::move(task));
}

void start_svd_of(ViewerModel& model, SvdSource source) {
    model.svd.task.source = source;
    start_svd(model);
}

void toggle_svd(ViewerModel& model) {
    auto& view = model.svd;
    if (!view.runner.busy()) return start_svd(model);
    if (auto note = cancel_note(view); !note.empty()) model.messages.info(note);
    view.runner.cancel();
}

bool follow_svd(ViewerModel& model) {
    auto& view = model.svd;
    if (!model.stopped_by.empty()) view.due = false;
    if (time_to_start(model)) start_svd(model);
    if (view.settle > 0) --view.settle;
    if (view.runner.busy()) ++view.frames_during;
    measure_after(model);
    auto outcome = view.runner.take();
    if (outcome) take_outcome(model, std::move(*outcome));
    auto picture = view.runner.take_picture();
    if (picture) take_picture(view, std::move(*picture));
    return outcome || picture;
}

std::string cancel_note(const SvdView& view) {
    if (!view.runner.busy() || !find_row(svd_solvers(), view.mode, "svd mode").peer) return "";
    return view.mode +
           " is a library's: it cannot be stopped in the middle, only let go when it "
           "returns";
}

void show_rank(ViewerModel& model, int rank) {
    auto& view = model.svd;
    view.rank = std::clamp(rank, 1, std::max(view.most_rank, 1));
    view.runner.show_rank(view.rank);
}

HostMatrix<float> luminance_of(Session& session) {
    auto picture = session.film().picture(session.scratch(), session.display_map());
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
    std::string text = "svd: " + o.what + ", " + std::to_string(o.rows) + "x" +
                       std::to_string(o.cols) + " " + o.precision + " by " + o.mode + " on " +
                       o.device;
    if (o.multiprocessors > 0)
        text += ", " + std::to_string(o.multiprocessors) + " multiprocessors";
    text += ": " + (o.error.empty() ? number(o.seconds) + " s" : o.error);
    if (!(o.fps_during > 0)) return text + "; too few frames beside it to tell their rate";
    char rates[128];
    std::snprintf(rates, sizeof rates, "; frames a second: %.1f before, %.1f during (%.0f %%), ",
                  o.fps_before, o.fps_during, 100 * o.fps_during / o.fps_before);
    text += rates;
    std::snprintf(rates, sizeof rates, "%.1f after", o.fps_after);
    return text + (o.fps_after > 0 ? rates : "none after");
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
                "," + field(parts.bidiagonalise) + "," + field(parts.diagonalise) + "," +
                quoted(o.vectors) + "," + quoted(o.what) + "," + field(of(o, "residual")) + "," +
                field(of(o, "orthogonality_u")) + "," + field(of(o, "orthogonality_v")) + "," +
                field(of(o, "value_error")) + "," + (o.fps_during > 0 ? number(o.fps_before) : "") +
                "," + (o.fps_during > 0 ? number(o.fps_during) : "") + "," +
                (o.fps_after > 0 ? number(o.fps_after) : "") + "," + quoted(o.error) + "\n";
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
        if (o.fps_during > 0)
            run["fps"] = {
                {"before", o.fps_before}, {"during", o.fps_during}, {"after", o.fps_after}};
        runs.push_back(std::move(run));
    }
    nlohmann::ordered_json report = {{"schema", 1}, {"kind", "svd-history"}, {"runs", runs}};
    return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void copy_svd_csv(ViewerModel& model) {
    copy(model, history_csv(model.svd), "CSV");
}

void copy_svd_json(ViewerModel& model) {
    copy(model, history_json(model.svd), "JSON");
}

}  // namespace tl
