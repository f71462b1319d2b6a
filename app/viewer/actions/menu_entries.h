// Entries of submenus whose contents change: files, scenes, and radio entries for what is in use.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Files that were opened before, newest first.
[[nodiscard]] std::vector<MenuEntry> recent_files(const ViewerModel& m);
/// Generators of scenes, with their defaults.
[[nodiscard]] std::vector<MenuEntry> generated_scenes(const ViewerModel& m);
/// Renderers and tree builders that run on the session's device.
[[nodiscard]] std::vector<MenuEntry> renderer_entries(const ViewerModel& m);
[[nodiscard]] std::vector<MenuEntry> builder_entries(const ViewerModel& m);
/// Devices, and all GPUs together where there are several.
[[nodiscard]] std::vector<MenuEntry> device_entries(const ViewerModel& m);
[[nodiscard]] std::vector<MenuEntry> tone_entries(const ViewerModel& m);
/// Scales of the interface, which the preferences keep.
[[nodiscard]] std::vector<MenuEntry> scale_entries(const ViewerModel& m);
/// Colours of the interface, which the preferences keep.
[[nodiscard]] std::vector<MenuEntry> theme_entries(const ViewerModel& m);

/// A command that opens a submenu. `none`: reason why it is empty.
[[nodiscard]] ViewerCommand submenu(std::string title, std::string help,
                                    std::vector<MenuEntry> (*entries)(const ViewerModel&),
                                    const char* none);

}  // namespace tl
