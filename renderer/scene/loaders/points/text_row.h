// Splits lines of text that hold a table of numbers, and reads these, with points or commas as
// decimal marks.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tl {

/// The separators and decimal marks of a file.
struct TextLayout {
    /// A semicolon, comma or tab alone. A blank means any blanks and tabs, among which there may be
    /// one comma or semicolon.
    char separator = ' ';
    /// Commas are decimal marks, and separate nothing.
    bool decimal_commas = false;
};

/// A word of a line, without the quotes around it.
struct TextWord {
    std::string_view text;
    bool is_quoted = false;
};

/// The start of a line's comment, after `#` or `//` outside of quotes; its length where it has
/// none. `1.#QNAN` starts none.
[[nodiscard]] std::size_t start_of_comment(std::string_view line);

/// The most words that lines are split into, and one more where they have more.
inline constexpr std::size_t kMostWords = 4096;

/// Replaces `words` by those of a line without a comment. A word is empty between two separators
/// that are not blanks. One that ends the line is followed by an empty word where the layout has
/// that separator alone.
void split_row(std::string_view line, TextLayout layout, std::vector<TextWord>& words);

/// The use of the commas of a line.
enum class CommaUse {
    separators,
    decimal_marks,  ///< as in "0,5 1 2,5" and "0,5;1;2,5"
    unclear,        ///< commas may be both, or stand between thousands
};

/// Finds the use in a line with a comma. `has_points`: other numbers of the file have decimal
/// points.
[[nodiscard]] CommaUse use_of_commas(std::string_view line, bool has_points);

/// The number that a word spells: as real_in() reads it; with D for E in its exponent; with a comma
/// as decimal mark where words of the file have that, or where it is in quotes. None for others,
/// and for those with a point where the file has decimal commas.
[[nodiscard]] std::optional<double> number_of(TextWord word, bool decimal_commas);

}  // namespace tl
