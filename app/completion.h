// Scripts that complete the program's command line in shells.
#pragma once

#include <string>
#include <vector>

#include "app/command_words.h"

namespace tl {

/// The names of the shells: bash, zsh, fish.
[[nodiscard]] const std::vector<std::string>& completed_shells();
/// The script for one of these shells.
[[nodiscard]] std::string completion_script(const std::string& shell,
                                            const std::vector<CommandWords>& commands);

[[nodiscard]] std::string bash_completion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandWords>& commands);

/// A text in single quotes, as all three shells read it. `escape` replaces a quote in it.
[[nodiscard]] std::string quoted(const std::string& text, const std::string& escape);
/// Words with spaces between.
[[nodiscard]] std::string spaced(const std::vector<std::string>& words);

}  // namespace tl
