#include "renderer/scene/loaders/obj/obj_statements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/obj/plain_words.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::ptrdiff_t kReportedBytes = 1024;

}  // namespace

std::string_view ObjStatements::word(int index) const {
    std::string_view rest(begin_, static_cast<std::size_t>(end_ - begin_));
    rest = rest.substr(0, rest.find('\n'));  // where hand_over() has cut it
    auto word = next_word(rest);
    for (int k = 0; k < index; ++k) word = next_word(rest);
    return word;
}

void ObjStatements::fail(std::size_t line, const std::string& what) const {
    throw UserError(file_ + ":" + std::to_string(line) + ": " + what);
}

ObjStatements::int_type ObjStatements::underflow() {
    if (!color_.empty()) {
        std::swap(mended_, color_);
        color_.clear();
        kind_ = ObjStatement::color;
        hand_over(mended_);
        return traits_type::to_int_type(*gptr());
    }
    while (lines_.are_left()) {
        line_ = piece_.n_lines_before + lines_.n_taken() + 1;
        auto [begin, end] = lines_.take_joined();
        if (begin - reported_ >= kReportedBytes)
            on_parsed_(static_cast<std::size_t>(begin - std::exchange(reported_, begin)));
        begin_ = after_blanks(begin);
        end_ = end;
        if (begin_ < end_ && prepare()) return traits_type::to_int_type(*gptr());
    }
    return traits_type::eof();
}

/// Gives the library the statement up to `end`, where its text is cut.
bool ObjStatements::hand_over(char* end) {
    if (*end != '\0') *end++ = '\n';
    setg(begin_, begin_, end);
    return true;
}

/// Gives the library a line in place of the statement.
bool ObjStatements::hand_over(std::string& line) {
    line += '\n';
    setg(line.data(), line.data(), line.data() + line.size());
    return true;
}

/// Reads or notes the statement; whether the library is to read it, or a line in its place.
bool ObjStatements::prepare() {
    after_keyword_ = begin_;
    while (!ends_word(*after_keyword_)) ++after_keyword_;
    std::string_view keyword(begin_, static_cast<std::size_t>(after_keyword_ - begin_));
    auto& lists = piece_.lists;
    if (keyword == "v") return prepare_numbers(ObjStatement::position, lists.positions, 3);
    if (keyword == "vt") return prepare_numbers(ObjStatement::uv, lists.uvs, 2);
    if (keyword == "vn") return prepare_numbers(ObjStatement::normal, lists.normals, 3);
    if (keyword == "f" || keyword == "fo") return prepare_corners(ObjStatement::face);
    if (keyword == "l") return prepare_corners(ObjStatement::line);
    if (keyword == "p") return prepare_corners(ObjStatement::points);
    if (after_keyword_ < end_ && (keyword == "usemtl" || keyword == "o" || keyword == "g")) {
        kind_ = ObjStatement::other;
        return hand_over(end_);
    }
    return take_unknown();
}

/// Prepares an element of a list. The library reads `n_read` numbers.
bool ObjStatements::prepare_numbers(ObjStatement kind, ObjElements& list, int n_read) {
    kind_ = kind;
    ++list.count;
    char* at = after_keyword_;
    for (int k = 0; k < n_read; ++k) {
        at = after_plain_real(after_blanks(at));
        if (!at) return mend_numbers(list, n_read);
    }
    if (kind == ObjStatement::position) prepare_color(at);
    return hand_over(at);
}

/// Spells the numbers of an element anew. Fails where one that is needed is missing, or a word is
/// no number; a number may be infinite or NaN, which becomes infinity.
bool ObjStatements::mend_numbers(const ObjElements& list, int n_read) {
    std::string_view rest(after_keyword_, static_cast<std::size_t>(end_ - after_keyword_));
    mended_.assign(begin_, after_keyword_);
    for (int k = 0; k < n_read; ++k) {
        auto word = next_word(rest);
        auto value = real_in(word);
        if (k < list.n_needed && !value) {
            std::string element = std::string(list.name) + " " + std::to_string(list.count);
            if (word.empty())
                fail(element + " has " + std::to_string(k) + " of " +
                     std::to_string(list.n_needed) + " numbers");
            fail(element + ": '" + shown(word) + "' is not a number");
        }
        mended_ += ' ';
        mended_ += value ? plain_real(word, *value) : "0";
    }
    if (kind_ == ObjStatement::position) prepare_color(rest.data());
    return hand_over(mended_);
}

/// Prepares the colour of a position from the `words` after it. A single number is a weight, which
/// polygons ignore.
void ObjStatements::prepare_color(const char* words) {
    std::string_view rest(words, static_cast<std::size_t>(end_ - words));
    if (after_blanks(words) == end_) return;
    color_ = "v";
    for (int k = 0; k < 3; ++k) {
        auto word = next_word(rest);
        auto value = real_in(word);
        if (!value) return color_.clear();
        color_ += ' ';
        color_ += std::isnan(*value) ? "0" : plain_real(word, *value);
    }
}

/// Prepares a statement of corners, which the library reads as a face.
bool ObjStatements::prepare_corners(ObjStatement kind) {
    kind_ = kind;
    char* at = after_blanks(after_keyword_);
    if (at == end_) {
        if (kind == ObjStatement::face) piece_.notes.add(ObjNote::small_face, line_);
        return false;
    }
    for (; at < end_; at = after_blanks(at)) {
        at = after_plain_corner(at);
        if (!at) return mend_corners();
    }
    *begin_ = 'f';
    std::fill(begin_ + 1, after_keyword_, ' ');
    return hand_over(end_);
}

bool ObjStatements::mend_corners() {
    std::string_view rest(after_keyword_, static_cast<std::size_t>(end_ - after_keyword_));
    mended_ = "f";
    int index_of_word = 0;
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
        mend_corner(word, ++index_of_word);
    return hand_over(mended_);
}

/// Spells the corner v, v/vt, v//vn or v/vt/vn anew. Fails if it is none.
void ObjStatements::mend_corner(std::string_view word, int index_of_word) {
    ObjElements* lists[] = {&piece_.lists.positions, &piece_.lists.uvs, &piece_.lists.normals};
    std::string_view rest = word;
    for (int k = 0; k < 3; ++k) {
        auto part = rest.substr(0, rest.find('/'));
        bool last = part.size() == rest.size();
        mended_ += k == 0 ? ' ' : '/';
        if (k != 1 || last || !part.empty()) {
            auto given = number_in<std::int64_t>(part);
            if (!given) fail("the corner '" + shown(word) + "' is not v, v/vt, v//vn or v/vt/vn");
            (void)index(*lists[k], *given, index_of_word);
            // The library's indices are int; one beyond them is no element's.
            mended_ +=
                std::to_string(std::min<std::int64_t>(*given, std::numeric_limits<int>::max()));
        }
        if (last) return;
        rest.remove_prefix(part.size() + 1);
    }
    fail("the corner '" + shown(word) + "' has more than three indices");
}

int ObjStatements::index(ObjElements& list, std::int64_t given, int corner) const {
    if (given == 0) fail("index 0 in '" + shown(word(corner)) + "'; indices start at 1");
    if (given < 0 && list.count + given < 0)
        fail(std::string(list.name) + " " + std::to_string(given) + " in '" + shown(word(corner)) +
             "' is before the first of the " + std::to_string(list.count) + " so far");
    if (given > list.greatest_index) {
        list.greatest_index = given;
        list.line_of_greatest = line_;
    }
    return static_cast<int>(given < 0 ? list.count + given : given - 1);
}

/// Reads a statement that the library does not know, or reads only with a blank after its keyword.
bool ObjStatements::take_unknown() {
    std::string_view keyword(begin_, static_cast<std::size_t>(after_keyword_ - begin_));
    std::string_view rest(after_keyword_, static_cast<std::size_t>(end_ - after_keyword_));
    if (keyword == "s") {
        read_smoothing_group();
    } else if (keyword.starts_with("usemtl")) {
        use_material({begin_ + 6, end_});
    } else if (keyword == "mtllib") {
        piece_.material_libraries.push_back(trimmed(rest));
    } else if (keyword == "#MRGB") {
        piece_.packed_colors.push_back(
            {rest, static_cast<std::size_t>(piece_.lists.positions.count), line_});
    } else if (keyword[0] != '#' && keyword != "o" && keyword != "g") {
        note_statement();
    }
    return false;
}

void ObjStatements::use_material(std::string_view name) {
    name = trimmed(name);
    piece_.material = -1;
    if (name.empty()) return;
    auto [place, is_new] =
        material_places_.try_emplace(std::string(name), static_cast<int>(piece_.materials.size()));
    if (is_new) piece_.materials.emplace_back(name);
    piece_.material = place->second;
}

/// Reads a number, or "off".
void ObjStatements::read_smoothing_group() {
    piece_.has_smoothing_groups = true;
    std::string_view number = word(1);
    if (number.empty()) return;
    int group = 0;
    std::from_chars(number.data(), number.data() + number.size(), group);
    piece_.smoothing_group = std::max(group, 0);
}

/// Counts a statement that is not drawn.
void ObjStatements::note_statement() {
    constexpr std::pair<std::string_view, ObjNote> kCounted[] = {
        {"curv", ObjNote::free_curve},  {"curv2", ObjNote::free_curve},
        {"cdc", ObjNote::free_curve},   {"surf", ObjNote::free_surface},
        {"bzp", ObjNote::free_surface}, {"bsp", ObjNote::free_surface},
        {"cdp", ObjNote::free_surface}};
    // Parts of free-form curves and surfaces.
    constexpr std::string_view kParts[] = {"vp",   "cstype", "deg", "bmat", "step", "parm", "trim",
                                           "hole", "scrv",   "sp",  "con",  "end",  "res"};
    std::string_view keyword = word(0);
    for (auto& [name, note] : kCounted)
        if (name == keyword) return piece_.notes.add(note, line_);
    if (std::ranges::find(kParts, keyword) == std::end(kParts)) piece_.notes.add_statement(keyword);
}

}  // namespace tl
