#include "renderer/scene/loaders/obj/obj_lines.h"

#include <algorithm>
#include <cstring>

#include "renderer/scene/loaders/obj/plain_words.h"

namespace tl {

ObjLines::Line ObjLines::take() {
    auto find = [](char* from, char* to, char c) {
        auto* found = static_cast<char*>(std::memchr(from, c, static_cast<std::size_t>(to - from)));
        return found ? found : to;
    };
    if (!newline_ || newline_ < at_) newline_ = find(at_, end_, '\n');
    Line line{at_, find(at_, newline_, '\r')};
    at_ = line.end;
    if (at_ < end_ && *at_++ == '\r' && at_ < end_ && *at_ == '\n') ++at_;
    ++n_taken_;
    return line;
}

ObjLines::Line ObjLines::take_joined() {
    Line line = take();
    if (!continues(line) || *after_blanks(line.begin) == '#') return line;
    while (continues(line)) {
        std::fill(line.end - 1, at_, ' ');
        line.end = take().end;
    }
    return line;
}

ObjCounts ObjLines::count() {
    ObjCounts counts;
    while (are_left()) {
        Line line = take();
        char* keyword = after_blanks(line.begin);
        bool is_comment = *keyword == '#';
        // Blanks and a backslash may be all of the first line.
        while (continues(line) && keyword == line.end - 1) {
            line = take();
            keyword = after_blanks(line.begin);
        }
        auto ends = [&](const char* at) {
            return ends_word(*at) || (at == line.end - 1 && continues(line));
        };
        if (keyword < line.end && *keyword == 'v') {
            counts.positions += ends(keyword + 1) ? 1 : 0;
            counts.uvs += keyword[1] == 't' && ends(keyword + 2) ? 1 : 0;
            counts.normals += keyword[1] == 'n' && ends(keyword + 2) ? 1 : 0;
        }
        while (!is_comment && continues(line)) line = take();
    }
    counts.lines = n_taken_;
    return counts;
}

std::vector<std::size_t> piece_bounds(const std::string& text, std::size_t n_bytes) {
    std::vector<std::size_t> bounds{0};
    auto is_end = [&](std::size_t i) { return text[i] == '\n' || text[i] == '\r'; };
    for (std::size_t at = n_bytes; at < text.size(); ++at) {
        if (!is_end(at - 1) || (text[at - 1] == '\r' && text[at] == '\n')) continue;
        std::size_t line_end = at - 1;
        if (line_end > 0 && text[line_end] == '\n' && text[line_end - 1] == '\r') --line_end;
        if (line_end > 0 && text[line_end - 1] == '\\') continue;
        bounds.push_back(at);
        at += n_bytes - 1;
    }
    if (!text.empty()) bounds.push_back(text.size());
    return bounds;
}

}  // namespace tl
