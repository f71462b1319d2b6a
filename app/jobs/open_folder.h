// Opens a folder in the desktop's file manager.
#pragma once

#include <string>

namespace tl {

/// Opens the folder that holds a file, by xdg-open, and does not wait for it. Throws UserError,
/// with the folder, where the desktop has no such program.
void open_folder_of(const std::string& file);

}  // namespace tl
