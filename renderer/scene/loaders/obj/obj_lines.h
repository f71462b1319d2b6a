// Lines of an OBJ text, and its pieces, which are read at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

/// Numbers of lines, and of the elements that faces name.
struct ObjCounts {
    std::int64_t positions = 0, uvs = 0, normals = 0;
    std::size_t lines = 0;
};

/// Cuts text into lines, which end in "\n", "\r\n" or "\r". The text must go on, at its end, with a
/// character that belongs to no line, as a string does.
class ObjLines {
  public:
    ObjLines(char* begin, char* end) : at_(begin), end_(end) {}

    /// A line without its end.
    struct Line {
        char *begin, *end;
    };

    [[nodiscard]] bool are_left() const { return at_ < end_; }
    /// The number of lines that have been taken.
    [[nodiscard]] std::size_t n_taken() const { return n_taken_; }
    /// The next line and those that it continues on, after a backslash at its end. They become one
    /// line in the text: blanks take the place of backslashes and ends of lines between them.
    [[nodiscard]] Line take_joined();
    /// Counts the lines that are left and their elements, and takes them. The text stays as it is.
    [[nodiscard]] ObjCounts count();

  private:
    [[nodiscard]] Line take();
    /// Whether a line continues on the next.
    [[nodiscard]] bool continues(const Line& line) const {
        return line.end > line.begin && line.end < end_ && line.end[-1] == '\\';
    }

    char *at_, *end_;
    char* newline_ = nullptr;  // the first '\n' from at_ on, or end_; stale if it is before at_
    std::size_t n_taken_ = 0;
};

/// Offsets at which a text can be cut into pieces of at least `n_bytes`, between lines that do not
/// continue one another; 0 is the first one, and the text's size the last.
[[nodiscard]] std::vector<std::size_t> piece_bounds(const std::string& text, std::size_t n_bytes);

}  // namespace tl
