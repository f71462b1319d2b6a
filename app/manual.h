// The manual page of the program.
#pragma once

#include <string>
#include <vector>

#include "app/command_words.h"

namespace tl {

/// A page in the macros of man(7). `version`: "treelight 0.1.0 (1234567)".
[[nodiscard]] std::string manual_page(const std::vector<CommandWords>& commands,
                                      const std::string& version);

}  // namespace tl
