// Actions for comparing two sides: A is the viewer's session, B has choices of its own. Like the
// actions of viewer_actions.h, none of these throws.
#pragma once

#include <string>

#include "app/viewer/views/compared_picture.h"
#include "app/viewer/views/side_choices.h"

namespace tl {

struct ViewerModel;

/// Whether side B exists or is being prepared.
[[nodiscard]] bool compares(const ViewerModel& model);
/// Starts the comparison with the last compared choices, or else with the path tracer; or ends it.
void toggle_comparison(ViewerModel& model);
/// Starts the comparison with the same renderer over the tree of the next builder.
void compare_trees(ViewerModel& model);
/// Starts the comparison with these choices for side B, or replaces its choices; only side B's
/// samples restart.
void compare_with(ViewerModel& model, const SideChoices& choices);
/// Ends the comparison, or cancels it while side B is being prepared.
void end_comparison(ViewerModel& model);
/// Updates side B from side A; call before a frame. Ends the comparison if that fails.
void follow_comparison(ViewerModel& model);

/// Choose for side B; "" means as on side A.
void choose_second_renderer(ViewerModel& model, const std::string& id);
void choose_second_builder(ViewerModel& model, const std::string& id);
void choose_second_device(ViewerModel& model, const std::string& id);
void change_second_setting(ViewerModel& model, const std::string& section, const std::string& id,
                           const std::string& value);
/// Gives side B a seed of its own, or that of side A.
void toggle_second_seed(ViewerModel& model);
/// Fixes all choices of side B, whatever changes on side A.
void hold_second(ViewerModel& model);

/// Shows this mode, or the split if the mode is already shown; starts the comparison if there is
/// none.
void toggle_compare_mode(ViewerModel& model, CompareMode mode);

/// Path of side B's radiance beside that of side A: "out.exr" -> "out-b.exr".
[[nodiscard]] std::string second_path(const std::string& path);
/// Writes the displayed picture as .png, or the radiance as .hdr or .exr, of both sides if two are
/// compared. Waits for the frame; throws UserError.
void save_pictures(ViewerModel& model, const std::string& path);

}  // namespace tl
