#include "app/viewer/files/sequence_export.h"

#include <cmath>
#include <optional>

#include "app/jobs/format.h"
#include "app/jobs/frame_names.h"
#include "app/jobs/time_left.h"
#include "app/jobs/video_writer.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "core/device/background.h"

namespace tl {

namespace {

/// Renders the sequence, in the job's thread. Returns the number of frames.
std::size_t render_request(JobRun& run, const SessionSnapshot& shot, const SequenceRequest& request,
                           const std::atomic<Cancellation>* cancellation) {
    std::optional<YieldingTeam> team;
    if (shot.device->kind() == DeviceKind::cpu) team.emplace();
    run.enter("preparing");
    auto session = session_of(shot, request.size);
    session->cancellation = cancellation;
    Warnings ignored;
    auto frames = frames_of(request.plan);
    leave_out_done(frames, request.files);
    place_cameras(frames, request.plan, shot.camera, session->scene().offset, ignored);
    std::optional<VideoWriter> video;
    std::optional<FrameNames> names;
    if (is_video(request.files.output))
        video.emplace(request.files.output, request.size, request.plan.fps);
    else
        names.emplace(request.files.output);
    run.enter("rendering");
    auto finished = [&] { return session->samples() > 0 && session->finished(); };
    auto n_frames = static_cast<double>(frames.size());
    auto sample = [&](std::size_t done) {
        while (session->samples() < static_cast<std::uint32_t>(request.spp) && !finished()) {
            session->begin_frame();
            session->render_frame();
            session->end_frame();
            session->stream().synchronize();
            run.report((static_cast<double>(done) + double(session->samples()) / request.spp) /
                       n_frames);
        }
    };
    auto write = [&](std::size_t index) {
        if (video)
            video->add(session->display().picture());
        else
            save_film(*session, names->of(frames[index].number));
    };
    auto done = render_frames(*session, frames, request.spp,
                              {.sample = sample, .write = write, .stopped = [] { return false; }});
    if (video) video->finish();
    return done;
}

}  // namespace

void SequenceExport::choose(CameraMotion kind) {
    choices.kind = kind;
    if (kind == CameraMotion::bookmarks) choices.all = true;
}

bool SequenceExport::has_end(const ViewerModel& model) const {
    return model.moves() || choices.kind == CameraMotion::bookmarks;
}

void SequenceExport::count_frames(const ViewerModel& model) {
    if (choices.all && has_end(model)) choices.frames = frames_of_all(model);
}

int SequenceExport::frames_of_all(const ViewerModel& model) const {
    if (choices.kind != CameraMotion::bookmarks)
        return std::max(
            1, static_cast<int>(std::lround(model.session.scene().duration * choices.fps)));
    auto gaps = std::max<std::size_t>(model.document.scene.bookmarks.size(), 1) - 1;
    auto seconds = static_cast<float>(gaps) * choices.bookmark_seconds;
    return static_cast<int>(std::lround(seconds * choices.fps)) + 1;
}

void SequenceExport::start(ViewerModel& model) {
    if (active())
        return model.status.messages.warning(
            "no sequence was begun: one is still being rendered to " + output_);
    auto kind = choices.kind;
    count_frames(model);
    SequenceRequest request{
        .plan = {.range = {0, choices.frames - 1},
                 .fps = choices.fps,
                 .camera_path = kind == CameraMotion::path ? with_home(choices.camera_path) : "",
                 .bookmark_seconds = kind == CameraMotion::bookmarks ? choices.bookmark_seconds : 0,
                 .turntable = kind == CameraMotion::turntable ? choices.frames : 0},
        .files = {with_home(choices.output), choices.resume},
        .size = choices.size.pixels() > 0 ? choices.size : model.view.layout.picture.extent(),
        .spp = choices.spp};
    bool ok = attempt(model.status.messages, "Cannot render the sequence", [&] {
        check_files(request.files, request.plan.range);
        if (kind == CameraMotion::path && request.plan.camera_path.empty())
            throw UserError("name a file of cameras with times, such as path.toml");
        follow_bookmarks(request.plan, model.document.scene.bookmarks);
    });
    if (!ok) return;
    starting_ = true;
    cancelled_ = false;
    n_frames_ = request.plan.range.count();
    output_ = request.files.output;
    auto shot = std::make_shared<SessionSnapshot>();
    auto dropped = [this, &model] {
        starting_ = false;
        model.status.messages.info("the sequence was cancelled");
    };
    // The copy of a large scene takes a while.
    model.gate.edit({.apply =
                         [this, shot, request, dropped] {
                             if (cancelled_) return dropped();
                             render(std::move(*shot), request);
                         },
                     .prepare = [&session = model.session, camera = model.view.camera.camera(),
                                 shot] { *shot = snapshot_of(session, camera); },
                     .ends = Cancellation::nothing,
                     .title = "copying the scene",
                     .name = "sequence",
                     .cancelled = dropped});
}

void SequenceExport::render(SessionSnapshot shot, const SequenceRequest& request) {
    starting_ = false;
    cancellation_ = std::make_shared<std::atomic<Cancellation>>(Cancellation::nothing);
    job_.start("sequence", Result{},
               [shot = std::move(shot), request, cancellation = cancellation_](JobRun& run,
                                                                               Result& result) {
                   result.n_frames = render_request(run, shot, request, cancellation.get());
               });
}

void SequenceExport::cancel() {
    cancelled_ = starting_;
    job_.cancel();
    *cancellation_ = Cancellation::everything;
}

bool SequenceExport::poll(ViewerModel& model) {
    auto ended = job_.take();
    if (!ended) return false;
    if (ended->error.empty())
        model.status.messages.wrote(formatted("wrote %zu frames:", ended->result.n_frames),
                                    absolute_path(output_).string());
    else if (ended->cancelled)
        model.status.messages.info("the sequence was cancelled");
    else
        model.status.messages.error("Cannot render the sequence", ended->error);
    return true;
}

std::string SequenceExport::unfinished_file() const {
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
