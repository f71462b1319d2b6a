// Reads the rows after a PLY file's header number by number, as text, or as bytes of either order.
// Both classes have the same members, so that one templated reader works with both. A copy of
// either reads the same rows again. They report the fraction of the file that has been parsed.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "core/base/read_progress.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/ply/ply_header.h"
#include "renderer/scene/loaders/words.h"

namespace tl {

/// The 32 bits of a whole number; 0 for others.
inline std::uint32_t bits_of_whole(double value) {
    bool has_bits = value >= INT32_MIN && value <= UINT32_MAX;
    return has_bits ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : 0;
}

/// Rows of text, one a line; blank lines are skipped.
class PlyTextRows {
  public:
    PlyTextRows(std::string_view bytes, const PlyHeader& header, const std::string& file,
                const ReadProgress& progress)
        : bytes_(bytes),
          file_(&file),
          next_(header.body),
          line_(header.body_line - 1),
          loop_(progress, "parsing", bytes.size()) {}

    /// The most rows of at least `n_numbers` numbers that the rest of the file can hold.
    [[nodiscard]] std::uint64_t room_for(std::uint64_t n_numbers, std::uint64_t /*n_bytes*/) const {
        return (bytes_.size() - next_ + 1) / (2 * n_numbers);
    }
    /// Moves to the next row. Throws UserError if there is none.
    void start_row() {
        loop_.at(next_);
        do {
            ++line_;
            if (next_ >= bytes_.size()) fail("the file ends here; it may be cut off");
            auto end = bytes_.find_first_of("\r\n", next_);
            if (end == std::string_view::npos) end = bytes_.size();
            rest_ = trimmed(bytes_.substr(next_, end - next_));
            next_ = end + (bytes_.substr(end, 2) == "\r\n" ? 2 : 1);
            next_ = next_ < bytes_.size() ? next_ : bytes_.size();
        } while (rest_.empty());
    }
    /// The row's next number. Throws UserError where it has none.
    double number(PlyType) {
        auto word = next_word(rest_);
        if (word.empty()) fail("the row has fewer numbers than the header says");
        auto value = real_in(word);
        if (!value) fail("'" + std::string(word.substr(0, 40)) + "' is not a number");
        return *value;
    }
    /// The 32 bits of the row's next number, which are those of a float where it is one. Here they
    /// are 0 if it is not finite.
    std::uint32_t bits(PlyType type) {
        double value = number(type);
        if (type != PlyType::f32) return bits_of_whole(value);
        auto rounded = static_cast<float>(value);
        return std::isfinite(rounded) ? std::bit_cast<std::uint32_t>(rounded) : 0;
    }
    /// All rows that matter have been read.
    void end() const { loop_.end(); }
    /// Whether the row has unread numbers.
    [[nodiscard]] bool has_more() const { return !rest_.empty(); }
    /// "file:line" of the row.
    [[nodiscard]] std::string place() const { return *file_ + ":" + std::to_string(line_); }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(place() + ": " + escaped(what));
    }

  private:
    std::string_view bytes_;
    const std::string* file_;
    std::size_t next_, line_;
    std::string_view rest_;  // of the row, without blanks at its end
    WorkLoop loop_;
};

/// Rows of bytes, one right after the other.
template <std::endian kOrder>
class PlyByteRows {
  public:
    PlyByteRows(std::string_view bytes, const PlyHeader& header, const std::string& file,
                const ReadProgress& progress)
        : bytes_(bytes),
          file_(&file),
          next_(header.body),
          row_(next_),
          loop_(progress, "parsing", bytes.size()) {}

    [[nodiscard]] std::uint64_t room_for(std::uint64_t /*n_numbers*/, std::uint64_t n_bytes) const {
        return (bytes_.size() - next_) / n_bytes;
    }
    void start_row() {
        loop_.at(next_);
        row_ = next_;
    }
    double number(PlyType type) {
        switch (type) {
            case PlyType::i8:
                return take<std::int8_t>();
            case PlyType::u8:
                return take<std::uint8_t>();
            case PlyType::i16:
                return take<std::int16_t>();
            case PlyType::u16:
                return take<std::uint16_t>();
            case PlyType::i32:
                return take<std::int32_t>();
            case PlyType::u32:
                return take<std::uint32_t>();
            case PlyType::f32:
                return double(take<float>());
            case PlyType::f64:
                return take<double>();
        }
        return 0;
    }
    std::uint32_t bits(PlyType type) {
        return bits_of_whole(number(type == PlyType::f32 ? PlyType::u32 : type));
    }
    /// All rows that matter have been read.
    void end() const { loop_.end(); }
    [[nodiscard]] bool has_more() const { return false; }
    /// "file: byte" of the row's first byte.
    [[nodiscard]] std::string place() const { return *file_ + ": byte " + std::to_string(row_); }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(place() + ": " + escaped(what));
    }

  private:
    template <class T>
    T take() {
        if (bytes_.size() - next_ < sizeof(T)) fail("the file ends in this row; it may be cut off");
        char raw[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i)
            raw[i] = bytes_[next_ + (kOrder == std::endian::native ? i : sizeof(T) - 1 - i)];
        next_ += sizeof(T);
        T value;
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }

    std::string_view bytes_;
    const std::string* file_;
    std::size_t next_, row_;
    WorkLoop loop_;
};

/// Calls `use` with the rows of a file in its encoding; `progress` must outlive them.
template <class Use>
auto with_ply_rows(std::string_view bytes, const PlyHeader& header, const std::string& file,
                   const ReadProgress& progress, Use use) {
    if (header.encoding == PlyEncoding::ascii)
        return use(PlyTextRows(bytes, header, file, progress));
    if (header.encoding == PlyEncoding::little_endian)
        return use(PlyByteRows<std::endian::little>(bytes, header, file, progress));
    return use(PlyByteRows<std::endian::big>(bytes, header, file, progress));
}

/// Throws UserError "file:line: what" for a line of the header.
[[noreturn]] inline void fail_at(const std::string& file, const PlyElement& element,
                                 const std::string& what) {
    throw UserError(file + ":" + std::to_string(element.line) + ": " + escaped(what));
}

/// Refuses a count of rows that the rest of the file cannot hold, before memory is allocated.
template <class Rows>
void check_room(const Rows& rows, const std::string& file, const PlyElement& element) {
    std::uint64_t n_numbers = 0, n_bytes = 0;  // the fewest of a row
    for (auto& property : element.properties) {
        n_numbers += 1;
        n_bytes += size_of(property.is_list ? property.length_type : property.type);
    }
    std::uint64_t room = rows.room_for(n_numbers, n_bytes);
    if (element.row_count > room)
        fail_at(file, element,
                "the header promises " + std::to_string(element.row_count) + " rows of '" +
                    element.name + "', but the file has room for " + std::to_string(room) +
                    " at most; it may be cut off");
    if (element.row_count > std::uint64_t{kMostTriangles})
        fail_at(file, element, "more than 1,000,000,000 rows of '" + element.name + "'");
}

/// Reads the length of a list.
template <class Rows>
std::uint64_t list_length(Rows& rows, const PlyProperty& property) {
    double length = rows.number(property.length_type);
    if (!(length >= 0 && length <= double(UINT32_MAX) && length == std::floor(length)))
        rows.fail("the list '" + property.name + "' has the length " + number_text(length));
    return static_cast<std::uint64_t>(length);
}

/// Passes over the numbers of a property.
template <class Rows>
void skip_property(Rows& rows, const PlyProperty& property) {
    std::uint64_t length = property.is_list ? list_length(rows, property) : 1;
    for (std::uint64_t k = 0; k < length; ++k) (void)rows.number(property.type);
}

}  // namespace tl
