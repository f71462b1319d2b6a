// Reads MatrixMarket files (Boisvert, Pozo & Remington 1996) entry by entry, for dense and sparse
// matrices.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "solvers/dense/complex.h"

namespace tl {

/// The first two lines of a MatrixMarket file.
struct MtxHeader {
    int rows = 0, cols = 0;
    std::int64_t entries = 0;  ///< listed entries of coordinates; 0 for arrays
    bool coordinate = false;   ///< coordinates, else an array
    bool pattern = false;      ///< entries have no value and are 1
    bool complex = false;      ///< entries have a real and an imaginary part
    int symmetry = 0;          ///< 1 symmetric or hermitian, -1 skew-symmetric, 0 general
    bool hermitian = false;    ///< elements mirrored at the diagonal are conjugates
};

class MtxReader {
  public:
    /// Takes row and column, counted from 0, and value, whose imaginary part is zero in files of
    /// real numbers.
    using Take = std::function<void(int, int, Complex<double>)>;

    /// Opens a file and reads its header. `path` must outlive the reader. Throws UserError with the
    /// file and the line, as all functions do: also where the file is too short for its entries.
    explicit MtxReader(const std::string& path);

    [[nodiscard]] const MtxHeader& header() const { return header_; }
    /// Bytes of the file.
    [[nodiscard]] std::size_t file_size() const { return file_size_; }
    /// Calls `take` for each element that the file lists, which is finite, and for the element that
    /// symmetry adds. An element may be listed more than once.
    void read(const Take& take);
    /// Throws UserError for the line that was read last.
    [[noreturn]] void fail(const std::string& what) const;
    /// Throws UserError for the first line, which says what the file holds.
    [[noreturn]] void fail_banner(const std::string& what) const;
    /// Throws UserError for an element, counted from 0, which is not finite but `what`.
    [[noreturn]] void fail_not_finite(int row, int col, const std::string& what) const;

  private:
    void read_banner();
    void check_entries() const;
    void take_line();
    void next_line();
    bool next_line_or_end();
    std::string_view take_word(const char* what);
    std::int64_t take_integer(const char* what);
    double take_number();
    Complex<double> take_value();
    void end_line();
    void take_element(int i, int j, Complex<double> value, const Take& take);
    void check_triangle(std::int64_t i, std::int64_t j, Complex<double> value);
    void read_coordinates(const Take& take);
    void read_array(const Take& take);

    const std::string& path_;
    std::size_t file_size_;
    std::ifstream file_;
    std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
    std::string text_;  ///< the line
    std::size_t at_ = 0, line_ = 0;
    MtxHeader header_;
    bool has_lower_ = false, has_upper_ = false;  ///< entries below and above the diagonal
};

}  // namespace tl
