#include "core/base/console.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "core/base/files.h"
#include "core/base/one_line.h"

namespace tl {
namespace {

/// Bytes of the UTF-8 sequence at the start of `text`: 1 to 4; 0 where there is none, or where it
/// is an overlong form, a surrogate, or beyond U+10FFFF.
std::size_t utf8_length(std::string_view text) {
    auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    std::uint32_t first = byte(0);
    if (first < 0x80) return 1;
    std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    std::uint32_t code = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < kLeast[length] || surrogate || code > 0x10ffff ? 0 : length;
}

/// U+0000 to U+001F, U+007F and U+0080 to U+009F.
bool is_control(std::string_view character) {
    auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    return character.size() == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;
}

bool is_white(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Replacement for a run of white space: the same with spaces for tabs, or one space if it has a
/// line break and `keep_lines` is false.
std::string space_text(std::string_view space, bool keep_lines) {
    bool breaks = space.find_first_of("\r\n") != std::string_view::npos;
    if (breaks && !keep_lines) return " ";
    std::string text;
    for (char c : space) text += c == '\t' || c == '\r' ? ' ' : c;
    return text;
}

/// Returns the cut position `place`, or one up to three bytes before it, so that no character is
/// split.
std::size_t whole_characters(std::string_view text, std::size_t place) {
    auto continues = [&](std::size_t i) {
        return (static_cast<std::uint8_t>(text[i]) & 0xc0u) == 0x80;
    };
    for (int i = 0; i < 3 && place > 0 && continues(place); ++i) --place;
    return place;
}

std::string process_name;  // followed by ": ", or ""

void print_line(std::string_view start, std::string_view text) {
    std::string line =
        "treelight: " + process_name + std::string(start) + printable(trimmed(text)) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string printable(std::string_view text, bool keep_lines) {
    std::string shown;
    while (!text.empty()) {
        std::size_t n_spaces = 0;
        while (n_spaces < text.size() && is_white(text[n_spaces])) ++n_spaces;
        shown += space_text(text.substr(0, n_spaces), keep_lines);
        text.remove_prefix(n_spaces);
        if (text.empty()) break;
        std::size_t length = utf8_length(text);
        auto character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0 || is_control(character)) {
            for (char c : character)
                shown.append("\\x").append(hex_text(static_cast<std::uint8_t>(c)));
        } else {
            shown += character;
        }
        text.remove_prefix(character.size());
    }
    // Cuts the middle: the start names the file, and the end says what to do.
    constexpr std::size_t kLongest = 2000;
    if (keep_lines || shown.size() <= kLongest) return shown;
    auto head = whole_characters(shown, kLongest / 2);
    auto tail = whole_characters(shown, shown.size() - kLongest / 2);
    return shown.substr(0, head) + " ... " + shown.substr(tail);
}

void name_process(const std::string& name) {
    process_name = name + ": ";
}

void print_error(std::string_view text) {
    print_line("", text);
}

void print_warning(std::string_view text) {
    print_line("warning: ", text);
}

void print_warnings(const std::vector<std::string>& texts) {
    for (auto& text : texts) print_warning(text);
}

}  // namespace tl
