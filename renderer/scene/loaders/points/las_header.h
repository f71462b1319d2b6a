// Reads the header of a LAS file: the position of its points and the meaning of their numbers.
// After the ASPRS' LAS specification 1.4 (2011), which also lists what earlier versions lack.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/math.h"

namespace tl {

struct LasHeader {
    int point_format = 0;         ///< 0 to 10
    std::size_t size = 0;         ///< bytes of the header, after which records come
    std::uint32_t n_records = 0;  ///< records of variable length, between the header and the points
    std::size_t points_at = 0;    ///< byte of the first point
    std::size_t record_bytes = 0;    ///< bytes from one point to the next
    std::uint64_t n_points = 0;      ///< count of points, all within the file
    std::uint64_t other_count = 0;   ///< the header's second count; 0: none
    glm::dvec3 scale{1}, offset{0};  ///< of coordinates, which are scale * integer + offset
};

/// Layout of a format's records. The first bytes are the same in all: x, y and z as i32, the
/// intensity as u16 at 12.
struct LasFormat {
    std::size_t least_bytes;  ///< least size of a record; bytes beyond are extra bytes
    std::size_t colors_at;    ///< three u16; 0: none
    std::uint8_t withheld;    ///< the bit of byte 15 that marks a withheld point
};

/// `format`: from 0 to 10.
[[nodiscard]] const LasFormat& las_format(int format);

/// The little-endian number at a byte; `bytes` have all of it.
template <class T>
[[nodiscard]] T little_endian_at(std::string_view bytes, std::size_t at) {
    char raw[sizeof(T)];
    std::memcpy(raw, bytes.data() + at, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
}

/// Throws UserError "file: byte N: what": no LAS, another version or format, compressed points
/// (LAZ), lengths that contradict each other, more points than the file has room for.
[[nodiscard]] LasHeader read_las_header(std::string_view bytes, const std::string& file);

}  // namespace tl
