// Exports sequences of pictures from the viewer. A second session in a thread of its own renders
// the session's scene and settings into files or a video, while the interface continues.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/jobs/sequence_files.h"
#include "app/viewer/viewer_interface.h"
#include "session/session_copy.h"

namespace tl {

/// Motion of a sequence, besides that of the scene itself.
enum class CameraMotion { still, turntable, path, bookmarks };

/// A sequence to be rendered.
struct SequenceRequest {
    SequencePlan plan;
    SequenceFiles files;
    Extent size;
    int spp = 1;
};

/// State of the panel's section Sequence: the choices, and the background job.
class SequenceExport final : public SectionState {
  public:
    struct Choices {
        CameraMotion kind = CameraMotion::still;
        int frames = 60;
        bool all = false;  ///< the whole motion: count_frames() then sets `frames`
        float fps = 30;
        int spp = 16;
        Extent size{};  ///< {0, 0}: the size of the picture
        std::string camera_path;
        float bookmark_seconds = 2;  ///< duration between consecutive bookmarks, s
        std::string output = "sequence_%04d.png";
        bool resume = false;
    } choices;

    bool poll(ViewerModel& model) override;
    [[nodiscard]] bool active() const override { return starting_ || job_.busy(); }
    [[nodiscard]] std::string unfinished_file() const override;
    void close() override { cancel(); }
    ~SequenceExport() override { cancel(); }

    /// Starts rendering. Errors are shown as messages, as is a call while another sequence is in
    /// progress.
    void start(ViewerModel& model);
    /// Requests cancellation without waiting; rendering ends within milliseconds on the CPU.
    /// Completed pictures stay.
    void cancel();
    [[nodiscard]] float progress() const { return job_.progress(); }
    /// "12 of 60 frames, 40 s left"; "" while no sequence is being rendered.
    [[nodiscard]] std::string progress_text() const;
    /// Chooses the motion. Choosing the path through the bookmarks also selects the whole motion.
    void choose(CameraMotion kind);
    /// Whether the sequence has a motion with an end: of the scene, or through the bookmarks.
    [[nodiscard]] bool has_end(const ViewerModel& model) const;
    /// Updates the number of frames where all are requested.
    void count_frames(const ViewerModel& model);

  private:
    /// Frames of the whole motion: of the scene, or of the camera through all bookmarks.
    [[nodiscard]] int frames_of_all(const ViewerModel& model) const;
    void render(SessionSnapshot shot, const SequenceRequest& request);

    struct Result {
        std::size_t n_frames = 0;
    };
    bool starting_ = false;   // the scene has still to be copied
    bool cancelled_ = false;  // before it was copied
    int n_frames_ = 0;        // of the sequence in progress
    std::string output_;
    std::shared_ptr<std::atomic<Cancellation>> cancellation_ =
        std::make_shared<std::atomic<Cancellation>>(Cancellation::nothing);
    BackgroundJob<Result> job_;
};

}  // namespace tl
