// Words for the value 0 of numbers. A setting whose 0 stands for something else than a number says
// so in its help text, as "; off (0): every pixel gets all samples". Flags and files then also take
// the word.
#pragma once

#include <string>
#include <string_view>

#include "core/base/settings.h"

namespace tl {

/// The word for 0: "auto", "off" or "all"; "" for settings without one.
[[nodiscard]] std::string_view word_of_zero(const SettingDeclaration& setting);

/// The default value as people write it: the word where it is 0.
[[nodiscard]] std::string default_in_words(const SettingDeclaration& setting);

}  // namespace tl
