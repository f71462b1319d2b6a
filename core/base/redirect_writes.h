// Redirects file writes, for runs that must not change any of the user's files.
#pragma once

#include <string>

namespace tl {

/// Makes every FileWriter write into this folder, whatever folder its path names; "" ends that.
/// Devices and pipes are not redirected. May not be called while another thread writes.
void redirect_writes(const std::string& folder);

/// The path of the file that is written instead of this one: the same unless writes are redirected.
[[nodiscard]] std::string place_of_write(const std::string& path);

}  // namespace tl
