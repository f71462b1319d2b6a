// Actions for comparing two sides: A is the viewer's session, B has choices of its own. Like the
// actions of viewer_actions.h, none of these throws.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Whether side B is there or on its way.
[[nodiscard]] bool compares(const ViewerModel& model);
/// Starts the comparison, with the last compared choices or else with another builder; or ends it.
void toggle_comparison(ViewerModel& model);
/// Starts it with these choices for side B, or replaces those that it has; only side B's samples
/// start anew.
void compare_with(ViewerModel& model, const SideChoices& choices);
/// Also where side B is only on its way: then it does not come.
void end_comparison(ViewerModel& model);
/// Call before a frame: side B follows side A. Ends the comparison if that fails.
void follow_comparison(ViewerModel& model);

/// Choose for side B; "" means as on side A.
void choose_second_renderer(ViewerModel& model, const std::string& id);
void choose_second_builder(ViewerModel& model, const std::string& id);
void choose_second_device(ViewerModel& model, const std::string& id);
void change_second_setting(ViewerModel& model, const std::string& section, const std::string& id,
                           const std::string& value);
/// Gives side B random numbers of its own, or those of side A.
void toggle_second_seed(ViewerModel& model);
/// Lets side B keep all that it has, whatever changes on side A.
void hold_second(ViewerModel& model);

/// Shows this mode, and the split if it is shown already; starts the comparison if there is none.
void toggle_compare_mode(ViewerModel& model, CompareMode mode);

/// The path of side B's radiance beside that of side A: "out.exr" -> "out-b.exr".
[[nodiscard]] std::string second_path(const std::string& path);
/// Writes what is shown as .png, or the radiance as .hdr or .exr, of both sides if two are
/// compared. Waits for the frame; throws UserError.
void save_pictures(ViewerModel& model, const std::string& path);

}  // namespace tl
