// `treelight render --frames`: a sequence of pictures, a file each, that can be gone on with after
// it was interrupted. A frame does not depend on those before it.
#include <chrono>
#include <filesystem>
#include <numbers>

#include "accel/parallel/console.h"
#include "accel/parallel/error.h"
#include "app/commands/render_picture.h"
#include "app/jobs/format.h"
#include "app/jobs/output.h"
#include "app/jobs/terminal_progress.h"
#include "renderer/scene/toml/camera_path_file.h"

namespace tl {
namespace {

using SequenceClock = std::chrono::steady_clock;

/// A frame with what it shows.
struct SequenceFrame {
    int number = 0;
    float time = 0;
    Camera camera;
};

FrameRange range_of(const RenderOptions& o) {
    return o.frames.value_or(FrameRange{0, o.turntable - 1});
}

/// Whether a frame's file is there. It is whole then, since files appear only when they are.
bool is_done(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) &&
           std::filesystem::file_size(path, error) > 0;
}

std::vector<SequenceFrame> missing_frames(const RenderOptions& o, const FrameNames& names) {
    std::vector<SequenceFrame> frames;
    auto range = range_of(o);
    for (int number = range.first; number <= range.last; ++number) {
        if (o.resume && is_done(names.of(number))) continue;
        auto time = double(o.time) + number / o.fps;
        frames.push_back({.number = number, .time = static_cast<float>(time), .camera = {}});
    }
    return frames;
}

/// Places the camera of every frame. Throws UserError for one that cannot be used.
void place_cameras(std::vector<SequenceFrame>& frames, const RenderOptions& o,
                   const Camera& start) {
    Warnings warnings;
    std::optional<CameraPath> path;
    if (!o.camera_path.empty()) path = read_camera_path(o.camera_path, start, warnings);
    print_warnings(warnings.lines());
    for (auto& frame : frames) {
        frame.camera = start;
        if (path) frame.camera = path->at(double(frame.time));
        if (o.turntable > 0)
            frame.camera = turned_about_target(
                start, 2 * std::numbers::pi * (frame.number % o.turntable) / o.turntable);
        if (auto fault = camera_fault(frame.camera); !fault.empty())
            throw UserError(formatted("%s: at %g s %s; add a camera near that time",
                                      o.camera_path.c_str(), double(frame.time), fault.c_str()));
    }
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

/// Renders the frames in turn.
void render_frames(Session& session, const std::vector<SequenceFrame>& frames,
                   const RenderOptions& o, const FrameNames& names) {
    SequenceProgress progress(frames.size(), o.spp);
    InterruptFlag interrupt;
    AovBuffers layers;
    layers.resize(session.stream(), o.size, o.aovs);
    for (std::size_t done = 0; done < frames.size(); ++done) {
        auto& frame = frames[done];
        session.camera = frame.camera;
        session.time = frame.time;
        // Nothing is left of the frame before, so that a sequence that is gone on with is the same.
        session.restart();
        session.live_scene().invalidate_tree();
        add_samples(session, o.spp, layers, interrupt,
                    [&] { progress.show(done, session.samples()); });
        bool whole = session.samples() >= static_cast<std::uint32_t>(o.spp) ||
                     (session.samples() > 0 && session.finished());
        if (whole) write_picture(session, layers, names.of(frame.number));
        if (interrupt.is_set() && !(whole && done + 1 == frames.size()))
            throw UserError(
                formatted("stopped by %s after %zu of %zu frames; "
                          "the same command with --resume renders the others",
                          interrupt.cause().c_str(), done + (whole ? 1 : 0), frames.size()));
    }
}

}  // namespace

void render_sequence(const RenderOptions& o) {
    FrameNames names(o.output);
    if (is_linear_picture(o.output) && !is_exr(o.output))
        throw UsageError(o.output + ": the pictures of a sequence are written as .png or .exr");
    auto range = range_of(o);
    for (int number : {range.first, range.last}) check_picture_path(names.of(number));
    auto frames = missing_frames(o, names);
    auto n_there = static_cast<std::size_t>(range.count()) - frames.size();
    if (!frames.empty()) {
        auto session = make_session(o);
        print_warnings(session->scene().warnings.lines());
        place_cameras(frames, o, session->camera);
        auto start = SequenceClock::now();
        render_frames(*session, frames, o, names);
        std::chrono::duration<double> seconds = SequenceClock::now() - start;
        if (auto warning = session->take_tree_warning(true); !warning.empty())
            print_warning(warning);
        const char* at_most = session->film().convergence() ? "at most " : "";
        print("%s: frames %d to %d, %dx%d, %s%d samples a pixel in %.2f s on %s\n",
              o.output.c_str(), range.first, range.last, o.size.width, o.size.height, at_most,
              o.spp, seconds.count(), session->device().name().c_str());
    }
    if (n_there > 0) print("%zu of %d frames were there already\n", n_there, range.count());
    print("a video of them: %s\n", names.video_command(o.fps, range.first, o.size).c_str());
}

}  // namespace tl
