#include "renderer/scene/warnings.h"

#include <functional>

namespace tl {
namespace {

/// Key of a line's kind: the line without its prefix "place", names in quotes and all digits.
std::string kind_of(const std::string& line) {
    auto colon = line.find(": ");
    std::string kind;
    bool in_name = false;
    for (std::size_t i = colon == std::string::npos ? 0 : colon; i < line.size(); ++i) {
        char c = line[i];
        if (c == '\'') in_name = !in_name;
        if (!in_name && !(c >= '0' && c <= '9')) kind += c;
    }
    return kind;
}

/// "49,980".
std::string with_commas(std::size_t count) {
    std::string text = std::to_string(count);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
    return text;
}

/// Cuts a long line between two UTF-8 characters, and blanks out control characters, which names
/// may contain.
void make_showable(std::string& line) {
    for (char& c : line)
        if ((c >= 0 && c < ' ') || c == '\x7F') c = ' ';
    if (line.size() <= Warnings::kLongestLine) return;
    std::size_t end = Warnings::kLongestLine - 3;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    line.resize(end);
    line += "...";
}

}  // namespace

void Warnings::push_back(std::string line) {
    if (!seen_.insert(std::hash<std::string>{}(line)).second) return;
    make_showable(line);
    Kind& kind = kinds_[kind_of(line)];
    if (kind.n_lines == 0) kind.first = lines_.size();
    if (++kind.n_lines <= kMostOfAKind) {
        lines_.push_back(std::move(line));
        return;
    }
    if (kind.n_lines == kMostOfAKind + 1) {
        kind.count = lines_.size();
        lines_.emplace_back();
    }
    lines_[kind.count] = "and " + with_commas(kind.n_lines - kMostOfAKind) +
                         " more such as this: " + lines_[kind.first];
    make_showable(lines_[kind.count]);
}

}  // namespace tl
