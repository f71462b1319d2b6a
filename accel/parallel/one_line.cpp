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

}  // namespace tl
