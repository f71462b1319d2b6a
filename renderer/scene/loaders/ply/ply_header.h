// The header of a PLY file (Turk 1994): which elements follow, with which properties, and their
// encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

enum class PlyEncoding { ascii, little_endian, big_endian };
enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

/// The size in bytes of a number of that type.
[[nodiscard]] std::size_t size_of(PlyType type);

/// A property in each row of an element: a number, or a list of numbers preceded by its length.
struct PlyProperty {
    std::string name;
    PlyType type = PlyType::f32;
    bool is_list = false;
    PlyType length_type = PlyType::u8;  ///< of a list
};

struct PlyElement {
    std::string name;
    std::uint64_t row_count = 0;
    std::vector<PlyProperty> properties;
    std::size_t line = 0;  ///< line of the header, from 1
};

struct PlyHeader {
    PlyEncoding encoding = PlyEncoding::ascii;
    std::vector<PlyElement> elements;  ///< in the order of their rows
    std::size_t body = 0;              ///< byte at which the first row starts
    std::size_t body_line = 0;         ///< line of the first row, from 1
    /// Names in "comment TextureFile" lines as they spell them; of more than 256, the first ones.
    std::vector<std::string> textures;
    std::size_t unknown_line = 0;  ///< first line that is no statement, from 1; 0: none

    /// The element of that name, or null.
    [[nodiscard]] const PlyElement* find(std::string_view name) const;
};

/// Whether `bytes` start as a PLY does: with a line "ply".
[[nodiscard]] bool is_ply(std::string_view bytes);

/// Reads the header at the front of `bytes`, with any of the three line ends; keywords and types in
/// any case. Lines before the first element that are no statements are skipped. Throws UserError
/// "file:line: what": not a PLY, an unknown encoding, type or statement, a header without an end.
[[nodiscard]] PlyHeader read_ply_header(std::string_view bytes, const std::string& file);

}  // namespace tl
