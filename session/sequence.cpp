#include "session/sequence.h"

#include <memory>
#include <numbers>
#include <optional>

#include "core/base/text.h"
#include "renderer/scene/toml/camera_path_file.h"

namespace tl {
namespace {

constexpr int kLastFrame = 9'999'999;

/// The turntable's camera from a frame on.
MovingCamera turning_camera(const SequenceFrame& frame, const SequencePlan& plan,
                            const Camera& start) {
    double first = 2 * std::numbers::pi * (frame.number % plan.turntable) / plan.turntable;
    double per_second = 2 * std::numbers::pi * double(plan.fps) / plan.turntable;
    return [=, from = double(frame.time)](double time) {
        return turned_about_target(start, first + (time - from) * per_second);
    };
}

}  // namespace

FrameRange parse_frame_range(const std::string& text) {
    auto colon = text.find(':');
    auto first = number_in<int>(std::string_view(text).substr(0, colon));
    auto last = colon == std::string::npos
                    ? std::nullopt
                    : number_in<int>(std::string_view(text).substr(colon + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kLastFrame)
        throw UserError("'" + text + "' is not FIRST:LAST, two numbers from 0 to " +
                        std::to_string(kLastFrame) + " such as 0:99");
    return {*first, *last};
}

Settings sequence_settings(SequencePlan& plan) {
    constexpr int kMostFrames = 1'000'000;
    static const SettingsOf<SequencePlan> all{
        {"fps", &SequencePlan::fps, 1e-3f, 1e6f, "n",
         "frames a second: frame K shows the time K / fps; default: 30"},
        {"turntable", &SequencePlan::turntable, 1, kMostFrames, "n",
         "the camera turns once about the axis through its target in this number of frames; "
         "frames are 0 to the last of them unless given"},
        {"bookmark-seconds", &SequencePlan::bookmark_seconds, 1e-3f, 1e6f, "seconds",
         "the camera goes through the scene's bookmarks, by number, in so many seconds from "
         "each to the next"},
    };
    return all.of(plan);
}

void check_motion(const SequencePlan& plan, const SessionOptions& view) {
    bool has_path = !plan.camera_path.empty(), has_bookmarks = plan.bookmark_seconds > 0;
    if (int(has_path) + int(has_bookmarks) + int(plan.turntable > 0) > 1)
        throw UsageError("camera-path, bookmark-seconds and turntable exclude each other");
    if ((has_path || has_bookmarks) && !(view.eye.empty() && view.target.empty()))
        throw UsageError("camera-path and bookmark-seconds exclude eye and target");
}

void follow_bookmarks(SequencePlan& plan, const Bookmarks& bookmarks) {
    if (plan.bookmark_seconds <= 0) return;
    if (bookmarks.size() < 2)
        throw UserError(
            "a path needs two bookmarks at least: [[bookmark]] in the scene's file, or Ctrl+1 to "
            "Ctrl+9 in the viewer");
    plan.cameras.clear();
    for (auto& bookmark : bookmarks) {
        auto n_before = static_cast<double>(plan.cameras.size());
        plan.cameras.push_back({n_before * double(plan.bookmark_seconds), bookmark.camera});
    }
}

std::vector<SequenceFrame> frames_of(const SequencePlan& plan) {
    std::vector<SequenceFrame> frames;
    for (int number = plan.range.first; number <= plan.range.last; ++number) {
        auto time = double(plan.time) + number / double(plan.fps);
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
    MovingCamera along_path;
    if (path)
        along_path = [path = std::make_shared<const CameraPath>(*path)](double time) {
            return path->at(time);
        };
    for (auto& frame : frames) {
        frame.camera = path ? path->at(double(frame.time)) : start;
        frame.moving_camera = along_path;
        if (plan.turntable > 0) {
            frame.moving_camera = turning_camera(frame, plan, start);
            frame.camera = frame.moving_camera(double(frame.time));
        }
        if (auto fault = camera_fault(frame.camera); !fault.empty())
            throw UserError(name + ": at " + number_text(frame.time) + " s " + fault +
                            "; add a camera near that time");
    }
}

void show_frame(Session& session, const SequenceFrame& frame) {
    session.camera = frame.camera;
    session.moving_camera = frame.moving_camera;
    session.time = frame.time;
    // Nothing is left of the frame before, so that a sequence that is gone on with is the same.
    session.restart();
    session.invalidate_trees();
}

std::size_t render_frames(Session& session, const std::vector<SequenceFrame>& frames, int spp,
                          const SequenceWork& work) {
    std::size_t done = 0;
    auto in_order = [&] { return done < frames.size() ? std::optional(done) : std::nullopt; };
    while (auto index = work.next ? work.next() : in_order()) {
        show_frame(session, frames[*index]);
        work.sample(*index);
        bool whole = session.samples() >= static_cast<std::uint32_t>(spp) ||
                     (session.samples() > 0 && session.finished());
        if (!whole) return done;
        work.write(*index);
        ++done;
        if (work.stopped()) return done;
    }
    return done;
}

}  // namespace tl
