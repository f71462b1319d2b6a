#include "solvers/dense/matrix_files.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "accel/parallel/device_cpu.h"
#include "accel/parallel/files.h"
#include "accel/parallel/one_line.h"

static_assert(std::endian::native == std::endian::little);

namespace tl {
namespace {

[[noreturn]] void fail_at_byte(const std::string& path, std::size_t byte, const std::string& what) {
    throw UserError(path + ": byte " + std::to_string(byte) + ": " + escaped(what));
}
[[noreturn]] void fail_at_line(const std::string& path, std::size_t line, const std::string& what) {
    throw UserError(path + ":" + std::to_string(line) + ": " + escaped(what));
}

std::string matrix_of(std::int64_t rows, std::int64_t cols) {
    return "a matrix of " + std::to_string(rows) + "x" + std::to_string(cols);
}

void check_size(const std::string& path, std::int64_t rows, std::int64_t cols) {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (rows < 1 || cols < 1)
        throw UserError(path + ": the matrix is empty (" + std::to_string(rows) + " rows, " +
                        std::to_string(cols) + " columns)");
    if (rows > kMost || cols > kMost || rows > (std::int64_t{1} << 40) / cols)
        throw UserError(path + ": " + matrix_of(rows, cols) + " is too large");
}

/// A matrix for the elements of a file. Throws UserError where there is no memory for it.
HostMatrix<double> room_for(const std::string& path, std::int64_t rows, std::int64_t cols) {
    constexpr std::uint64_t kCopies = 3;  // as read, in the wanted precision, and on the device
    auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(double);
    require_memory(cpu_device(), kCopies * bytes, path + ": " + matrix_of(rows, cols),
                   "zeros take room too; take a smaller matrix, or close other programs");
    return {static_cast<int>(rows), static_cast<int>(cols)};
}

/// A .npy header: a Python dictionary with three relevant entries.
struct NpyHeader {
    std::string type;
    bool column_major = false;
    std::vector<std::int64_t> shape;
    std::size_t data_begin = 0;
};

/// The dictionary's text after 'key':.
std::string_view after_key(const std::string& path, std::string_view text, std::size_t begin,
                           const std::string& key) {
    auto at = text.find("'" + key + "'");
    auto colon = at == std::string_view::npos ? at : text.find(':', at);
    if (colon == std::string_view::npos)
        fail_at_byte(path, begin, "the header has no '" + key + "'");
    auto value = text.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return value;
}

NpyHeader read_npy_header(const std::string& path, std::ifstream& file, std::size_t file_size) {
    char start[12] = {};
    file.read(start, 10);
    if (!file || std::memcmp(start, "\x93NUMPY", 6) != 0)
        fail_at_byte(path, 0, "this is no .npy file: it does not start with \\x93NUMPY");
    constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
    int version = static_cast<unsigned char>(start[6]);
    std::size_t begin = 10, length = 0;
    if (version == 1) {
        std::uint16_t size = 0;
        std::memcpy(&size, start + 8, 2);
        length = size;
    } else if (version == 2 || version == 3) {
        file.read(start + 10, 2);
        std::uint32_t size = 0;
        std::memcpy(&size, start + 8, 4);
        length = size;
        begin = 12;
    } else {
        fail_at_byte(path, 6, ".npy version " + std::to_string(version) + " is not known");
    }
    if (begin + length > file_size)
        fail_at_byte(path, begin, "the header goes past the file's end");
    if (length > kLongestHeader) fail_at_byte(path, begin, "the header is longer than a MiB");
    std::string text(length, ' ');
    file.read(text.data(), static_cast<std::streamsize>(length));
    NpyHeader header;
    header.data_begin = begin + length;
    auto type = after_key(path, text, begin, "descr");
    if (type.size() < 5 || type[0] != '\'')
        fail_at_byte(path, begin, "the elements are structures; floats or doubles are read");
    header.type = type.substr(1, type.find('\'', 1) - 1);
    header.column_major = after_key(path, text, begin, "fortran_order").starts_with("True");
    auto shape = after_key(path, text, begin, "shape");
    shape = shape.substr(0, shape.find(')'));
    for (std::size_t i = 0; i < shape.size();) {
        if (!std::isdigit(static_cast<unsigned char>(shape[i]))) {
            ++i;
            continue;
        }
        std::int64_t extent = 0;
        auto [end, error] = std::from_chars(&shape[i], shape.data() + shape.size(), extent);
        if (error != std::errc()) fail_at_byte(path, begin, "the shape is not a list of sizes");
        header.shape.push_back(extent);
        i = static_cast<std::size_t>(end - shape.data());
    }
    return header;
}

template <class T>
void read_elements(std::ifstream& file, bool column_major, HostMatrix<double>& matrix) {
    int outer = column_major ? matrix.cols : matrix.rows;
    int inner = column_major ? matrix.rows : matrix.cols;
    std::vector<T> line(inner);
    for (int o = 0; o < outer; ++o) {
        file.read(reinterpret_cast<char*>(line.data()),
                  static_cast<std::streamsize>(line.size() * sizeof(T)));
        for (int i = 0; i < inner; ++i)
            (column_major ? matrix(i, o) : matrix(o, i)) = static_cast<double>(line[i]);
    }
}

/// Bytes of an element: 8 for doubles, 4 for floats.
std::size_t element_bytes(const std::string& path, const NpyHeader& header) {
    if (header.type != "<f8" && header.type != "<f4")
        fail_at_byte(path, 10,
                     "elements of type '" + header.type +
                         "' are not read: save the array as float32 or float64");
    return header.type == "<f8" ? 8 : 4;
}

void require_elements(const std::string& path, const NpyHeader& header, std::size_t file_size,
                      std::size_t bytes, const std::string& what) {
    if (header.data_begin + bytes > file_size)
        fail_at_byte(path, file_size,
                     "the file ends early: " + what + " need " +
                         std::to_string(header.data_begin + bytes) + " bytes");
}

HostMatrix<double> read_npy(const std::string& path) {
    std::size_t file_size = regular_file_size(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
    auto header = read_npy_header(path, file, file_size);
    if (header.shape.empty() || header.shape.size() > 2)
        fail_at_byte(path, 10,
                     "the array has " + std::to_string(header.shape.size()) +
                         " dimensions; a matrix has two (or one, for a single column)");
    std::size_t element = element_bytes(path, header);
    std::int64_t rows = header.shape[0], cols = header.shape.size() == 2 ? header.shape[1] : 1;
    check_size(path, rows, cols);
    require_elements(path, header, file_size,
                     static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * element,
                     std::to_string(rows) + "x" + std::to_string(cols) + " elements");
    auto matrix = room_for(path, rows, cols);
    if (element == 8)
        read_elements<double>(file, header.column_major, matrix);
    else
        read_elements<float>(file, header.column_major, matrix);
    return matrix;
}

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
        check_size(path_, rows, cols);
        if (symmetry_ != 0 && rows != cols) fail("a symmetric matrix is square");
        check_entries(rows, cols, entries);
        auto matrix = room_for(path_, rows, cols);
        if (coordinate_)
            read_coordinates(matrix, entries);
        else
            read_array(matrix);
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
        // A file of a few bytes is not to ask for much memory.
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
            fail("elements of kind '" + words[3] + "' are not read: real or integer");
        if (words[4] == "symmetric")
            symmetry_ = 1;
        else if (words[4] == "skew-symmetric")
            symmetry_ = -1;
        else if (words[4] != "general")
            fail("symmetry '" + words[4] + "' is not read: general, symmetric or skew-symmetric");
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
    void end_line() {
        if (text_.find_first_not_of(" \t\r", at_) != std::string::npos)
            fail("there is more on the line than there should be");
    }

    void put(HostMatrix<double>& matrix, int i, int j, double value) const {
        matrix(i, j) = value;
        if (symmetry_ != 0 && i != j) matrix(j, i) = symmetry_ * value;
    }

    void read_coordinates(HostMatrix<double>& matrix, std::int64_t entries) {
        for (std::int64_t k = 0; k < entries; ++k) {
            next_line();
            auto i = take_integer("row number"), j = take_integer("column number");
            if (i < 1 || i > matrix.rows || j < 1 || j > matrix.cols)
                fail("entry (" + std::to_string(i) + ", " + std::to_string(j) +
                     ") lies outside of the matrix of " + std::to_string(matrix.rows) + "x" +
                     std::to_string(matrix.cols));
            double value = pattern_ ? 1 : take<double>("number");
            end_line();
            put(matrix, static_cast<int>(i - 1), static_cast<int>(j - 1), value);
        }
    }
    void read_array(HostMatrix<double>& matrix) {
        for (int j = 0; j < matrix.cols; ++j) {
            int first = symmetry_ == 0 ? 0 : symmetry_ > 0 ? j : j + 1;
            for (int i = first; i < matrix.rows; ++i) {
                next_line();
                put(matrix, i, j, take<double>("number"));
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
    int symmetry_ = 0;  ///< 1 symmetric, -1 skew-symmetric
};

}  // namespace

HostMatrix<double> read_matrix(const std::string& path) {
    auto ending = std::filesystem::path(path).extension().string();
    if (ending == ".npy") return read_npy(path);
    if (ending == ".mtx") return MtxReader(path).read();
    throw UserError(path + ": matrices are read from .npy and .mtx files");
}

MatrixBatch read_batch(const std::string& path) {
    std::size_t file_size = regular_file_size(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
    auto header = read_npy_header(path, file, file_size);
    auto& shape = header.shape;
    std::size_t n_dimensions = shape.size();
    if (n_dimensions < 2 || n_dimensions > 3 || shape[n_dimensions - 1] != shape[n_dimensions - 2])
        fail_at_byte(path, 10,
                     "the array is no batch of square matrices: its shape has to be (n, n) or "
                     "(count, n, n)");
    std::size_t element = element_bytes(path, header);
    std::int64_t rows = shape.back(), count = n_dimensions == 3 ? shape[0] : 1;
    constexpr std::int64_t kMostRows = 1 << 16;
    if (rows < 1 || rows > kMostRows || count < 1 ||
        count > (std::int64_t{1} << 40) / (rows * rows))
        throw UserError(path + ": a batch of " + std::to_string(count) + " matrices of " +
                        std::to_string(rows) + " rows is empty or too large");
    auto n_elements = static_cast<std::size_t>(count * rows * rows);
    require_elements(path, header, file_size, n_elements * element, "the batch");
    constexpr std::uint64_t kCopies = 3;  // as read, in the wanted precision, and on the device
    require_memory(cpu_device(), kCopies * n_elements * sizeof(double), path + ": the batch",
                   "split the file, or close other programs");
    MatrixBatch batch{static_cast<int>(rows), static_cast<std::size_t>(count), element == 4,
                      std::vector<double>(n_elements)};
    auto n = static_cast<std::size_t>(rows);
    auto place = [&](std::size_t e) {
        if (!header.column_major) return e;
        return (e % batch.count * n + e / batch.count % n) * n + e / batch.count / n;
    };
    auto read = [&]<class T>(T) {
        std::vector<T> part(std::size_t{1} << 16);
        for (std::size_t first = 0; first < n_elements; first += part.size()) {
            std::size_t size = std::min(part.size(), n_elements - first);
            file.read(reinterpret_cast<char*>(part.data()),
                      static_cast<std::streamsize>(size * sizeof(T)));
            for (std::size_t i = 0; i < size; ++i)
                batch.data[place(first + i)] = static_cast<double>(part[i]);
        }
    };
    if (batch.single)
        read(float{});
    else
        read(double{});
    return batch;
}

void write_npy_header(FileWriter& file, const char* type, std::span<const std::size_t> shape,
                      bool column_major) {
    std::string header = std::string("{'descr': '") + type +
                         "', 'fortran_order': " + (column_major ? "True" : "False") +
                         ", 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i)
        header += (i > 0 ? " " : "") + std::to_string(shape[i]) +
                  (i == 0 || i + 1 < shape.size() ? "," : "");
    header += "), }";
    // The data begin at a multiple of 64 bytes; the header ends with a newline.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    auto length = static_cast<std::uint16_t>(header.size());
    file.write({"\x93NUMPY\x01\x00", 8});
    file.write({reinterpret_cast<const char*>(&length), sizeof length});
    file.write(header);
}

template <class T>
void write_npy(FileWriter& file, int rows, int cols, std::span<const T> data) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(rows)};
    if (cols > 0) shape.push_back(static_cast<std::size_t>(cols));
    write_npy_header(file, sizeof(T) == 8 ? "<f8" : "<f4", shape, true);
    auto bytes = std::as_bytes(data);
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data) {
    FileWriter file(path);
    write_npy(file, rows, cols, data);
    file.finish();
}

template void write_npy(FileWriter&, int, int, std::span<const float>);
template void write_npy(FileWriter&, int, int, std::span<const double>);
template void write_npy(const std::string&, int, int, std::span<const float>);
template void write_npy(const std::string&, int, int, std::span<const double>);

}  // namespace tl
