#include "solvers/dense/mtx_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/base/files.h"
#include "core/base/text.h"
#include "solvers/dense/file_faults.h"

namespace tl {
namespace {

/// Reads a MatrixMarket file line by line.
class MtxReader {
  public:
    explicit MtxReader(const std::string& path)
        : path_(path), file_size_(regular_file_size(path)), file_(path) {
        if (!file_) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
    }

    HostMatrix<double> read() {
        read_banner();
        next_line();
        std::int64_t rows = take_integer("number of rows"),
                     cols = take_integer("number of columns");
        std::int64_t entries = coordinate_ ? take_integer("number of entries") : 0;
        end_line();
        check_matrix_size(path_, rows, cols);
        if (symmetry_ != 0 && rows != cols) fail("a symmetric matrix is square");
        check_entries(rows, cols, entries);
        auto matrix = room_for_matrix(path_, rows, cols);
        if (coordinate_)
            read_coordinates(matrix, entries);
        else
            read_array(matrix);
        if (next_line_or_end()) fail("there are more entries than the second line says");
        return matrix;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { fail_at_line(path_, line_, what); }

    /// Refuses more entries than the file's bytes can hold: two for an element of an array, four
    /// for one with its row and column.
    void check_entries(std::int64_t rows, std::int64_t cols, std::int64_t entries) const {
        if (!coordinate_) entries = symmetry_ == 0 ? rows * cols : rows * (rows - 1) / 2;
        if (entries < 0) fail("the number of entries is negative");
        if (entries > static_cast<std::int64_t>(file_size_) / (coordinate_ ? 4 : 2))
            fail("the file is too short for " + std::to_string(entries) + " entries");
        // A file of a few bytes must not request much memory.
        constexpr std::uint64_t kAlwaysTaken = std::uint64_t{64} << 20, kMostPerByte = 40;
        auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(double);
        if (bytes > kAlwaysTaken && bytes / kMostPerByte > file_size_)
            fail(matrix_of(rows, cols) + " takes " + std::to_string(bytes >> 20) +
                 " MiB with its zeros, more than " + std::to_string(kMostPerByte) +
                 " times its file; save it as .npy, with its zeros, if that is meant");
    }

    void read_banner() {
        take_line();
        std::string words[5];
        std::istringstream stream(lower_case(text_));
        for (auto& word : words) stream >> word;
        if (words[0] != "%%matrixmarket" || words[1] != "matrix")
            fail("this is no MatrixMarket file: its first line is not '%%MatrixMarket matrix ...'");
        if (words[2] != "array" && words[2] != "coordinate")
            fail("format '" + words[2] + "' is not known: array or coordinate");
        coordinate_ = words[2] == "coordinate";
        pattern_ = words[3] == "pattern";
        if (words[3] != "real" && words[3] != "integer" && words[3] != "double" &&
            !(pattern_ && coordinate_))
            fail("elements of kind '" + words[3] +
                 "' are not read: real, integer or, of coordinates, pattern; split complex ones "
                 "into two files");
        if (words[4] == "symmetric")
            symmetry_ = 1;
        else if (words[4] == "skew-symmetric")
            symmetry_ = -1;
        else if (words[4] != "general")
            fail("symmetry '" + words[4] + "' is not read: general, symmetric or skew-symmetric" +
                 (words[4] == "hermitian" ? ", as real hermitian matrices are" : ""));
        if (pattern_ && symmetry_ < 0) fail("a pattern has no signs, so it is not skew-symmetric");
    }

    void take_line() {
        ++line_;
        file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        auto length = file_.gcount();
        if (length == 0) fail("the file ends early");
        if (file_.fail()) fail("the line is longer than " + std::to_string(length) + " bytes");
        if (!file_.eof()) --length;  // the line's end
        text_.assign(buffer_.data(), static_cast<std::size_t>(length));
    }
    /// Reads the next line that is neither empty nor a comment.
    void next_line() {
        do {
            take_line();
            at_ = text_.find_first_not_of(" \t\r");
        } while (at_ == std::string::npos || text_[at_] == '%');
    }
    /// Reads the next such line; returns false at the end of the file.
    bool next_line_or_end() {
        while (file_.peek() != std::ifstream::traits_type::eof()) {
            take_line();
            at_ = text_.find_first_not_of(" \t\r");
            if (at_ != std::string::npos && text_[at_] != '%') return true;
        }
        return false;
    }
    std::string_view take_word(const char* what) {
        at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
        auto end = std::min(text_.find_first_of(" \t\r", at_), text_.size());
        if (at_ == end) fail(std::string("the ") + what + " is missing");
        std::string_view word(text_.data() + at_, end - at_);
        at_ = end;
        return word;
    }
    template <class Number>
    Number take(const char* what) {
        auto word = take_word(what);
        if (word.front() == '+') word.remove_prefix(1);
        Number value{};
        auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size())
            fail(std::string(what) + " expected, not '" + std::string(word.substr(0, 40)) + "'");
        return value;
    }
    std::int64_t take_integer(const char* what) { return take<std::int64_t>(what); }
    /// A number, in C's notation or Fortran's.
    double take_number() {
        auto word = take_word("number");
        std::string text(word.substr(word.front() == '+' ? 1 : 0));
        std::ranges::replace(text, 'D', 'e');
        std::ranges::replace(text, 'd', 'e');
        double value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end != text.data() + text.size() || error == std::errc::invalid_argument)
            fail("number expected, not '" + std::string(word.substr(0, 40)) + "'");
        // Too small is 0, and too large infinite.
        if (error == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
        return value;
    }
    void end_line() {
        if (text_.find_first_not_of(" \t\r", at_) != std::string::npos)
            fail("there is more on the line than there should be");
    }

    /// Adds to an element, and to the one that symmetry gives.
    void add(HostMatrix<double>& matrix, int i, int j, double value) {
        auto element = [&] {
            return "element (" + std::to_string(i) + ", " + std::to_string(j) +
                   "), counted from 0, is not finite but ";
        };
        if (!std::isfinite(value))
            fail(element() + number_text(value) + ": replace it by a number");
        matrix(i, j) += value;
        if (symmetry_ != 0 && i != j) matrix(j, i) += symmetry_ * value;
        if (!std::isfinite(matrix(i, j))) fail(element() + "a sum of entries that no double holds");
    }

    /// Rejects entries that symmetry implies: those of both triangles, and a nonzero diagonal of a
    /// skew-symmetric matrix.
    void check_triangle(std::int64_t i, std::int64_t j, double value) {
        auto entry = "entry (" + std::to_string(i) + ", " + std::to_string(j) + ")";
        if (i == j) {
            if (symmetry_ < 0 && value != 0)
                fail(entry + " is not zero, but a skew-symmetric matrix has a diagonal of zeros");
            return;
        }
        (i > j ? has_lower_ : has_upper_) = true;
        if (has_lower_ && has_upper_)
            fail(entry + " is in the " + (i > j ? "lower" : "upper") +
                 " triangle, but earlier entries are in the other one: a file of a symmetric "
                 "matrix lists one triangle alone; call the matrix general, or leave one out");
    }

    void read_coordinates(HostMatrix<double>& matrix, std::int64_t entries) {
        for (std::int64_t k = 0; k < entries; ++k) {
            next_line();
            auto i = take_integer("row number"), j = take_integer("column number");
            if (i < 1 || i > matrix.rows || j < 1 || j > matrix.cols)
                fail("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                     ") lies outside of the matrix of " + std::to_string(matrix.rows) + "x" +
                     std::to_string(matrix.cols));
            double value = pattern_ ? 1 : take_number();
            end_line();
            if (symmetry_ != 0) check_triangle(i, j, value);
            add(matrix, static_cast<int>(i - 1), static_cast<int>(j - 1), value);
        }
    }
    void read_array(HostMatrix<double>& matrix) {
        for (int j = 0; j < matrix.cols; ++j) {
            int first = symmetry_ == 0 ? 0 : symmetry_ > 0 ? j : j + 1;
            for (int i = first; i < matrix.rows; ++i) {
                next_line();
                add(matrix, i, j, take_number());
                end_line();
            }
        }
    }

    const std::string& path_;
    std::size_t file_size_;
    std::ifstream file_;
    std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
    std::string text_;  ///< the line
    std::size_t at_ = 0, line_ = 0;
    bool coordinate_ = false, pattern_ = false;
    bool has_lower_ = false, has_upper_ = false;  ///< entries below and above the diagonal
    int symmetry_ = 0;                            ///< 1 symmetric, -1 skew-symmetric
};

}  // namespace

HostMatrix<double> read_mtx(const std::string& path) {
    return MtxReader(path).read();
}

}  // namespace tl
