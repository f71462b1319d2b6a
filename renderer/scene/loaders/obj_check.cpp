#include "renderer/scene/loaders/obj_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

constexpr std::size_t kMostCorners = 4096;             // of one face: triangulating is quadratic
constexpr std::int64_t kMostElements = 2'000'000'000;  // tinyobjloader counts in int

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// Takes the next word off the front of `rest`.
std::string_view next_word(std::string_view& rest) {
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    auto word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

std::optional<double> parse_real(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size()) return {};
    // Too small reads as 0; too large as infinity.
    if (status == std::errc::result_out_of_range)
        return std::strtod(std::string(word).c_str(), nullptr);
    if (status != std::errc{}) return {};
    return value;
}

/// One of the lists that faces index: positions, texture coordinates, normals.
struct Elements {
    const char* name;
    std::int64_t count = 0;
    std::int64_t greatest_index = 0;  // a face may name what a later line gives
    std::size_t line_of_greatest = 0;
};

class ObjChecker {
  public:
    ObjChecker(std::string& text, const std::string& file) : text_(text), file_(file) {}

    ObjOutline check() {
        if (auto nul = text_.find('\0'); nul != std::string::npos)
            throw UserError(file_ + ": byte " + std::to_string(nul) +
                            " is zero: this is no OBJ text file");
        for (std::size_t begin = 0; begin < text_.size();) begin = check_line(begin);
        for (auto* list : {&positions_, &uvs_, &normals_})
            if (list->greatest_index > list->count)
                fail(list->line_of_greatest,
                     std::string(list->name) + " " + std::to_string(list->greatest_index) +
                         " is named, but the file has " + std::to_string(list->count) +
                         "; it may be cut off");
        return std::move(outline_);
    }

  private:
    /// Checks the line that starts at `begin`; returns where the next one starts.
    std::size_t check_line(std::size_t begin) {
        std::size_t line = ++line_;
        std::size_t end = begin;
        bool comment =
            text_[std::min(text_.find_first_not_of(" \t", begin), text_.size() - 1)] == '#';
        // A backslash at the end of a line joins it with the next.
        while (true) {
            end = std::min(text_.find_first_of("\r\n", end), text_.size());
            std::size_t after = end + (text_.compare(end, 2, "\r\n") == 0 ? 2 : 1);
            if (comment || end == begin || end >= text_.size() || text_[end - 1] != '\\') break;
            std::fill(text_.begin() + static_cast<std::ptrdiff_t>(end) - 1,
                      text_.begin() + static_cast<std::ptrdiff_t>(std::min(after, text_.size())),
                      ' ');
            ++line_;
            end = std::min(after, text_.size());
        }
        std::string_view rest(text_.data() + begin, end - begin);
        std::string_view keyword = next_word(rest);
        if (keyword == "v")
            check_vector(positions_, rest, line, 3);
        else if (keyword == "vt")
            check_vector(uvs_, rest, line, 1);
        else if (keyword == "vn")
            check_vector(normals_, rest, line, 3);
        else if (keyword == "f")
            check_face(rest, line);
        else if (keyword == "s")
            outline_.has_smoothing_groups = true;
        else if (keyword.starts_with("usemtl"))
            use_material(keyword);
        else if (keyword == "mtllib")
            name_library(keyword, rest);
        else if (keyword == "l" || keyword == "p" || keyword == "t" || keyword == "vw")
            comment_out(keyword);
        return std::min(end + (text_.compare(end, 2, "\r\n") == 0 ? 2 : 1), text_.size());
    }

    void check_vector(Elements& list, std::string_view rest, std::size_t line, int needed) {
        if (++list.count > kMostElements) fail(line, "too many elements for 32-bit indices");
        bool position = &list == &positions_;
        for (int k = 0; k < needed; ++k) {
            auto word = next_word(rest);
            if (word.empty())
                fail(line, described(list) + " has " + std::to_string(k) + " of " +
                               std::to_string(needed) + " numbers");
            auto value = parse_real(word);
            // Normals and texture coordinates that are no numbers are replaced, as many exporters
            // write them; a position that is none leaves nothing to draw.
            bool special = value && !std::isfinite(*value);
            if (!value || (position && (special || std::abs(*value) > kLargestCoordinate)))
                fail(line, described(list) + ": '" + std::string(word) + "' is " +
                               (!value    ? "not a number"
                                : special ? "not finite"
                                          : "beyond the largest coordinate, 1e15"));
        }
    }

    void check_face(std::string_view rest, std::size_t line) {
        std::size_t corners = 0;
        for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
            check_corner(word, line);
            ++corners;
        }
        if (corners < 3)
            fail(line, "a face has " + std::to_string(corners) + " corners; it needs 3 or more");
        if (corners > kMostCorners)
            fail(line, "a face has " + std::to_string(corners) + " corners; at most " +
                           std::to_string(kMostCorners) + " are read: triangulate it");
        ++outline_.face_count;
    }

    /// A corner is v, v/vt, v//vn or v/vt/vn.
    void check_corner(std::string_view word, std::size_t line) {
        Elements* lists[3] = {&positions_, &uvs_, &normals_};
        std::string_view rest = word;
        for (int k = 0; k < 3; ++k) {
            auto part = rest.substr(0, rest.find('/'));
            bool last = part.size() == rest.size();
            bool omitted = k == 1 && part.empty() && !last;
            if (!omitted) check_index(*lists[k], part, word, line);
            if (last) return;
            rest.remove_prefix(part.size() + 1);
        }
        fail(line, "the corner '" + std::string(word) + "' has more than three indices");
    }

    void check_index(Elements& list, std::string_view part, std::string_view corner,
                     std::size_t line) {
        std::int64_t index = 0;
        auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (status != std::errc{} || end != part.data() + part.size())
            fail(line, "the corner '" + std::string(corner) + "' is not v, v/vt, v//vn or v/vt/vn");
        if (index == 0) fail(line, "index 0 in '" + std::string(corner) + "'; indices start at 1");
        if (index < 0 && list.count + index < 0)
            fail(line, std::string(list.name) + " " + std::to_string(index) + " in '" +
                           std::string(corner) + "' is before the first of the " +
                           std::to_string(list.count) + " so far");
        if (index > list.greatest_index) {
            list.greatest_index = index;
            list.line_of_greatest = line;
        }
    }

    void use_material(std::string_view keyword) {
        std::size_t begin = static_cast<std::size_t>(keyword.data() - text_.data()) + 6;
        std::size_t end = std::min(text_.find_first_of("\r\n", begin), text_.size());
        auto name = trimmed(std::string_view(text_).substr(begin, end - begin));
        if (name.empty()) return;
        if (seen_materials_.insert(std::string(name)).second)
            outline_.used_materials.emplace_back(name);
        std::size_t offset = static_cast<std::size_t>(name.data() - text_.data());
        for (std::size_t i = offset; i < offset + name.size(); ++i)
            if (is_blank(text_[i])) text_[i] = kSpaceInName;
    }

    void name_library(std::string_view keyword, std::string_view rest) {
        std::string name(trimmed(rest));
        auto& libraries = outline_.material_libraries;
        if (!name.empty() && std::find(libraries.begin(), libraries.end(), name) == libraries.end())
            libraries.push_back(name);
        comment_out(keyword);
    }

    void comment_out(std::string_view keyword) {
        text_[static_cast<std::size_t>(keyword.data() - text_.data())] = '#';
    }

    std::string described(const Elements& list) const {
        return std::string(list.name) + " " + std::to_string(list.count);
    }
    [[noreturn]] void fail(std::size_t line, const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string& text_;
    const std::string& file_;
    ObjOutline outline_;
    std::set<std::string> seen_materials_;
    Elements positions_{"vertex"}, uvs_{"texture coordinate"}, normals_{"normal"};
    std::size_t line_ = 0;
};

}  // namespace

ObjOutline check_obj(std::string& text, const std::string& file) {
    return ObjChecker(text, file).check();
}

}  // namespace tl
