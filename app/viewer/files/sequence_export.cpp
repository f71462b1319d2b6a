#include "app/viewer/files/sequence_export.h"

#include <cmath>
#include <optional>

#include "accel/parallel/background.h"
#include "accel/parallel/paths.h"
#include "app/jobs/format.h"
#include "app/jobs/frame_names.h"
#include "app/jobs/time_left.h"
#include "app/jobs/video_writer.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {

namespace {

/// Renders the sequence, in the job's thread. Returns the number of frames.
std::size_t render_order(JobRun& run, const SessionSnapshot& shot, const SequenceOrder& order,
                         const std::atomic<Cancellation>* cancellation) {
    std::optional<YieldingTeam> team;
    if (shot.device->kind() == DeviceKind::cpu) team.emplace();
    run.enter("preparing");
    auto session = session_of(shot, order.size);
    session->cancellation = cancellation;
    Warnings ignored;
    auto frames = frames_of(order.plan);
    leave_out_done(frames, order.files);
    place_cameras(frames, order.plan, shot.camera, session->scene().offset, ignored);
    std::optional<VideoWriter> video;
    std::optional<FrameNames> names;
    if (is_video(order.files.output))
        video.emplace(order.files.output, order.size, order.plan.fps);
    else
        names.emplace(order.files.output);
    run.enter("rendering");
    auto finished = [&] { return session->samples() > 0 && session->finished(); };
    auto n_frames = static_cast<double>(frames.size());
    auto sample = [&](std::size_t done) {
        while (session->samples() < static_cast<std::uint32_t>(order.spp) && !finished()) {
            session->begin_frame();
            session->render_frame();
            session->end_frame();
            session->stream().synchronize();
            run.report((static_cast<double>(done) + double(session->samples()) / order.spp) /
                       n_frames);
        }
    };
    auto write = [&](const SequenceFrame& frame) {
        if (video)
            video->add(session->picture());
        else
            save_film(*session, names->of(frame.number));
    };
    auto done = render_frames(*session, frames, order.spp,
                              {.sample = sample, .write = write, .stopped = [] { return false; }});
    if (video) video->finish();
    return done;
}

}  // namespace

void SequenceExport::choose(SequenceKind kind) {
    choices.kind = kind;
    if (kind == SequenceKind::bookmarks) choices.all = true;
}

bool SequenceExport::has_end(const ViewerModel& model) const {
    return model.moves() || choices.kind == SequenceKind::bookmarks;
}

void SequenceExport::count_frames(const ViewerModel& model) {
    if (choices.all && has_end(model)) choices.frames = frames_of_all(model);
}

int SequenceExport::frames_of_all(const ViewerModel& model) const {
    if (choices.kind != SequenceKind::bookmarks)
        return std::max(
            1, static_cast<int>(std::lround(model.session.scene().duration * choices.fps)));
    auto gaps = std::max<std::size_t>(model.document.bookmarks.size(), 1) - 1;
    auto seconds = static_cast<float>(gaps) * choices.bookmark_seconds;
    return static_cast<int>(std::lround(seconds * choices.fps)) + 1;
}

void SequenceExport::start(ViewerModel& model) {
    if (active())
        return model.messages.warning("no sequence was begun: one is still being rendered to " +
                                      output_);
    auto kind = choices.kind;
    count_frames(model);
    SequenceOrder order{
        .plan = {.range = {0, choices.frames - 1},
                 .fps = choices.fps,
                 .camera_path = kind == SequenceKind::path ? with_home(choices.camera_path) : "",
                 .bookmark_seconds = kind == SequenceKind::bookmarks ? choices.bookmark_seconds : 0,
                 .turntable = kind == SequenceKind::turntable ? choices.frames : 0},
        .files = {with_home(choices.output), choices.resume},
        .size = choices.size.pixels() > 0 ? choices.size : model.layout.picture.extent(),
        .spp = choices.spp};
    bool ok = attempt(model, "Cannot render the sequence", [&] {
        check_files(order.files, order.plan.range);
        if (kind == SequenceKind::path && order.plan.camera_path.empty())
            throw UserError("name a file of cameras with times, such as path.toml");
        follow_bookmarks(order.plan, model.document.bookmarks);
    });
    if (!ok) return;
    starting_ = true;
    cancelled_ = false;
    n_frames_ = order.plan.range.count();
    output_ = order.files.output;
    auto shot = std::make_shared<SessionSnapshot>();
    auto dropped = [this, &model] {
        starting_ = false;
        model.messages.info("the sequence was cancelled");
    };
    // The copy of a large scene takes a while.
    model.gate.edit({.apply =
                         [this, shot, order, dropped] {
                             if (cancelled_) return dropped();
                             render(std::move(*shot), order);
                         },
                     .prepare = [&session = model.session, camera = model.camera.camera(),
                                 shot] { *shot = snapshot_of(session, camera); },
                     .ends = Cancellation::nothing,
                     .title = "copying the scene",
                     .name = "sequence",
                     .cancelled = dropped});
}

void SequenceExport::render(SessionSnapshot shot, const SequenceOrder& order) {
    starting_ = false;
    cancellation_ = std::make_shared<std::atomic<Cancellation>>(Cancellation::nothing);
    job_.start(
        "sequence", Result{},
        [shot = std::move(shot), order, cancellation = cancellation_](JobRun& run, Result& result) {
            result.n_frames = render_order(run, shot, order, cancellation.get());
        });
}

void SequenceExport::cancel() {
    cancelled_ = starting_;
    job_.cancel();
    *cancellation_ = Cancellation::everything;
}

bool SequenceExport::follow(ViewerModel& model) {
    auto ended = job_.take();
    if (!ended) return false;
    if (ended->error.empty())
        model.messages.info(
            formatted("wrote %zu frames: %s", ended->result.n_frames, output_.c_str()));
    else if (ended->error == SolverCancelled().what())
        model.messages.info("the sequence was cancelled");
    else
        model.messages.error("Cannot render the sequence", ended->error);
    return true;
}

std::string SequenceExport::writing() const {
    return active() ? "the sequence " + output_ + " (" + progress_text() + ")" : "";
}

std::string SequenceExport::progress_text() const {
    if (starting_) return formatted("%d frames, copying the scene", n_frames_);
    if (!job_.busy()) return "";
    double share = double(job_.progress());
    auto text = formatted("%d of %d frames", static_cast<int>(share * n_frames_), n_frames_);
    if (share <= 0) return text + ", " + job_.phase();
    return text + formatted(", %.0f s left", job_.seconds() * (1 - share) / share);
}

}  // namespace tl
