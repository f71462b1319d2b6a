// Reads arrays of NumPy's .npy files (https://numpy.org/neps/nep-0001-npy-format.html): versions 1
// to 3, real and complex numbers of any type and byte order, in either order of elements.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "solvers/dense/complex.h"

namespace tl {

class NpyFile {
  public:
    /// Reads the header. Throws UserError with the byte of the error, or with advice for elements
    /// that are no numbers.
    explicit NpyFile(const std::string& path);

    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
    /// The first index is the fastest one.
    [[nodiscard]] bool column_major() const { return column_major_; }
    /// A float holds the elements, or each part of complex ones.
    [[nodiscard]] bool single() const { return single_; }
    /// The elements have a real and an imaginary part.
    [[nodiscard]] bool complex() const { return kind_ == 'c'; }

    /// Throws UserError about the header: "PATH: byte 10: WHAT".
    [[noreturn]] void fail(const std::string& what) const;
    /// Throws UserError, which lists the commands for complex matrices, if the elements are
    /// complex.
    void require_real() const;
    /// Throws UserError unless the file has this many elements, named `what`.
    void require_elements(std::size_t count, const std::string& what) const;
    /// Reads the next elements in the file's order. Throws UserError for a whole number that a
    /// double does not hold, and as require_real() does.
    void read(std::span<double> to);
    /// Reads the next elements; real ones have an imaginary part of zero.
    void read(std::span<Complex<double>> to);
    /// Leaves the next elements out.
    void skip(std::size_t count);
    /// Row and column of the file's element number `index`: "element (0, 2), counted from 0,".
    [[nodiscard]] std::string place_of(std::size_t index) const;

  private:
    void read_dictionary(const std::string& text);
    void take_type(std::string_view type);
    void take_shape(std::string_view text);
    [[nodiscard]] std::string_view after_key(std::string_view text, const std::string& key) const;
    template <class To>
    void read_elements(std::span<To> to);
    template <class T, class To>
    void read_as(std::span<To> to);
    template <class T>
    double take_number(const char*& from) const;

    std::string path_;
    std::size_t size_;  ///< size of the file, bytes
    std::ifstream file_;
    std::vector<std::int64_t> shape_;
    bool column_major_ = false, single_ = false, swapped_ = false;
    char kind_ = 'f';          ///< NumPy's: f, c, i, u or b
    std::size_t element_ = 8;  ///< bytes
    std::size_t part_ = 8;     ///< bytes of a part: half an element if it is complex
    std::size_t header_begin_ = 10, data_begin_ = 0, next_ = 0;
    std::vector<char> buffer_;
};

}  // namespace tl
