// User actions for keys, menus and panels. None of them throws: errors are shown, and the viewer's
// state stays unchanged.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/panel_tabs.h"

namespace tl {

class Session;
struct PictureRequest;
struct ViewerModel;
struct ViewerView;

/// The id after `current` in `ids`, cyclically.
[[nodiscard]] std::string next_of(const std::vector<std::string>& ids, const std::string& current);
/// Next builder in the table that runs on the session's device.
[[nodiscard]] std::string next_builder(Session& session);

/// A device, or several that share pictures.
struct DeviceChoice {
    std::string ids;    ///< as find_devices() reads them
    std::string title;  ///< for people
};
/// Each device, and all GPUs together where there are several.
[[nodiscard]] std::vector<DeviceChoice> device_choices();
/// `ids`: as find_devices() reads them.
void choose_device(ViewerModel& model, const std::string& ids);
/// `keeps`: scenes that are opened later keep the renderer, too.
void choose_renderer(ViewerModel& model, const std::string& id, bool keeps = true);
void choose_builder(ViewerModel& model, const std::string& id);
/// Changes a setting of a section; an empty value means its default.
void change_setting(ViewerModel& model, const std::string& section, const std::string& id,
                    const std::string& value);
/// Adds `stops` to the exposure, within its range; 0 resets it.
void change_exposure(ViewerModel& model, float stops);

/// Stops or continues adding samples; continues after an error.
void toggle_pause(ViewerModel& model);
/// Plays or pauses the scene's motion; shows a message if the scene is static.
void toggle_motion(ViewerModel& model);
/// Sets the time of the motion, in seconds; times before its start wrap around to its end.
void set_motion_time(ViewerModel& model, float seconds);
/// Advances by a number of frames of kMotionStep and pauses.
void step_motion(ViewerModel& model, int frames);
inline constexpr float kMotionStep = 1.0f / 60;  ///< seconds

/// Opens a tab of the side panel; it is also the one to open at the next start.
void open_tab(ViewerModel& model, PanelTab tab);
/// Opens the tab of a section of the side panel and scrolls to the section.
void reveal_section(ViewerModel& model, const std::string& id);

void frame_all(ViewerView& view);
/// Saves the picture in the background, linear ones of both sides of a comparison. Takes the
/// current frame or, at the reduced resolution of a moving view, the next one at full resolution.
/// Without a path, each call makes a separate file. Shows why there is none.
void take_screenshot(ViewerModel& model, const PictureRequest& request);
/// Name of a file for the picture, without its ending: scene, renderers, samples a pixel.
[[nodiscard]] std::string picture_name(const ViewerModel& model);
/// Takes the awaited screenshots, if there is a complete picture at full resolution. Only between
/// two frames.
void take_awaited_screenshots(ViewerModel& model);
/// Shows messages about screenshots that have been written.
void tell_written_pictures(ViewerModel& model);
void measure_tree(ViewerModel& model);
/// Clears the session's film and starts accumulating again, also after an error.
void restart(ViewerModel& model);
/// Clears the films of both sides of a comparison and starts accumulating again, also after an
/// error.
void restart_all(ViewerModel& model);

/// Opens the file browser to choose a scene; "" means the folder that was used last.
void browse(ViewerModel& model, const std::string& folder);

}  // namespace tl
