// Reads the numbers of a text file one after the other, and tracks their lines.
#pragma once

#include <string>
#include <string_view>

namespace tl {

class NumberReader {
  public:
    /// Both must outlive the reader. `#` and `//` start comments to the end of the line.
    NumberReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// The next number; if there is none, throws UserError saying that `what` was expected.
    [[nodiscard]] double number(const char* what);
    /// A finite number of a magnitude up to kLargestCoordinate.
    [[nodiscard]] float coordinate(const char* what);
    /// A whole number of [minimum, maximum].
    [[nodiscard]] std::int64_t integer(const char* what, std::int64_t minimum,
                                       std::int64_t maximum);
    /// Whether only white space and comments are left.
    [[nodiscard]] bool at_end();

    /// Throws UserError "file:line: what".
    [[noreturn]] void fail(const std::string& what) const;

  private:
    void skip_space();
    [[nodiscard]] std::string_view word() const;

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

}  // namespace tl
