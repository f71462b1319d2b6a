#include "core/base/one_line.h"

#include "core/base/files.h"

namespace tl {

std::string one_line(std::string_view text, std::size_t longest) {
    std::string line;
    for (char c : trimmed(text)) {
        if (line.size() == longest) return line + "...";
        bool is_printable = static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
        if (is_printable)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return std::string(trimmed(line));
}

std::string escaped(std::string_view text) {
    std::string line;
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f)
            line += c;
        else
            line.append("\\x").append(hex_text(code));
    }
    return line;
}

std::string hex_text(std::uint8_t byte) {
    constexpr char kDigits[] = "0123456789abcdef";
    return {kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace tl
