// Figures, points, rays and warnings of a session's newest frame, for reports, panels and overlays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/pixel_tree.h"
#include "renderer/point_source.h"
#include "renderer/recorded_rays.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_points.h"
#include "renderer/transport_source.h"

namespace tl {

class Session;

/// Session::inspection(). Changes nothing that a frame reads. Nothing of it may be called while a
/// frame runs in another thread.
class SessionInspection {
  public:
    explicit SessionInspection(Session& session) : session_(session) {}

    /// The renderer's counters. Waits for the stream.
    [[nodiscard]] std::vector<FrameCount> frame_counts();
    /// The renderer's figures of the picture so far. Waits for the stream.
    [[nodiscard]] std::vector<PictureFigure> picture_figures();
    /// Pixels whose error is still too large, if errors are tracked and already known on the host.
    [[nodiscard]] std::optional<std::uint32_t> unfinished_pixels();
    /// Whether the frame's tree was built on a second stream, concurrently with the previous frame.
    [[nodiscard]] bool builds_ahead() const;
    /// Warnings of devices that have been dropped, and about the scene's tree (warning_of), the
    /// latter once for each scene: as soon as the device has reported it or, with `wait`, for the
    /// newest tree. "" if there is nothing new.
    [[nodiscard]] std::string take_warning(bool wait = false);

    /// Changes whenever the renderer's points do; 0: it has none.
    [[nodiscard]] std::uint64_t points_version();
    /// The points that the renderer has stored, at most `most` of them; none before the first
    /// frame. Waits for the stream.
    [[nodiscard]] PointList collect_points(std::uint32_t most);
    /// An octree over the points of the scene, built where they have changed. Waits for the stream;
    /// throws UserError where memory is short.
    [[nodiscard]] OctreeView point_octree();
    /// Light transport between points, as the renderer reports it; null if the renderer reports
    /// none, and before the first frame.
    [[nodiscard]] TransportSource* transport();

    /// Tree of a pixel's rays. Empty if the renderer has none, before the first frame and outside
    /// the picture. Waits for the stream.
    [[nodiscard]] PixelTree pixel_tree(int x, int y);
    /// Records the rays in at most `most_bytes` of device memory. Throws UserError if the renderer
    /// records none or they take more. Waits for the stream.
    [[nodiscard]] RecordedRays record_rays(std::uint64_t most_bytes);

  private:
    friend class Session;  // calls drop_octree() and begin_scene()

    [[nodiscard]] std::string take_tree_warning(bool wait);
    /// Frees the octree, before the live scene is replaced.
    void drop_octree() { points_.reset(); }
    void begin_scene() {
        drop_octree();
        told_tree_warning_ = false;
    }

    Session& session_;
    std::unique_ptr<LivePoints> points_;  ///< of the live scene; null until requested
    std::uint32_t points_of_ = 0;         ///< version of the scene that points_ were found for
    bool told_tree_warning_ = false;
};

}  // namespace tl
