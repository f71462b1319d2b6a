// Opens a folder in the desktop's file manager.
#pragma once

#include <string>

namespace tl {

/// Opens the folder that holds a file with the program xdg-open; does not wait for it. Throws
/// UserError, which names the folder, where xdg-open cannot be started.
void open_folder_of(const std::string& file);

}  // namespace tl
