// Measurements and reports of the viewer: messages, times, counts, memory. No GL, no ImGui.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accel/bvh/inspect/end_point_overlap.h"
#include "accel/bvh/inspect/tree_stats.h"
#include "app/jobs/frame_statistics.h"
#include "app/jobs/time_left.h"
#include "app/viewer/messages.h"
#include "core/device/device.h"
#include "renderer/renderer.h"

namespace tl {

class Session;

/// Transfer method of the presenter, the reason for it, and its time.
struct PresentState {
    std::string way, reason;
    float gl_milliseconds = 0;
};

/// Values that a session's frames change, read between two frames.
struct MeasuredSession {
    std::string finished{};  ///< finished_text() of the session
    std::size_t scene_bytes = 0, scratch_bytes = 0;
    std::uint32_t n_primitives = 0;
    bool has_points = false;  ///< the renderer stores points
};
[[nodiscard]] MeasuredSession measure(Session& session);

/// The last measurement of a tree's quality, and the tree it belongs to.
struct TreeReport {
    /// Fewer triangles than `bench trees` samples, since frames wait for the measurement.
    static constexpr std::size_t kOverlapSamples = 5'000;
    std::optional<TreeStats> stats;
    EndPointOverlap overlap;
    const Scene* scene = nullptr;
    const Device* device = nullptr;
    std::string settings;    ///< tree_choices() of the session at that time
    float time = 0;          ///< of the scene's motion
    float milliseconds = 0;  ///< duration of the measurement
    std::chrono::steady_clock::time_point measured_at{};
    [[nodiscard]] float seconds_old() const {
        return std::chrono::duration<float>(std::chrono::steady_clock::now() - measured_at).count();
    }
};

/// Measurements and messages; those of sessions are up to some tenths of a second old.
struct ViewerStatus {
    Messages messages{};
    std::string stopped_by{};                 ///< the error that stopped rendering, or ""
    std::vector<std::string> notes{};         ///< newest result of picture_notes()
    std::vector<std::string> closed_notes{};  ///< notes that the user has read

    FrameStatistics statistics{};
    PresentState present{};
    TreeReport tree_report{};
    bool sampling = true;                  ///< the frame that runs in another thread adds samples
    TimeLeft time_left{};                  ///< of the session's sampling
    MeasuredSession measured{};            ///< of the session
    std::vector<FrameCount> counts{};      ///< of the renderer
    std::vector<PictureFigure> figures{};  ///< of the picture
    MemoryStats memory{};                  ///< of the session's device
    /// Memory of the further devices that frames are split over.
    std::vector<std::pair<Device*, MemoryStats>> memory_of_others{};
    std::string gl_renderer{}, gl_version{};
};

}  // namespace tl
