// Actions for viewing a tree: heat map, node boxes. Like the actions of viewer_actions.h, none of
// these throws.
#pragma once

#include <optional>
#include <string>

#include "core/base/math.h"

namespace tl {

class Session;
struct BoxView;
struct PixelView;
struct ViewerModel;

/// Builder and settings of a session's tree, as one string.
[[nodiscard]] std::string tree_choices(Session& session);

/// Switches between the heat map and the renderer used before it.
void toggle_heat_map(ViewerModel& model);
/// Switches the count shown by the heat map: node visits, primitive tests, both.
void next_heat_map_count(ViewerModel& model);

void toggle_boxes(ViewerModel& model);
/// Shows the boxes of the level that is `by` levels further from the root.
void change_box_level(BoxView& boxes, int by);
/// Switches between the boxes of all leaves and those of one level.
void toggle_leaf_boxes(ViewerModel& model);
/// Switches between the boxes of the scene's tree and those of an octree over its points.
void toggle_octree_boxes(ViewerModel& model);

/// Film pixel at a position in the window, in framebuffer pixels; none outside of the picture.
[[nodiscard]] std::optional<glm::ivec2> film_pixel_at(const ViewerModel& model, vec2 at);
/// Film pixel under the cursor; none outside of the picture.
[[nodiscard]] std::optional<glm::ivec2> pixel_under_cursor(const ViewerModel& model);

/// Pins the pixel at a position in the window, so that the panel shows it wherever the cursor is.
/// Unpins it if a pixel within a few pixels is pinned already.
void pin_pixel(PixelView& pixel, vec2 at);
/// Film pixel that the panel shows: the pinned one, else the one under the cursor.
[[nodiscard]] std::optional<glm::ivec2> examined_pixel(const ViewerModel& model);

/// Reads the scales of the false colours, of both sides if two are compared. Waits for the device.
void read_legend(ViewerModel& model);
/// Reads the ray tree of the examined pixel, or of the last one that there was.
void read_pixel_tree(ViewerModel& model);

}  // namespace tl
