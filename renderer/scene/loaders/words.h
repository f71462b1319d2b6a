// The words of a line in a text file, and the real numbers that they spell.
#pragma once

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace tl {

/// Removes the next word from the front of `rest`; empty if there is none.
inline std::string_view next_word(std::string_view& rest) {
    auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    auto word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

/// Value of a number that is not finite, as older Windows programs write it: 1.#IND, -1.#QNAN0,
/// 1.#INF00. None for other words.
[[nodiscard]] inline std::optional<double> special_real_in(std::string_view word) {
    bool is_negative = word.starts_with('-');
    if (is_negative) word.remove_prefix(1);
    if (!word.starts_with("1.#")) return {};
    double value = word.substr(3).starts_with("INF") ? std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN();
    return is_negative ? -value : value;
}

/// The number that a word spells, which may start with a plus sign. Underflow gives 0, overflow
/// infinity; none if the word is no number.
[[nodiscard]] inline std::optional<double> real_in(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    auto* end = word.data() + word.size();
    auto [stop, status] = std::from_chars(word.data(), end, value);
    if (stop != end) return special_real_in(word);
    if (status == std::errc::result_out_of_range)
        return std::strtod(std::string(word).c_str(), nullptr);
    if (status != std::errc{}) return {};
    return value;
}

/// A word for messages: the beginning of a long one, with question marks for characters that cannot
/// be printed.
[[nodiscard]] inline std::string shown(std::string_view word) {
    constexpr std::size_t kMost = 40;
    std::string text(word.substr(0, kMost));
    for (auto& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
    return word.size() > kMost ? text + "..." : text;
}

}  // namespace tl
