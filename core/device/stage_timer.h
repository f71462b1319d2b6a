// Times the named stages of a frame on its device (CUDA events or the CPU's steady clock) without
// ever waiting: a frame's times are read some frames later, once the device has passed its events.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// Category of a stage, so that times can be grouped whatever the stages' names are.
enum class StageKind : std::uint8_t {
    other,    ///< none of these, or part of an enclosing stage
    scene,    ///< motion, boxes and order of primitives, trees of instanced meshes and of patches
    build,    ///< building the scene's tree
    refit,    ///< refitting the scene's tree to new boxes
    trace,    ///< a sample of the picture: rays and their shading
    display,  ///< from the film to the screen or to an encoded image
    frame,    ///< the whole frame
};

/// Whether the stage works on the scene, so that its time does not depend on the image size.
[[nodiscard]] constexpr bool is_of_scene(StageKind kind) {
    return kind == StageKind::scene || kind == StageKind::build || kind == StageKind::refit;
}

/// One stage of a finished frame.
struct StageTime {
    std::string name;
    float milliseconds = 0;
    StageKind kind = StageKind::other;
};

class StageTimer {
  public:
    explicit StageTimer(Stream& stream) : stream_(stream) {}

    /// While disabled, frames and stages are not timed and cost nothing. Not within a frame.
    void enable(bool on) { enabled_ = on; }
    /// Starts a frame's record and collects the frames that have finished in the meantime.
    void begin_frame();
    void end_frame();
    /// Times the work from here to the end of the scope under `name`.
    class Scope {
      public:
        Scope(StageTimer& timer, const char* name, StageKind kind = StageKind::other);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        StageTimer& timer_;
        std::size_t stage_;
    };

    /// Until the end of the scope, stages run on `stream`; the timer's stream must wait for its
    /// work before the frame ends. Such stages may overlap the previous frame, so the times of a
    /// frame's stages can add up to more than the frame took.
    class OnStream {
      public:
        OnStream(StageTimer& timer, Stream& stream)
            : timer_(timer), before_(std::exchange(timer.stages_on_, &stream)) {}
        ~OnStream() { timer_.stages_on_ = before_; }
        OnStream(const OnStream&) = delete;
        OnStream& operator=(const OnStream&) = delete;

      private:
        StageTimer& timer_;
        Stream* before_;
    };

    /// The stages of the newest finished frame in the order in which they first ran; times under
    /// the same name are added, and the last row is "frame".
    [[nodiscard]] const std::vector<StageTime>& latest() const { return latest_; }
    /// Number of frames collected so far.
    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    /// Waits for the device and collects every frame.
    void flush();

  private:
    struct Stage {
        const char* name;
        StageKind kind;
        std::unique_ptr<Event> begin, end;
    };
    struct FrameRecord {
        std::vector<Stage> stages;
        std::size_t n_stages = 0;
    };
    std::size_t begin_stage(const char* name, StageKind kind);
    void end_stage(std::size_t stage);
    void collect();

    static constexpr std::size_t kNotTimed = ~std::size_t{0};
    Stream& stream_;
    Stream* stages_on_ = &stream_;
    bool enabled_ = true;
    FrameRecord current_;
    std::deque<FrameRecord> pending_;
    std::vector<FrameRecord> spare_;  // records whose events are reused
    std::vector<StageTime> latest_;
    std::uint64_t frames_ = 0;
};

}  // namespace tl
