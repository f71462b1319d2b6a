#include "app/viewer/files/sequence_export.h"

#include <cmath>
#include <optional>

#include "accel/parallel/background.h"
#include "accel/parallel/paths.h"
#include "app/jobs/format.h"
#include "app/jobs/time_left.h"
#include "app/jobs/video_writer.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {

namespace {

/// The cameras that were kept, one after the other.
std::vector<TimedCamera> path_of_bookmarks(const Bookmarks& bookmarks, float seconds) {
    if (bookmarks.size() < 2)
        throw UserError("a path needs two bookmarks at least: Ctrl+1 to Ctrl+9 keep the camera");
    std::vector<TimedCamera> cameras;
    for (auto& bookmark : bookmarks)
        cameras.push_back({static_cast<double>(cameras.size()) * double(seconds), bookmark.camera});
    return cameras;
}

/// Renders the sequence, in the job's thread. Returns the number of frames.
std::size_t render_plan(JobRun& run, const SessionSnapshot& shot, const SequencePlan& plan,
                        Extent size, const std::atomic<Abandon>* abandon) {
    std::optional<YieldingTeam> team;
    if (shot.device->kind() == DeviceKind::cpu) team.emplace();
    run.enter("preparing");
    auto session = session_of(shot, size);
    session->abandon = abandon;
    Warnings ignored;
    auto frames = frames_of(plan);
    place_cameras(frames, plan, shot.camera, session->scene().offset, ignored);
    std::optional<VideoWriter> video;
    std::optional<FrameNames> names;
    if (is_video(plan.output))
        video.emplace(plan.output, size, plan.fps);
    else
        names.emplace(plan.output);
    run.enter("rendering");
    auto finished = [&] { return session->samples() > 0 && session->finished(); };
    auto n_frames = static_cast<double>(frames.size());
    auto sample = [&](std::size_t done) {
        while (session->samples() < static_cast<std::uint32_t>(plan.spp) && !finished()) {
            session->begin_frame();
            session->render_frame();
            session->end_frame();
            session->stream().synchronize();
            run.report((static_cast<double>(done) + double(session->samples()) / plan.spp) /
                       n_frames);
        }
    };
    auto write = [&](const SequenceFrame& frame) {
        if (video)
            video->add(session->picture());
        else
            save_film(*session, names->of(frame.number));
    };
    auto done = render_frames(*session, frames, plan.spp,
                              {.sample = sample, .write = write, .stopped = [] { return false; }});
    if (video) video->finish();
    return done;
}

}  // namespace

int SequenceExport::frames_of_all(const ViewerModel& model) const {
    if (choices.kind != SequenceKind::bookmarks)
        return std::max(
            1, static_cast<int>(std::lround(model.session.scene().duration * choices.fps)));
    auto gaps = std::max<std::size_t>(model.document.bookmarks.size(), 1) - 1;
    auto seconds = static_cast<float>(gaps) * choices.bookmark_seconds;
    return static_cast<int>(std::lround(seconds * choices.fps)) + 1;
}

void SequenceExport::start(ViewerModel& model) {
    SequencePlan plan{
        .range = {0, choices.frames - 1},
        .fps = double(choices.fps),
        .camera_path = choices.kind == SequenceKind::path ? with_home(choices.camera_path) : "",
        .turntable = choices.kind == SequenceKind::turntable ? choices.frames : 0,
        .spp = choices.spp,
        .output = with_home(choices.output),
        .resume = choices.resume};
    bool ok = attempt(model, "Cannot render the sequence", [&] {
        check_sequence(plan);
        if (choices.kind == SequenceKind::path && plan.camera_path.empty())
            throw UserError("name a file of cameras with times, such as path.toml");
        if (choices.kind == SequenceKind::bookmarks)
            plan.cameras = path_of_bookmarks(model.document.bookmarks, choices.bookmark_seconds);
    });
    if (!ok) return;
    cancel();
    Extent size = choices.size.pixels() > 0 ? choices.size : model.layout.picture.extent();
    auto shot = std::make_shared<SessionSnapshot>();
    // The copy of a large scene takes a while.
    model.gate.edit({.apply = [this, shot, plan, size] { render(std::move(*shot), plan, size); },
                     .prepare = [&session = model.session, camera = model.camera.camera(),
                                 shot] { *shot = snapshot_of(session, camera); },
                     .ends = Abandon::nothing,
                     .title = "copying the scene",
                     .name = "sequence",
                     .cancelled = [&model] { model.messages.info("the sequence was cancelled"); }});
}

void SequenceExport::render(SessionSnapshot shot, const SequencePlan& plan, Extent size) {
    abandon_ = std::make_shared<std::atomic<Abandon>>(Abandon::nothing);
    n_frames_ = plan.range.count();
    output_ = plan.output;
    job_.start(
        "sequence", Result{},
        [shot = std::move(shot), plan, size, abandon = abandon_](JobRun& run, Result& result) {
            result.n_frames = render_plan(run, shot, plan, size, abandon.get());
        });
}

void SequenceExport::cancel() {
    job_.cancel();
    *abandon_ = Abandon::everything;
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

std::string SequenceExport::progress_text() const {
    if (!job_.busy()) return "";
    double share = double(job_.progress());
    auto text = formatted("%d of %d frames", static_cast<int>(share * n_frames_), n_frames_);
    if (share <= 0) return text + ", " + job_.phase();
    return text + formatted(", %.0f s left", job_.seconds() * (1 - share) / share);
}

}  // namespace tl
