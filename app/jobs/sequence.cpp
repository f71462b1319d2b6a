#include "app/jobs/sequence.h"

#include <filesystem>
#include <numbers>
#include <optional>

#include "accel/parallel/error.h"
#include "app/jobs/format.h"
#include "app/jobs/video_writer.h"
#include "renderer/scene/toml/camera_path_file.h"

namespace tl {
namespace {

/// Whether a frame's file is there. It is whole then, since files appear only when they are.
bool is_done(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) &&
           std::filesystem::file_size(path, error) > 0;
}

}  // namespace

void check_sequence(const SequencePlan& plan) {
    if (is_video(plan.output)) {
        if (plan.resume)
            throw UsageError(plan.output +
                             ": a video cannot be resumed; write pictures into "
                             "frame_%04d.png");
        return;
    }
    FrameNames names(plan.output);
    if (is_linear_picture(plan.output) && !is_exr(plan.output))
        throw UsageError(plan.output + ": the pictures of a sequence are written as .png or .exr");
    for (int number : {plan.range.first, plan.range.last}) check_picture_path(names.of(number));
}

std::vector<SequenceFrame> frames_of(const SequencePlan& plan) {
    std::optional<FrameNames> names;
    if (plan.resume) names.emplace(plan.output);
    std::vector<SequenceFrame> frames;
    for (int number = plan.range.first; number <= plan.range.last; ++number) {
        if (names && is_done(names->of(number))) continue;
        auto time = double(plan.time) + number / plan.fps;
        frames.push_back({.number = number, .time = static_cast<float>(time), .camera = {}});
    }
    return frames;
}

void place_cameras(std::vector<SequenceFrame>& frames, const SequencePlan& plan,
                   const Camera& start, const glm::dvec3& offset, Warnings& warnings) {
    std::optional<CameraPath> path;
    if (!plan.camera_path.empty())
        path = read_camera_path(plan.camera_path, start, offset, warnings);
    else if (!plan.cameras.empty())
        path.emplace(plan.cameras);
    auto name = plan.camera_path.empty() ? "the camera path" : plan.camera_path;
    for (auto& frame : frames) {
        frame.camera = start;
        if (path) frame.camera = path->at(double(frame.time));
        if (plan.turntable > 0)
            frame.camera = turned_about_target(
                start, 2 * std::numbers::pi * (frame.number % plan.turntable) / plan.turntable);
        if (auto fault = camera_fault(frame.camera); !fault.empty())
            throw UserError(formatted("%s: at %g s %s; add a camera near that time", name.c_str(),
                                      double(frame.time), fault.c_str()));
    }
}

std::size_t render_frames(Session& session, const std::vector<SequenceFrame>& frames, int spp,
                          const SequenceWork& work) {
    std::size_t done = 0;
    while (done < frames.size()) {
        auto& frame = frames[done];
        session.camera = frame.camera;
        session.time = frame.time;
        // Nothing is left of the frame before, so that a sequence that is gone on with is the same.
        session.restart();
        session.live_scene().invalidate_tree();
        work.sample(done);
        bool whole = session.samples() >= static_cast<std::uint32_t>(spp) ||
                     (session.samples() > 0 && session.finished());
        if (whole) work.write(frame);
        if (!whole) return done;
        ++done;
        if (work.stopped()) return done;
    }
    return done;
}

}  // namespace tl
