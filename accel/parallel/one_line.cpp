#include "accel/parallel/one_line.h"

#include "accel/parallel/files.h"

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
    constexpr char kDigits[] = "0123456789abcdef";
    std::string line;
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f)
            line += c;
        else
            line.append("\\x").append(1, kDigits[code >> 4]).append(1, kDigits[code & 15]);
    }
    return line;
}

}  // namespace tl
