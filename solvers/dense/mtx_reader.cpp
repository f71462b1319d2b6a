#include "solvers/dense/mtx_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/base/files.h"
#include "core/base/text.h"
#include "solvers/dense/file_faults.h"

namespace tl {

MtxReader::MtxReader(const std::string& path)
    : path_(path), file_size_(regular_file_size(path)), file_(path) {
    if (!file_) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
    read_banner();
    next_line();
    std::int64_t rows = take_integer("number of rows"), cols = take_integer("number of columns");
    if (header_.coordinate) header_.entries = take_integer("number of entries");
    end_line();
    check_extents(path_, rows, cols);
    header_.rows = static_cast<int>(rows);
    header_.cols = static_cast<int>(cols);
    if (header_.symmetry != 0 && rows != cols) fail("a symmetric matrix is square");
    check_entries();
}

void MtxReader::read(const Take& take) {
    if (header_.coordinate)
        read_coordinates(take);
    else
        read_array(take);
    if (next_line_or_end()) fail("there are more entries than the second line says");
}

void MtxReader::fail(const std::string& what) const {
    fail_at_line(path_, line_, what);
}

void MtxReader::fail_banner(const std::string& what) const {
    fail_at_line(path_, 1, what);
}

void MtxReader::fail_not_finite(int row, int col, const std::string& what) const {
    fail("element (" + std::to_string(row) + ", " + std::to_string(col) +
         "), counted from 0, is not finite but " + what);
}

/// Refuses more entries than the file's bytes can hold: two for an element of an array, four for
/// one with its row and column, and two more for an imaginary part.
void MtxReader::check_entries() const {
    auto entries = header_.entries;
    auto rows = static_cast<std::int64_t>(header_.rows);
    if (!header_.coordinate)
        entries = header_.symmetry == 0 ? rows * header_.cols : rows * (rows - 1) / 2;
    if (entries < 0) fail("the number of entries is negative");
    int least_bytes = (header_.coordinate ? 4 : 2) + (header_.complex ? 2 : 0);
    if (entries > static_cast<std::int64_t>(file_size_) / least_bytes)
        fail("the file is too short for " + std::to_string(entries) + " entries");
}

void MtxReader::read_banner() {
    take_line();
    std::string words[5];
    std::istringstream stream(lower_case(text_));
    for (auto& word : words) stream >> word;
    if (words[0] != "%%matrixmarket" || words[1] != "matrix")
        fail("this is no MatrixMarket file: its first line is not '%%MatrixMarket matrix ...'");
    if (words[2] != "array" && words[2] != "coordinate")
        fail("format '" + words[2] + "' is not known: array or coordinate");
    header_.coordinate = words[2] == "coordinate";
    header_.pattern = words[3] == "pattern";
    header_.complex = words[3] == "complex";
    if (words[3] != "real" && words[3] != "integer" && words[3] != "double" && !header_.complex &&
        !(header_.pattern && header_.coordinate))
        fail("elements of kind '" + words[3] +
             "' are not read: real, integer, complex or, of coordinates, pattern");
    header_.hermitian = words[4] == "hermitian" && header_.complex;
    if (words[4] == "symmetric" || header_.hermitian)
        header_.symmetry = 1;
    else if (words[4] == "skew-symmetric")
        header_.symmetry = -1;
    else if (words[4] != "general")
        fail(
            "symmetry '" + words[4] +
            "' is not read: general, symmetric, skew-symmetric or, of complex elements, hermitian" +
            (words[4] == "hermitian" ? "; a real hermitian matrix is symmetric" : ""));
    if (header_.pattern && header_.symmetry < 0)
        fail("a pattern has no signs, so it is not skew-symmetric");
}

void MtxReader::take_line() {
    ++line_;
    file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    auto length = file_.gcount();
    if (length == 0) fail("the file ends early");
    if (file_.fail()) fail("the line is longer than " + std::to_string(length) + " bytes");
    if (!file_.eof()) --length;  // the line's end
    text_.assign(buffer_.data(), static_cast<std::size_t>(length));
}

/// Reads the next line that is neither empty nor a comment.
void MtxReader::next_line() {
    do {
        take_line();
        at_ = text_.find_first_not_of(" \t\r");
    } while (at_ == std::string::npos || text_[at_] == '%');
}

/// Reads the next such line; returns false at the end of the file.
bool MtxReader::next_line_or_end() {
    while (file_.peek() != std::ifstream::traits_type::eof()) {
        take_line();
        at_ = text_.find_first_not_of(" \t\r");
        if (at_ != std::string::npos && text_[at_] != '%') return true;
    }
    return false;
}

std::string_view MtxReader::take_word(const char* what) {
    at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
    auto end = std::min(text_.find_first_of(" \t\r", at_), text_.size());
    if (at_ == end) fail(std::string("the ") + what + " is missing");
    std::string_view word(text_.data() + at_, end - at_);
    at_ = end;
    return word;
}

std::int64_t MtxReader::take_integer(const char* what) {
    auto word = take_word(what);
    if (word.front() == '+') word.remove_prefix(1);
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
        fail(std::string(what) + " expected, not '" + std::string(word.substr(0, 40)) + "'");
    return value;
}

/// A number, in C's notation or Fortran's.
double MtxReader::take_number() {
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

/// The value of an entry: 1 in a pattern, two numbers if it is complex.
Complex<double> MtxReader::take_value() {
    if (header_.pattern) return 1.0;
    double re = take_number();
    return {re, header_.complex ? take_number() : 0.0};
}

void MtxReader::end_line() {
    if (text_.find_first_not_of(" \t\r", at_) != std::string::npos)
        fail("there is more on the line than there should be");
}

/// Takes an element, and the one that symmetry gives.
void MtxReader::take_element(int i, int j, Complex<double> value, const Take& take) {
    if (!is_finite(value))
        fail_not_finite(i, j,
                        (header_.complex ? element_text(value) : element_text(value.re)) +
                            ": replace it by a number");
    if (header_.hermitian && i == j && value.im != 0)
        fail("element (" + std::to_string(i) + ", " + std::to_string(j) + "), counted from 0, is " +
             element_text(value) + ", but the diagonal of a hermitian matrix is real");
    take(i, j, value);
    if (header_.symmetry == 0 || i == j) return;
    if (header_.hermitian)
        take(j, i, conjugate(value));
    else
        take(j, i, header_.symmetry > 0 ? value : -value);
}

/// Rejects entries that symmetry implies: those of both triangles, and a nonzero diagonal of a
/// skew-symmetric matrix.
void MtxReader::check_triangle(std::int64_t i, std::int64_t j, Complex<double> value) {
    auto entry = [&] { return "entry (" + std::to_string(i) + ", " + std::to_string(j) + ")"; };
    if (i == j) {
        if (header_.symmetry < 0 && value != Complex<double>())
            fail(entry() + " is not zero, but a skew-symmetric matrix has a diagonal of zeros");
        return;
    }
    (i > j ? has_lower_ : has_upper_) = true;
    if (has_lower_ && has_upper_)
        fail(entry() + " is in the " + (i > j ? "lower" : "upper") +
             " triangle, but earlier entries are in the other one: a file of a symmetric matrix "
             "lists one triangle alone; call the matrix general, or leave one out");
}

void MtxReader::read_coordinates(const Take& take) {
    for (std::int64_t k = 0; k < header_.entries; ++k) {
        next_line();
        auto i = take_integer("row number"), j = take_integer("column number");
        if (i < 1 || i > header_.rows || j < 1 || j > header_.cols)
            fail("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                 ") lies outside of the matrix of " + std::to_string(header_.rows) + "x" +
                 std::to_string(header_.cols));
        auto value = take_value();
        end_line();
        if (header_.symmetry != 0) check_triangle(i, j, value);
        take_element(static_cast<int>(i - 1), static_cast<int>(j - 1), value, take);
    }
}

void MtxReader::read_array(const Take& take) {
    for (int j = 0; j < header_.cols; ++j) {
        int first = header_.symmetry == 0 ? 0 : header_.symmetry > 0 ? j : j + 1;
        for (int i = first; i < header_.rows; ++i) {
            next_line();
            auto value = take_value();
            take_element(i, j, value, take);
            end_line();
        }
    }
}

}  // namespace tl
