// Words of OBJ and MTL files in the form that tinyobjloader reads without a mistake. Others are
// spelled anew for it, or refused.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace tl {

inline bool is_blank_or_tab(char c) {
    return c == ' ' || c == '\t';
}

/// The first character from `at` on that is no blank. The text must have one.
template <class Char>
[[nodiscard]] Char* after_blanks(Char* at) {
    while (is_blank_or_tab(*at)) ++at;
    return at;
}

/// Whether a word ends before `c`: at a blank, at the end of a line and at that of a text.
inline bool ends_word(char c) {
    return is_blank_or_tab(c) || c == '\n' || c == '\r' || c == '\0';
}

/// End of the digits from `at` on.
template <class Char>
[[nodiscard]] Char* after_digits(Char* at) {
    while (*at >= '0' && *at <= '9') ++at;
    return at;
}

/// End of the real number in decimal digits that is the whole word at `at`; null for another word.
/// The library takes letters in an exponent for digits, makes "0e999" NaN, and lets an exponent of
/// ten digits overflow. Therefore exponents end at 99, and numbers have at most 40 characters.
template <class Char>
[[nodiscard]] Char* after_plain_real(Char* at) {
    constexpr std::ptrdiff_t kLongest = 40, kLongestExponent = 2;
    Char* const begin = at;
    if (*at == '-' || *at == '+') ++at;
    Char* const digits = at;
    at = after_digits(at);
    std::ptrdiff_t n_digits = at - digits;
    if (*at == '.') {
        Char* const decimals = ++at;
        at = after_digits(at);
        n_digits += at - decimals;
    }
    if (n_digits == 0) return nullptr;
    if (*at == 'e' || *at == 'E') {
        ++at;
        if (*at == '-' || *at == '+') ++at;
        Char* const exponent = at;
        while (*at == '0') ++at;
        Char* const significant = at;
        at = after_digits(at);
        if (at == exponent || at - significant > kLongestExponent) return nullptr;
    }
    return at - begin <= kLongest && ends_word(*at) ? at : nullptr;
}

/// A word for the library that spells the same number, `value`. NaN becomes infinity.
[[nodiscard]] inline std::string plain_real(std::string_view word, double value) {
    if (after_plain_real(word.data()) == word.data() + word.size()) return std::string(word);
    if (!std::isfinite(value)) return value < 0 ? "-1e999" : "1e999";
    return number_text(value);
}

/// End of an index of up to nine digits at `at`, which may be negative but not 0; null for others.
template <class Char>
[[nodiscard]] Char* after_plain_index(Char* at) {
    constexpr std::ptrdiff_t kLongest = 9;
    if (*at == '-') ++at;
    if (*at == '0') return nullptr;
    Char* const digits = at;
    at = after_digits(at);
    return at > digits && at - digits <= kLongest ? at : nullptr;
}

/// End of the corner v, v/vt, v//vn or v/vt/vn of such indices that is the whole word at `at`; null
/// for another word.
template <class Char>
[[nodiscard]] Char* after_plain_corner(Char* at) {
    at = after_plain_index(at);
    if (at && *at == '/') {
        ++at;
        if (*at != '/') at = after_plain_index(at);
        if (at && *at == '/') at = after_plain_index(at + 1);
    }
    return at && ends_word(*at) ? at : nullptr;
}

}  // namespace tl
