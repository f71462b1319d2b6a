#include "core/base/setting_words.h"

namespace tl {

std::string_view word_of_zero(const SettingDeclaration& setting) {
    constexpr std::string_view kMark = " (0): ";
    auto end = setting.help.find(kMark);
    if (!setting.is_number() || end == std::string::npos || end == 0) return "";
    auto begin = setting.help.rfind(' ', end - 1);
    begin = begin == std::string::npos ? 0 : begin + 1;
    return std::string_view(setting.help).substr(begin, end - begin);
}

std::string default_in_words(const SettingDeclaration& setting) {
    auto word = word_of_zero(setting);
    return word.empty() || setting.default_text != "0" ? setting.default_text : std::string(word);
}

}  // namespace tl
