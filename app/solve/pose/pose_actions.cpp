#include "app/solve/pose/pose_actions.h"

#include "app/jobs/format.h"
#include "app/solve/pose/pose_lines.h"
#include "app/solve/pose/pose_problem.h"
#include "app/solve/pose/pose_row.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"

namespace tl {
namespace {

/// The camera of a bookmark, or the one that is shown. Throws UserError if there is none.
Camera camera_of_view(const ViewerModel& model, int number) {
    if (number == PoseView::kCurrentView) return model.view.camera.camera();
    if (auto* found = find_bookmark(model.document.scene.bookmarks, number)) return found->camera;
    throw UserError(formatted(
        "no camera is kept as bookmark %d. Go to the first view and press Ctrl+1, to the second "
        "one and press Ctrl+2; or choose other views.",
        number));
}

void add_views(const ViewerModel& model, PoseTask& task) {
    auto& view = pose_of(model);
    task.first = camera_of_view(model, view.first);
    task.second = camera_of_view(model, view.second);
    task.first_name = name_of_view(model, view.first);
    task.second_name = name_of_view(model, view.second);
    task.picture = model.view.layout.picture.extent();
}

void begin_pose(ViewerModel& model, PoseTask task) {
    auto& view = pose_of(model);
    view.of_scene = model.session.shared_scene();
    auto outcome = expected_outcome(task);
    view.job.start(
        "pose", std::move(outcome),
        [task = std::move(task)](JobRun& run, PoseOutcome& out) { run_pose(task, run, out); },
        frames_before(model));
}

void take_pose(Messages& messages, PoseView& view, PoseOutcome outcome) {
    if (!outcome.error.empty())
        messages.warning("no pose: " + outcome.error);
    else if (outcome.has_pose())
        messages.info(formatted("pose by %s: %.3g degrees off, %.3g ms", outcome.mode.c_str(),
                                outcome.off.rotation, 1000 * outcome.estimate.seconds));
    else
        messages.warning(std::string("no pose: ") + words_of(outcome.estimate.doubt));
    if (!view.history.empty()) view.history.back().shrink();
    view.history.push_back(std::move(outcome));
    view.pointed.reset();
    if (auto& pictures = view.history.back().pictures; pictures.extent.pixels() > 0) {
        view.preview.image = pictures;
        ++view.preview.version;
    }
    show_cameras(view, view.cameras_shown);
    view.settle = kFramesAfterRun;
}

}  // namespace

std::string name_of_view(const ViewerModel& model, int number) {
    if (number == PoseView::kCurrentView) return "the view as it is";
    auto* found = find_bookmark(model.document.scene.bookmarks, number);
    auto text = "bookmark " + std::to_string(number);
    return found && !found->name.empty() ? text + ": " + found->name : text;
}

void start_pose(ViewerModel& model) {
    auto& view = pose_of(model);
    reveal_section(model, "pose");
    if (view.job.busy()) {
        model.status.messages.info("a pose is being estimated: cancel it first");
        return;
    }
    auto task = std::make_shared<PoseTask>(view.task);
    if (!attempt(model.status.messages, "No pose", [&] { add_views(model, *task); })) return;
    // The copy of a large scene takes a while.
    model.gate.edit({.apply = [&model, task] { begin_pose(model, std::move(*task)); },
                     .prepare = [&session = model.session,
                                 task] { task->session = snapshot_of(session, task->first); },
                     .ends = Cancellation::nothing,
                     .title = "copying the scene",
                     .name = "pose"});
}

void toggle_pose(ViewerModel& model) {
    auto& view = pose_of(model);
    if (view.job.busy())
        view.job.cancel();
    else
        start_pose(model);
}

void show_cameras(PoseView& view, bool shown) {
    view.cameras_shown = shown;
    view.lines.ends.clear();
    if (shown && !view.history.empty()) view.lines.ends = view_lines(view.history.back());
    ++view.lines.version;
}

void PoseView::forget() {
    forget_runs(history);
    pointed.reset();
    preview.image = {};
    ++preview.version;
    show_cameras(*this, cameras_shown);
}

bool PoseView::poll(ViewerModel& model) {
    // Another scene has other cameras.
    bool other = !lines.ends.empty() && of_scene.lock() != model.session.shared_scene();
    if (other) {
        lines.ends.clear();
        ++lines.version;
    }
    bool ended = follow_run(*this, model, [&](PoseOutcome outcome) {
        take_pose(model.status.messages, *this, std::move(outcome));
    });
    return ended || other;
}

std::string history_csv(const PoseView& view) {
    std::string text =
        "first,second,source,kind,mode,device,matches,right,noise,outliers,seed,threshold,"
        "rotation_error,direction_error,position_error,focal_error,inliers,right_inliers,rms,"
        "samples,models,seconds,doubt,fps_before,fps_during,fps_after,error\n";
    for (auto& o : view.history) {
        auto& e = o.estimate;
        bool of_scene = o.source == MatchSource::scene;
        text += csv_text(o.first_name) + "," + csv_text(o.second_name) + "," + id_of(o.source) +
                "," + o.kind + "," + o.mode + "," + o.device + ",";
        text += std::to_string(o.n_matches) + "," + std::to_string(o.n_right) + ",";
        text += csv_number(of_scene ? double(o.spec.noise) : -1) + "," +
                csv_number(of_scene ? double(o.spec.outliers) : -1) + "," +
                (of_scene ? std::to_string(o.spec.seed) : "") + "," +
                csv_number(double(o.threshold)) + ",";
        if (o.error.empty())
            text += csv_number(o.off.rotation) + "," + csv_number(o.off.direction) + "," +
                    csv_number(o.off.position) + "," + csv_number(o.off.focal) + "," +
                    std::to_string(e.n_inliers) + "," + std::to_string(o.n_right_found) + "," +
                    csv_number(e.rms) + "," + std::to_string(e.n_samples) + "," +
                    std::to_string(e.n_models) + "," + csv_number(e.seconds);
        else
            text += ",,,,,,,,,";
        text += "," + csv_text(o.error.empty() ? words_of(e.doubt) : "") + "," +
                csv_rates(o.rates) + "," + csv_text(o.error) + "\n";
    }
    return text;
}

std::string history_json(const PoseView& view) {
    auto runs = nlohmann::ordered_json::array();
    for (auto& o : view.history) {
        nlohmann::ordered_json run = {{"first", o.first_name}, {"second", o.second_name},
                                      {"pose", o.kind},        {"mode", o.mode},
                                      {"device", o.device},    {"threshold", o.threshold}};
        run["matches"] = {
            {"source", id_of(o.source)}, {"count", o.n_matches}, {"right", o.n_right}};
        if (o.source == MatchSource::scene)
            run["matches"].update(
                {{"noise", o.spec.noise}, {"outliers", o.spec.outliers}, {"seed", o.spec.seed}});
        if (o.error.empty()) {
            run.update(pose_json(o.estimate, find_row(pose_kinds(), o.kind, "kind of pose").kind));
            run["right_inliers"] = o.n_right_found;
            for (auto [name, value] : {std::pair{"rotation_error", o.off.rotation},
                                       {"direction_error", o.off.direction},
                                       {"position_error", o.off.position},
                                       {"focal_error", o.off.focal}})
                if (value >= 0) run[name] = value;
        } else {
            run["error"] = o.error;
        }
        add_rates(run, o.rates);
        runs.push_back(std::move(run));
    }
    return history_text("pose-history", runs);
}

std::vector<ViewerCommand> pose_commands() {
    std::vector<ViewerCommand> rows{
        {"Run pose, or cancel",
         "Estimate the pose between the panel's two views, or stop it.",
         {{Key::m, Modifiers{}}},
         toggle_pose,
         [](const ViewerModel& m) {
             auto& job = pose_of(m).job;
             return job.busy() ? job.phase() : std::string("idle");
         }},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "Solve", rows);
    return commands;
}

}  // namespace tl
