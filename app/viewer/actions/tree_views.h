// Actions for viewing a tree: heat map, node boxes. Like the actions of viewer_actions.h, none of
// these throws.
#pragma once

#include <optional>

#include "app/viewer/viewer_model.h"

namespace tl {

/// The film's pixel under the cursor, if that is over the picture.
[[nodiscard]] std::optional<glm::ivec2> pixel_under_cursor(const ViewerModel& model);

/// Builder and settings of a session's tree, as one string.
[[nodiscard]] std::string tree_choices(Session& session);

/// Switches between the heat map and the renderer used before it.
void toggle_heat_map(ViewerModel& model);
/// Switches the count shown by the heat map: node visits, primitive tests, both.
void next_heat_map_count(ViewerModel& model);

void toggle_boxes(ViewerModel& model);
/// Shows the boxes of the level that is `by` levels further from the root.
void change_box_level(ViewerModel& model, int by);
/// Switches between the boxes of all leaves and those of one level.
void toggle_leaf_boxes(ViewerModel& model);
/// Shows the boxes of an octree over the scene's points in place of those of its tree, or back.
void toggle_octree_boxes(ViewerModel& model);

/// The film's pixel at a place of the window, in framebuffer pixels; none outside of the picture.
[[nodiscard]] std::optional<glm::ivec2> film_pixel_at(const ViewerModel& model, vec2 at);
/// The one under the cursor.
[[nodiscard]] std::optional<glm::ivec2> pixel_under_cursor(const ViewerModel& model);

/// Pins the pixel at a place of the window, so that the panel shows it whatever is under the
/// cursor; unpins it if it is pinned already, within a few pixels.
void pin_pixel(ViewerModel& model, vec2 at);
/// The film's pixel that the panel shows: the pinned one, else the one under the cursor.
[[nodiscard]] std::optional<glm::ivec2> examined_pixel(const ViewerModel& model);

/// Reads the scales of the false colours, of both sides if two are compared. Waits for the device.
void read_legend(ViewerModel& model);
/// Reads the tree of the rays of the examined pixel, or of the last one that there was.
void read_pixel_tree(ViewerModel& model);

}  // namespace tl
