// `treelight render --frames`: a sequence of pictures, a file each or as a video.
#include <algorithm>
#include <chrono>
#include <optional>

#include "app/commands/render_picture.h"
#include "app/jobs/format.h"
#include "app/jobs/frame_dealer.h"
#include "app/jobs/frame_names.h"
#include "app/jobs/output.h"
#include "app/jobs/scene_warnings.h"
#include "app/jobs/sequence_files.h"
#include "app/jobs/terminal_progress.h"
#include "app/jobs/video_writer.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
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
    SequenceProgress(std::size_t n_frames, LogLines lines)
        : n_frames_(static_cast<double>(n_frames)),
          bar_("frames", static_cast<int>(n_frames), lines) {}

    /// `in_progress`: number of frames that are being rendered, with fractions.
    void show(std::size_t done, double in_progress, const std::string& state) {
        std::chrono::duration<double> seconds = SequenceClock::now() - start_;
        double share = static_cast<double>(done) + in_progress;
        ProgressNotes notes{.state = state};
        if (share > 0) notes.seconds_left = seconds.count() / share * (n_frames_ - share);
        bar_.show(static_cast<int>(done), notes);
    }

  private:
    double n_frames_;
    TerminalProgress bar_;
    SequenceClock::time_point start_ = SequenceClock::now();
};

/// Files of the pictures, or the video.
class SequenceOutput {
  public:
    explicit SequenceOutput(const RenderOptions& o) : path_(o.output), size_(o.size) {
        if (is_video(path_))
            video_.emplace(path_, size_, o.plan.fps);
        else
            names_.emplace(path_);
    }
    [[nodiscard]] bool is_video_file() const { return video_.has_value(); }
    /// Writes the bytes of encode_frame().
    void write(const SequenceFrame& frame, const std::string& bytes) {
        if (video_)
            video_->add({size_, {bytes.begin(), bytes.end()}});
        else
            write_file(names_->of(frame.number), bytes);
    }
    void finish() {
        if (video_) video_->finish();
    }

  private:
    std::string path_;
    Extent size_;
    std::optional<VideoWriter> video_;
    std::optional<FrameNames> names_;
};

/// Bytes of a frame's file, or the pixels of a video's picture.
std::string encode_frame(Session& session, const AovBuffers& layers, const RenderOptions& o) {
    if (!is_video(o.output)) return encode_picture(session, layers, o);
    auto picture = session.display().picture();
    return {picture.rgba.begin(), picture.rgba.end()};
}

[[noreturn]] void report_stop(const std::string& cause, std::size_t done, std::size_t n_frames,
                              bool is_video_file) {
    throw UserError(formatted("stopped by %s after %zu of %zu frames; %s", cause.c_str(), done,
                              n_frames,
                              is_video_file ? "the video was not written"
                                            : "the same command with --resume renders the others"));
}

/// Renders the frames into their files, or into the video.
void render_alone(Session& session, const std::vector<SequenceFrame>& frames,
                  const RenderOptions& o) {
    SequenceProgress progress(frames.size(), LogLines::no);
    InterruptFlag interrupt;
    AovBuffers layers;
    layers.resize(session.stream(), o.size, o.aovs);
    SequenceOutput output(o);
    auto stopped = [&] { return interrupt.is_set(); };
    auto sample = [&](std::size_t before) {
        add_samples(session, o.spp, layers, stopped, [&] {
            progress.show(before, double(session.samples()) / o.spp,
                          formatted("sample %u of %d", session.samples(), o.spp));
        });
    };
    auto write = [&](std::size_t index) {
        output.write(frames[index], encode_frame(session, layers, o));
    };
    auto done = render_frames(session, frames, o.spp,
                              {.sample = sample, .write = write, .stopped = stopped});
    if (done < frames.size())
        report_stop(interrupt.cause(), done, frames.size(), output.is_video_file());
    output.finish();
}

/// Renders the frames that this rank is given; the root writes those of all ranks.
void render_with_others(Session& session, const std::vector<SequenceFrame>& frames,
                        const RenderOptions& o, Ranks& job) {
    RankGroup& ranks = job.all();
    SequenceProgress progress(frames.size(), LogLines::yes);
    InterruptFlag interrupt;
    AovBuffers layers;
    layers.resize(session.stream(), o.size, o.aovs);
    std::optional<SequenceOutput> output;
    if (ranks.is_root()) output.emplace(o);
    FrameDealer dealer(
        ranks, frames.size(), std::chrono::seconds(o.rank_timeout),
        {.write = [&](std::size_t index,
                      const std::string& bytes) { output->write(frames[index], bytes); },
         .show = [&](std::size_t done,
                     double in_progress) { progress.show(done, in_progress, ""); },
         .in_order = is_video(o.output)});
    auto stopped = [&] { return interrupt.is_set() || dealer.has_failed(); };
    auto sample = [&](std::size_t) {
        add_samples(session, o.spp, layers, stopped,
                    [&] { dealer.show(double(session.samples()) / o.spp); });
    };
    auto write = [&](std::size_t index) { dealer.give(index, encode_frame(session, layers, o)); };
    (void)render_frames(session, frames, o.spp,
                        {.sample = sample, .write = write, .stopped = stopped, .next = [&] {
                             return dealer.next();
                         }});
    auto done = dealer.finish(interrupt.is_set());
    job.conclude();
    if (!ranks.is_root()) return;
    if (done < frames.size())
        report_stop(interrupt.is_set() ? interrupt.cause() : "a signal to another rank", done,
                    frames.size(), output->is_video_file());
    output->finish();
}

/// The root's frames, by their numbers, for all ranks.
void share_frames(std::vector<SequenceFrame>& frames, RankGroup& ranks) {
    std::vector<int> numbers;
    for (auto& frame : frames) numbers.push_back(frame.number);
    auto n_frames = static_cast<std::uint64_t>(numbers.size());
    ranks.broadcast(&n_frames, sizeof n_frames, 0);
    numbers.resize(n_frames);
    ranks.broadcast(numbers.data(), numbers.size() * sizeof(int), 0);
    std::erase_if(frames, [&](auto& frame) {
        return !std::binary_search(numbers.begin(), numbers.end(), frame.number);
    });
}

}  // namespace

void render_sequence(const RenderOptions& o) {
    auto plan = plan_of(o);
    auto range = plan.range;
    Ranks* job = open_job(std::chrono::seconds(o.rank_timeout));
    auto frames = frames_of(plan);
    do_together(job, [&] {
        if (!is_root(job)) return;
        SequenceFiles files{o.output, o.resume};
        check_files(files, range);
        leave_out_done(frames, files);
    });
    if (job) share_frames(frames, job->all());
    auto n_there = static_cast<std::size_t>(range.count()) - frames.size();
    if (!frames.empty()) {
        std::unique_ptr<Session> session;
        Warnings warnings;
        do_together(job, [&] {
            session = make_empty_session(o);
            follow_bookmarks(plan, open_document(*session, o).bookmarks);
            apply_region(*session, o);
            place_cameras(frames, plan, session->camera, session->scene().offset, warnings);
        });
        if (is_root(job)) {
            print_scene_warnings(*session);
            print_warnings(warnings.lines());
        }
        auto start = SequenceClock::now();
        if (job)
            render_with_others(*session, frames, o, *job);
        else
            render_alone(*session, frames, o);
        std::chrono::duration<double> seconds = SequenceClock::now() - start;
        if (auto warning = session->inspection().take_warning(true); !warning.empty())
            print_warning(warning);
        const char* at_most = session->film().convergence() ? "at most " : "";
        print("%s: frames %d to %d, %dx%d, %s%d %s a pixel in %.2f s%s%s on %s\n", o.output.c_str(),
              range.first, range.last, o.size.width, o.size.height, at_most, o.spp,
              plural(static_cast<std::size_t>(o.spp), "sample").c_str(), seconds.count(),
              denoised_text(*session).c_str(), ranks_text(job).c_str(),
              session->device().name().c_str());
    }
    if (n_there > 0) print("%zu of %d frames were there already\n", n_there, range.count());
    if (!is_video(o.output))
        print("a video of them: %s\n",
              FrameNames(o.output).video_command(plan.fps, range.first, o.size).c_str());
}

}  // namespace tl
