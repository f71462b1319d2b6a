#include "solvers/dense/npy_file.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/base/files.h"
#include "core/base/one_line.h"
#include "solvers/dense/file_faults.h"

static_assert(std::endian::native == std::endian::little);

namespace tl {
namespace {

/// IEEE 754's binary16.
struct Half {
    std::uint16_t bits;
};
double number_of(Half half) {
    int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
    double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                       : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                        : std::ldexp(fraction + 1024, exponent - 25);
    return half.bits >> 15 != 0 ? -magnitude : magnitude;
}
template <class T>
double number_of(T value) {
    return static_cast<double>(value);
}

/// Whether a double holds the number; 2^63 and 2^64, which rounding may reach, are no T.
template <class T>
bool is_exact(T value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        constexpr double kEnd = std::is_signed_v<T> ? 0x1p63 : 0x1p64;
        auto rounded = static_cast<double>(value);
        return rounded < kEnd && static_cast<T>(rounded) == value;
    }
    return true;
}

}  // namespace

NpyFile::NpyFile(const std::string& path)
    : path_(path), size_(regular_file_size(path)), file_(path, std::ios::binary) {
    if (!file_) throw UserError(path + ": cannot be opened: " + std::strerror(errno));
    char start[12] = {};
    file_.read(start, 10);
    if (!file_ || std::memcmp(start, "\x93NUMPY", 6) != 0)
        fail_at_byte(path, 0, "this is no .npy file: it does not start with \\x93NUMPY");
    constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
    int version = static_cast<unsigned char>(start[6]);
    std::size_t length = 0;
    if (version == 1) {
        std::uint16_t bytes = 0;
        std::memcpy(&bytes, start + 8, 2);
        length = bytes;
    } else if (version == 2 || version == 3) {
        file_.read(start + 10, 2);
        std::uint32_t bytes = 0;
        std::memcpy(&bytes, start + 8, 4);
        length = bytes;
        header_begin_ = 12;
    } else {
        fail_at_byte(path, 6,
                     ".npy version " + std::to_string(version) + " is not known: 1, 2 or 3");
    }
    if (header_begin_ + length > size_) fail("the header goes past the file's end");
    if (length > kLongestHeader) fail("the header is longer than a MiB");
    std::string text(length, ' ');
    file_.read(text.data(), static_cast<std::streamsize>(length));
    data_begin_ = header_begin_ + length;
    read_dictionary(text);
}

void NpyFile::fail(const std::string& what) const {
    fail_at_byte(path_, header_begin_, what);
}

void NpyFile::require_real() const {
    if (complex()) fail(kComplexNumbers);
}

/// The dictionary's text after 'key':.
std::string_view NpyFile::after_key(std::string_view text, const std::string& key) const {
    auto at = text.find("'" + key + "'");
    if (at == std::string_view::npos) at = text.find('"' + key + '"');
    auto colon = at == std::string_view::npos ? at : text.find(':', at);
    if (colon == std::string_view::npos) fail("the header has no '" + key + "'");
    auto value = text.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return value;
}

void NpyFile::read_dictionary(const std::string& text) {
    auto type = after_key(text, "descr");
    if (type.empty() || (type[0] != '\'' && type[0] != '"'))
        fail("the elements are records: save one of their fields, such as array['x']");
    take_type(type.substr(1, type.find(type[0], 1) - 1));
    auto order = after_key(text, "fortran_order");
    column_major_ = order.starts_with("True");
    if (!column_major_ && !order.starts_with("False"))
        fail("'fortran_order' is neither True nor False");
    take_shape(after_key(text, "shape"));
}

void NpyFile::take_type(std::string_view type) {
    std::string advice = "save the array as float64, by array.astype('float64')";
    auto refuse = [&] {
        fail("elements of type '" + std::string(type.substr(0, 40)) + "' are not read: " + advice);
    };
    std::string_view rest = type;
    char order = '=';
    if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
        order = rest[0];
        rest.remove_prefix(1);
    }
    if (rest.empty()) refuse();
    kind_ = rest[0];
    if (complex()) advice = "save the array as complex128, by array.astype('complex128')";
    auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), element_);
    bool known = error == std::errc() && end == rest.data() + rest.size();
    auto is_one_of = [&](std::initializer_list<std::size_t> sizes) {
        return std::ranges::find(sizes, element_) != sizes.end();
    };
    known =
        known && ((kind_ == 'f' && is_one_of({2, 4, 8})) || (kind_ == 'c' && is_one_of({8, 16})) ||
                  ((kind_ == 'i' || kind_ == 'u') && is_one_of({1, 2, 4, 8})) ||
                  (kind_ == 'b' && element_ == 1));
    if (!known) refuse();
    part_ = complex() ? element_ / 2 : element_;
    swapped_ = order == '>' && part_ > 1;
    single_ = (kind_ == 'f' || kind_ == 'c') && part_ <= 4;
}

void NpyFile::take_shape(std::string_view text) {
    if (!text.starts_with('(')) fail("the shape is not a list of sizes");
    auto shape = text.substr(0, text.find(')'));
    for (std::size_t i = 0; i < shape.size();) {
        if (!std::isdigit(static_cast<unsigned char>(shape[i]))) {
            if (shape[i] == '-') fail("the shape has a negative size");
            ++i;
            continue;
        }
        std::int64_t extent = 0;
        auto [end, error] = std::from_chars(&shape[i], shape.data() + shape.size(), extent);
        if (error != std::errc()) fail("the shape is not a list of sizes");
        shape_.push_back(extent);
        i = static_cast<std::size_t>(end - shape.data());
    }
}

void NpyFile::require_elements(std::size_t count, const std::string& what) const {
    std::size_t end = data_begin_ + count * element_;
    if (end > size_)
        fail_at_byte(path_, size_,
                     "the file ends early: " + what + " need " + std::to_string(end) + " bytes");
}

template <class T>
double NpyFile::take_number(const char*& from) const {
    char bytes[sizeof(T)];
    std::memcpy(bytes, from, sizeof(T));
    from += sizeof(T);
    if (swapped_) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    if constexpr (std::is_integral_v<T>) {
        if (!is_exact(value))
            throw UserError(path_ + ": " + place_of(next_) + " is " + std::to_string(value) +
                            ", which no double holds exactly: save the array as float64");
    }
    return number_of(value);
}

template <class T, class To>
void NpyFile::read_as(std::span<To> to) {
    const char* from = buffer_.data();
    for (To& x : to) {
        x = take_number<T>(from);
        if constexpr (std::is_same_v<To, Complex<double>>)
            if (complex()) x.im = take_number<T>(from);
        ++next_;
    }
}

template <class To>
void NpyFile::read_elements(std::span<To> to) {
    buffer_.resize(to.size() * element_);
    file_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (kind_ == 'f' || kind_ == 'c') {
        if (part_ == 8) return read_as<double>(to);
        if (part_ == 4) return read_as<float>(to);
        return read_as<Half>(to);
    }
    bool is_signed = kind_ == 'i';
    switch (part_) {
        case 1:
            return is_signed ? read_as<std::int8_t>(to) : read_as<std::uint8_t>(to);
        case 2:
            return is_signed ? read_as<std::int16_t>(to) : read_as<std::uint16_t>(to);
        case 4:
            return is_signed ? read_as<std::int32_t>(to) : read_as<std::uint32_t>(to);
        default:
            return is_signed ? read_as<std::int64_t>(to) : read_as<std::uint64_t>(to);
    }
}

void NpyFile::read(std::span<double> to) {
    require_real();
    read_elements(to);
}

void NpyFile::read(std::span<Complex<double>> to) {
    read_elements(to);
}

void NpyFile::skip(std::size_t count) {
    if (count == 0) return;
    file_.seekg(static_cast<std::streamoff>(count * element_), std::ios::cur);
    next_ += count;
}

std::string NpyFile::place_of(std::size_t index) const {
    std::vector<std::size_t> at(std::max<std::size_t>(shape_.size(), 1));
    for (std::size_t d = 0; d < shape_.size(); ++d) {
        std::size_t axis = column_major_ ? d : shape_.size() - 1 - d;
        auto extent = std::max<std::size_t>(static_cast<std::size_t>(shape_[axis]), 1);
        at[axis] = index % extent;
        index /= extent;
    }
    std::string text;
    if (at.size() == 3) text = "matrix " + std::to_string(at[0]) + ": ";
    text += "element (" + std::to_string(at.size() < 2 ? at[0] : at[at.size() - 2]);
    if (at.size() >= 2) text += ", " + std::to_string(at.back());
    return text + "), counted from 0,";
}

}  // namespace tl
