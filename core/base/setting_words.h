// Words of a setting that its widget shows, from the row of its table: the help may begin with a
// label, "Tone curve: maps radiance to display values", and may end with the meaning of 0,
// "0: off" or "0: auto, by the density".
#pragma once

#include <string>

#include "core/base/settings.h"

namespace tl {

/// Label of a setting: what its help begins with, or the words of its id: "Max depth".
[[nodiscard]] std::string label_of(const SettingDeclaration& setting);
/// Word for a number's value 0, such as "off", "auto" or "all", where the help has one; else "".
[[nodiscard]] std::string zero_word_of(const SettingDeclaration& setting);

}  // namespace tl
