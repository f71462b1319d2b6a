// What the viewer remembers between runs, in $XDG_CONFIG_HOME/treelight/viewer.json.
#pragma once

#include <string>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

struct Preferences {
    Extent picture{1280, 720};      ///< size of the picture, the panel not counted
    bool interface_visible = true;  ///< side panel and status line
    std::string panel_tab = "render";
    float ui_scale = 0;  ///< 0: as the display asks
    float exposure = 0;  ///< stops
    std::string tone = "linear";
    int box_level = 4;           ///< of the boxes that are drawn of a tree
    float difference_gain = 16;  ///< that the difference of two pictures is shown with
    bool coarse_motion = true;   ///< slow frames get coarser while the view moves
    std::string last_folder;
    std::vector<std::string> recent_files;  ///< newest first

    /// Puts a file first in recent_files and remembers its folder.
    void remember_file(const std::string& path);
};

/// The file's place: only an absolute XDG_CONFIG_HOME counts, else ~/.config; "" without a home.
[[nodiscard]] std::string preferences_path();

/// What was read, and what was wrong with it in one line ("" when nothing was).
struct ReadPreferences {
    Preferences preferences;
    std::string warning;
    bool damaged = false;  ///< not readable at all: leave the file for its owner to look at
};

/// A missing file gives the defaults; a value out of range gives that value's default and a
/// warning.
[[nodiscard]] ReadPreferences read_preferences(const std::string& path);
/// Written beside its place and then renamed. Throws UserError.
void write_preferences(const std::string& path, const Preferences& preferences);

}  // namespace tl
