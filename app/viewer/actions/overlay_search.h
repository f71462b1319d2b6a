// Searches for the overlays of the picture: boxes of trees, stored points, control nets. A search
// belongs to a frame and runs in the same thread, since it can take as long. It walks trees and
// traces rays, and may build an octree.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "app/viewer/views/tree_view_state.h"

namespace tl {

class Messages;
struct ViewerModel;
struct ViewerView;

/// Whether a shown overlay is stale and must be searched again.
[[nodiscard]] bool overlays_stale(const ViewerView& view);

class OverlaySearch {
  public:
    /// Whether a search is due for the last frame, if no new one is rendered; called in the loop's
    /// thread, before a frame. Boxes and points are searched only from time to time unless
    /// `at_once`.
    [[nodiscard]] bool due(ViewerModel& model, bool at_once);
    /// Whether a new frame would be followed by a search.
    [[nodiscard]] bool wanted() const { return boxes_.wanted || points_.wanted || nets_.wanted; }
    /// Copies the requested searches from the model; called in the loop's thread, after due() and
    /// before the frame.
    void begin(ViewerView& view);
    /// Runs the searches after the frame, in its thread. `anew`: the frame has begun another
    /// picture.
    void run(ViewerModel& model, bool anew);
    /// Moves the results to the model; called in the loop's thread after run(), or instead of it if
    /// the frame was cancelled. Shows errors and hides what could not be found.
    void end(ViewerModel& model, bool anew);
    /// Seconds that the last search took; 0 if none ran.
    [[nodiscard]] float seconds() const { return seconds_; }

  private:
    /// Search for one kind of overlay.
    template <class Found>
    struct Search {
        bool wanted = false;  ///< shown, and not searched too recently
        bool stale = false;   ///< the shown overlay was stale before the frame
        bool done = false;
        std::string error;  ///< "": none
        Found found{};
    };
    template <class Found, class Find>
    void look(Search<Found>& search, bool anew, Find find);
    template <class Found, class View>
    void hand_over(Messages& messages, Search<Found>& search, View& view, const char* failure,
                   bool anew);

    Search<std::array<TreeBoxes, 2>> boxes_;
    Search<std::array<PointList, 2>> points_;
    Search<ControlNets> nets_;
    std::array<std::uint64_t, 2> versions_{};  // of the points
    bool octree_ = false;                      // requested when the frame began
    int level_ = 0;
    std::uint32_t most_points_ = 0;
    float seconds_ = 0;
};

}  // namespace tl
