// Keeps a run that must not change any file away from the user's files.
#pragma once

#include <string>

namespace tl {

/// From now on every FileWriter writes into this folder, whatever folder its path names; "": where
/// its path says. Devices and pipes are written as ever. Not while another thread writes.
void redirect_writes(const std::string& folder);

/// The path of the file that is written in place of this one: itself unless writes are redirected.
[[nodiscard]] std::string place_of_write(const std::string& path);

}  // namespace tl
