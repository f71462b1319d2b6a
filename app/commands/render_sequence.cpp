// `treelight render --frames`: a sequence of pictures, a file each or as a video.
#include <chrono>
#include <optional>

#include "app/commands/render_picture.h"
#include "app/jobs/format.h"
#include "app/jobs/frame_names.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_warnings.h"
#include "app/jobs/sequence_files.h"
#include "app/jobs/terminal_progress.h"
#include "app/jobs/video_writer.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "session/add_samples.h"

namespace tl {
namespace {

using SequenceClock = std::chrono::steady_clock;

SequencePlan plan_of(const RenderOptions& o) {
    auto plan = o.plan;
    plan.range = o.frames.value_or(FrameRange{0, plan.turntable - 1});
    plan.time = o.time;
    check_motion(plan, o);
    return plan;
}

/// Shows how many frames are done, and how long all of them will take.
class SequenceProgress {
  public:
    SequenceProgress(std::size_t n_frames, int spp)
        : n_frames_(static_cast<double>(n_frames)),
          spp_(spp),
          bar_("frames", static_cast<int>(n_frames)) {}

    void show(std::size_t done, std::uint32_t samples) {
        std::chrono::duration<double> seconds = SequenceClock::now() - start_;
        double share = static_cast<double>(done) + static_cast<double>(samples) / spp_;
        ProgressNotes notes{.state = formatted("sample %u of %d", samples, spp_)};
        if (share > 0) notes.seconds_left = seconds.count() / share * (n_frames_ - share);
        bar_.show(static_cast<int>(done), notes);
    }

  private:
    double n_frames_;
    int spp_;
    TerminalProgress bar_;
    SequenceClock::time_point start_ = SequenceClock::now();
};

/// Renders the frames into their files, or into the video.
void render_all(Session& session, const std::vector<SequenceFrame>& frames,
                const RenderOptions& o) {
    SequenceProgress progress(frames.size(), o.spp);
    InterruptFlag interrupt;
    AovBuffers layers;
    layers.resize(session.stream(), o.size, o.aovs);
    std::optional<VideoWriter> video;
    std::optional<FrameNames> names;
    if (is_video(o.output))
        video.emplace(o.output, o.size, o.plan.fps);
    else
        names.emplace(o.output);
    auto stopped = [&] { return interrupt.is_set(); };
    auto done = render_frames(session, frames, o.spp,
                              {.sample =
                                   [&](std::size_t before) {
                                       add_samples(session, o.spp, layers, stopped, [&] {
                                           progress.show(before, session.samples());
                                       });
                                   },
                               .write =
                                   [&](const SequenceFrame& frame) {
                                       if (video)
                                           video->add(session.display().picture());
                                       else
                                           write_picture(session, layers, names->of(frame.number));
                                   },
                               .stopped = stopped});
    if (done < frames.size())
        throw UserError(formatted("stopped by %s after %zu of %zu frames; %s",
                                  interrupt.cause().c_str(), done, frames.size(),
                                  video ? "the video was not written"
                                        : "the same command with --resume renders the others"));
    if (video) video->finish();
}

}  // namespace

void render_sequence(const RenderOptions& o) {
    auto plan = plan_of(o);
    auto range = plan.range;
    SequenceFiles files{o.output, o.resume};
    check_files(files, range);
    auto frames = frames_of(plan);
    leave_out_done(frames, files);
    auto n_there = static_cast<std::size_t>(range.count()) - frames.size();
    if (!frames.empty()) {
        auto session = make_empty_session(o);
        follow_bookmarks(plan, open_document(*session, o).bookmarks);
        print_scene_warnings(*session);
        Warnings warnings;
        place_cameras(frames, plan, session->camera, session->scene().offset, warnings);
        print_warnings(warnings.lines());
        auto start = SequenceClock::now();
        render_all(*session, frames, o);
        std::chrono::duration<double> seconds = SequenceClock::now() - start;
        if (auto warning = session->inspection().take_tree_warning(true); !warning.empty())
            print_warning(warning);
        const char* at_most = session->film().convergence() ? "at most " : "";
        print("%s: frames %d to %d, %dx%d, %s%d %s a pixel in %.2f s%s on %s\n", o.output.c_str(),
              range.first, range.last, o.size.width, o.size.height, at_most, o.spp,
              plural(static_cast<std::size_t>(o.spp), "sample").c_str(), seconds.count(),
              denoised_text(*session).c_str(), session->device().name().c_str());
    }
    if (n_there > 0) print("%zu of %d frames were there already\n", n_there, range.count());
    if (!is_video(o.output))
        print("a video of them: %s\n",
              FrameNames(o.output).video_command(plan.fps, range.first, o.size).c_str());
}

}  // namespace tl
