// Settings that the viewer keeps between runs, in $XDG_CONFIG_HOME/treelight/viewer.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/viewer/imgui/layout.h"
#include "core/base/math.h"

namespace tl {

/// Ids of the interface's colours.
inline constexpr const char *kDarkTheme = "dark", *kLightTheme = "light";

struct Preferences {
    Extent picture{1280, 720};      ///< size of the picture, without the panel
    bool interface_visible = true;  ///< side panel and status line
    std::string panel_tab = "render";
    float panel_width = kPanelWidth;              ///< at interface scale 1
    std::vector<std::string> collapsed_sections;  ///< of the panel, by id
    bool knows_keys = false;                      ///< the hint of the first start was closed
    float ui_scale = 0;                           ///< 0: the display's own scale
    std::string theme = kDarkTheme;               ///< colours of the interface
    std::string tone;                             ///< tone curve; "": the default one
    int box_level = 4;                            ///< tree level whose boxes are drawn
    float point_size = 3;                         ///< diameter of points that a renderer has stored
    int point_count = 20'000;                     ///< most of them that are drawn
    bool points_by_value = false;
    float difference_gain = 16;  ///< factor on the displayed difference of two pictures
    bool coarse_motion = true;   ///< reduce the resolution of slow frames while the view moves
    std::string last_folder;
    std::string picture_folder;             ///< that a picture was saved in last; "": none was
    std::string picture_format = "png";     ///< id of a PictureFormat
    std::vector<std::string> recent_files;  ///< newest first
    /// The picture that was last saved of a scene, by the scene's file.
    std::map<std::string, std::string> scene_pictures;

    bool operator==(const Preferences&) const = default;

    /// Keeps the picture of a scene. If there are too many, forgets one whose file is gone.
    void remember_picture(const std::string& scene, const std::string& picture);
    /// Puts a file first in recent_files and stores its folder.
    void remember_file(const std::string& path);
};

/// Path of the file, in XDG_CONFIG_HOME if that is absolute, else in ~/.config; "" without a home.
[[nodiscard]] std::string preferences_path();

/// The preferences read, and a one-line warning about invalid contents ("" if there are none).
struct ReadPreferences {
    Preferences preferences;
    std::string warning;
    bool damaged = false;  ///< not readable at all: the file must not be overwritten
};

/// A missing file gives the defaults; a value out of range gives that value's default and a
/// warning.
[[nodiscard]] ReadPreferences read_preferences(const std::string& path);
/// Writes a temporary file in the same folder, then renames it. Throws UserError.
void write_preferences(const std::string& path, const Preferences& preferences);

}  // namespace tl
