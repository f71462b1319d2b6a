// How a tree is looked at: as a heat map, by its boxes, beside another one. Like the actions of
// viewer_actions.h, none of these throws.
#pragma once

#include <optional>

#include "app/viewer/viewer_model.h"

namespace tl {

/// The film's pixel under the cursor, if that is over the picture.
[[nodiscard]] std::optional<glm::ivec2> pixel_under_cursor(const ViewerModel& model);

/// Builder and settings that a session's tree is built with, as one text.
[[nodiscard]] std::string tree_choices(Session& session);

/// Shows the heat map, or the renderer that was there before it.
void toggle_heat_map(ViewerModel& model);
/// Goes on to the next thing that the heat map counts, from visits to tests to both.
void next_heat_map_count(ViewerModel& model);

void toggle_boxes(ViewerModel& model);
/// Shows the boxes of another level, `by` further from the root.
void change_box_level(ViewerModel& model, int by);
/// Shows all leaves, or one level again.
void toggle_leaf_boxes(ViewerModel& model);
/// Looks for boxes again where they are no longer those of the tree and view, but not often unless
/// `at_once`. Waits for the device when it does.
void update_boxes(ViewerModel& model, bool at_once);

/// Starts comparing with the builder that was compared with last, else with another one than the
/// session's; or stops.
void toggle_comparison(ViewerModel& model);
void compare_with(ViewerModel& model, const std::string& builder);
/// A setting of the second tree; an empty value means its default.
void change_second_setting(ViewerModel& model, const std::string& section, const std::string& id,
                           const std::string& value);
void toggle_difference(ViewerModel& model);
/// Before a frame: the second session takes over what has changed. Where it cannot, comparing ends.
void follow_comparison(ViewerModel& model);
void end_comparison(ViewerModel& model);

/// Numbers to the false colours. Waits for the device.
void read_legend(ViewerModel& model);
/// The tree of the pixel's rays under the cursor, or that of the pixel that it was over last.
void read_pixel_tree(ViewerModel& model);

}  // namespace tl
