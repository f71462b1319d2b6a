// Overlays of the picture in the scene's coordinates. Boxes of trees, control nets of patches and
// points of renderers are drawn on their side of a comparison; bounds of the selection and lines of
// the panel's sections on both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/viewer/gl/overlay_renderer.h"
#include "app/viewer/viewer_document.h"
#include "renderer/scene/scene.h"

namespace tl {

struct ViewerModel;
struct ViewerView;

class PictureOverlays {
  public:
    /// Draws the enabled overlays, as seen by this camera. `scale`: of the interface.
    void draw(ViewerModel& model, const Camera& camera, int window_height, float scale);
    /// Frees hidden overlays, in the model as well.
    void forget_hidden(ViewerView& view);

  private:
    void draw_boxes(ViewerModel& model);
    void draw_control_net(ViewerModel& model);
    void draw_points(ViewerModel& model, float scale);
    void draw_selection(const ViewerModel& model);
    void draw_section_lines(const ViewerModel& model);
    void draw_on_sides(const ViewerModel& model, std::array<OverlayRenderer, 2>& overlays);

    Camera camera_;  // of the current draw()
    int window_height_ = 0;
    std::array<OverlayRenderer, 2> lines_;      // boxes of the session's tree and of side B's
    std::array<OverlayRenderer, 1> net_lines_;  // control nets of patches
    OverlayRenderer selection_;                 // bounds of what is selected
    OverlayRenderer section_lines_;             // of all sections of the panel
    struct SelectionDrawn {
        const Scene* scene = nullptr;
        Selection selection{};
        std::uint64_t edits = 0;  // of the gate: any of them may have moved it
        bool operator==(const SelectionDrawn&) const = default;
    };
    SelectionDrawn selection_drawn_;         // what selection_ shows
    std::array<OverlayRenderer, 2> points_;  // points of the session and of side B
    std::uint64_t boxes_drawn_ = 0;          // found_count of the boxes in lines_
    bool hidden_drawn_ = true;
    std::uint64_t points_drawn_ = 0;  // found_count of the points in points_
    bool hidden_points_drawn_ = false, value_drawn_ = false;
    std::uint64_t nets_drawn_ = 0;  // found_count of the nets in net_lines_
    bool hidden_nets_drawn_ = true;
    std::uint64_t section_versions_drawn_ = 0;  // sum of the versions of what is in section_lines_
};

}  // namespace tl
