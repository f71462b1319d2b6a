#include "core/base/setting_words.h"

#include <algorithm>
#include <array>

namespace tl {

std::string label_of(const SettingDeclaration& setting) {
    auto& help = setting.help;
    constexpr std::size_t kLongest = 30;
    auto end = help.find(": ");
    bool starts = !help.empty() && help[0] >= 'A' && help[0] <= 'Z' && end <= kLongest;
    if (starts && help.find_first_of(",;") > end) return help.substr(0, end);
    auto words = setting.id;
    std::ranges::replace(words, '-', ' ');
    if (words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

std::string_view word_of_zero(const SettingDeclaration& setting) {
    constexpr std::array<std::string_view, 4> kWords = {"off", "auto", "all", "none"};
    constexpr std::string_view kZero = "; 0: ";
    auto at = setting.help.find(kZero);
    if (!setting.is_number() || setting.minimum > 0 || at == std::string::npos) return "";
    auto rest = std::string_view(setting.help).substr(at + kZero.size());
    auto word = rest.substr(0, rest.find_first_of(" ,;:)"));
    return std::ranges::find(kWords, word) != kWords.end() ? word : "";
}

std::string default_in_words(const SettingDeclaration& setting) {
    auto word = word_of_zero(setting);
    return word.empty() || setting.default_text != "0" ? setting.default_text : std::string(word);
}

}  // namespace tl
