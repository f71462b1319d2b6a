// Words of a setting, from the help in the row of its table. The help may begin with the label of
// its widget, "Tone curve: maps radiance to display values". Where the value 0 of a number means
// something else, the help says so: "; 0: off" or "; 0: auto, by the density". Flags, files and
// widgets then take the word for it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/settings.h"

namespace tl {

/// Label of a setting: what its help begins with, or the words of its id: "Max depth".
[[nodiscard]] std::string label_of(const SettingDeclaration& setting);

/// The word for 0: "auto", "off", "all" or "none"; "" for settings without one.
[[nodiscard]] std::string_view word_of_zero(const SettingDeclaration& setting);

/// The default value as people write it: the word where it is 0.
[[nodiscard]] std::string default_in_words(const SettingDeclaration& setting);

}  // namespace tl
