// Hands the statements of an OBJ text to tinyobjloader one by one, so that its callbacks know the
// line, and mends those that it would read wrongly.
#pragma once

#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>
#include <unordered_map>

#include "renderer/scene/loaders/obj/obj_lines.h"
#include "renderer/scene/loaders/obj/obj_piece.h"

namespace tl {

/// Meaning of a statement for the library.
enum class ObjStatement { position, color, uv, normal, face, line, points, other };

/// A stream of a piece's statements, of which the library gets a line whenever it asks for one.
///
/// The library takes words that are no numbers for 0, counts "1/0" as "1", and lets large numbers
/// overflow. Such words are errors, or are spelled anew. Its callbacks know no lines, points and
/// colours: these become faces and positions, whose meaning kind() tells. Statements that it does
/// not know go into the piece here.
class ObjStatements : public std::streambuf {
  public:
    /// `file` is the name in messages. All must outlive the object.
    ObjStatements(ObjPiece& piece, const std::string& file, const OnBytesParsed& on_parsed)
        : piece_(piece),
          file_(file),
          on_parsed_(on_parsed),
          lines_(piece.begin, piece.end),
          reported_(piece.begin) {}

    /// Of the statement that the library has read last.
    [[nodiscard]] ObjStatement kind() const { return kind_; }
    [[nodiscard]] std::size_t line() const { return line_; }
    /// The word of that statement at an index; the keyword is number 0.
    [[nodiscard]] std::string_view word(int index) const;

    /// Selects the material of the next faces; none by an empty name.
    void use_material(std::string_view name);
    /// Index in one of the file's lists, from the number of a corner: from 1, or relative to the
    /// elements so far. `corner` is the index of its word.
    int index(ObjElements& list, std::int64_t given, int corner) const;

    [[noreturn]] void fail(std::size_t line, const std::string& what) const;
    [[noreturn]] void fail(const std::string& what) const { fail(line_, what); }

  protected:
    int_type underflow() override;

  private:
    bool prepare();
    bool prepare_numbers(ObjStatement kind, ObjElements& list, int n_read);
    bool mend_numbers(const ObjElements& list, int n_read);
    void prepare_color(const char* words);
    bool prepare_corners(ObjStatement kind);
    bool mend_corners();
    void mend_corner(std::string_view word, int index_of_word);
    bool take_unknown();
    void read_smoothing_group();
    void note_statement();
    bool hand_over(char* end);
    bool hand_over(std::string& line);

    ObjPiece& piece_;
    const std::string& file_;
    const OnBytesParsed& on_parsed_;
    ObjLines lines_;
    const char* reported_;  ///< end of the bytes that on_parsed_ knows of
    ObjStatement kind_ = ObjStatement::other;
    std::size_t line_ = 0;
    // The statement: its keyword, and the rest of its line.
    char *begin_ = nullptr, *after_keyword_ = nullptr, *end_ = nullptr;
    std::string mended_, color_;  // spelled anew; color_ follows the position of its line
    std::unordered_map<std::string, int> material_places_;
};

}  // namespace tl
