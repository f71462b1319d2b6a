// Finds what is drawn over the picture: boxes of trees, stored points, control nets. A search
// belongs to a frame and runs in the same thread, since it can take as long: it walks trees and
// traces rays, and may build an octree.
#pragma once

#include <chrono>
#include <string>

#include "app/viewer/viewer_model.h"

namespace tl {

/// Whether what is shown over the picture has to be looked for again.
[[nodiscard]] bool overlays_stale(const ViewerModel& model);

class OverlaySearch {
  public:
    /// In the loop's thread, before a frame: whether there is something to look for, with the frame
    /// that has been made if there is no new one. Boxes and points are looked for only from time to
    /// time unless `at_once`.
    [[nodiscard]] bool due(ViewerModel& model, bool at_once);
    /// Whether a new frame would be followed by a search.
    [[nodiscard]] bool wanted() const { return boxes_.wanted || points_.wanted || nets_.wanted; }
    /// Likewise, after due(), before the frame: takes from the model what is wanted.
    void begin(ViewerModel& model);
    /// After the frame, in its thread. `anew`: the frame has begun another picture.
    void run(ViewerModel& model, bool anew);
    /// In the loop's thread, after run() or in its place if the frame was abandoned: hands over
    /// what was found. Shows an error and hides what could not be found.
    void end(ViewerModel& model, bool anew);
    /// Seconds that the last search took; 0 if nothing was looked for.
    [[nodiscard]] float seconds() const { return seconds_; }

  private:
    /// The search for one kind.
    template <class Found>
    struct Search {
        bool wanted = false;  ///< shown, and not found too recently
        bool stale = false;   ///< what is shown was out of date before the frame
        bool done = false;
        std::string error;  ///< "": none
        Found found{};
    };
    template <class Found, class Find>
    void look(Search<Found>& search, bool anew, Find find);
    template <class Found, class View>
    void hand_over(ViewerModel& model, Search<Found>& search, View& view, const char* failure,
                   bool anew);

    Search<std::array<TreeBoxes, 2>> boxes_;
    Search<std::array<PointList, 2>> points_;
    Search<ControlNets> nets_;
    std::array<std::uint64_t, 2> versions_{};  // of the points
    bool octree_ = false;                      // what was wanted when the frame began
    int level_ = 0;
    std::uint32_t most_points_ = 0;
    float seconds_ = 0;
};

}  // namespace tl
