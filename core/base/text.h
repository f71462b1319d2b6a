// Numbers and names in texts: for the readers of files, and for messages.
#pragma once

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tl {

/// The number that the whole text spells as std::from_chars reads it; none if it spells anything
/// else, or a number that T cannot hold.
template <class T>
[[nodiscard]] std::optional<T> number_in(std::string_view text) {
    T value{};
    auto* end = text.data() + text.size();
    auto [stop, status] = std::from_chars(text.data(), end, value);
    if (status != std::errc{} || stop != end) return {};
    return value;
}

/// The shortest text that spells the number: "-1", "0.25", "1e+20".
template <class T>
[[nodiscard]] std::string number_text(T value) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Concatenates the parts. For expressions of many parts: sums of strings are inlined, and g++ 12
/// then takes the small buffer of one for too small for the text added to it.
[[nodiscard]] std::string concatenated(std::initializer_list<std::string_view> parts);

/// Names as messages list them: "a, b, c".
template <class Names>
[[nodiscard]] std::string joined(const Names& names) {
    std::string text;
    for (auto&& name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

}  // namespace tl
