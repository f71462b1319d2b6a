// Writes small PLY files in each of the three encodings.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tl::test {

inline constexpr const char* kPlyFormats[] = {"ascii", "binary_little_endian", "binary_big_endian"};

class PlyWriter {
  public:
    /// Starts a file; `declarations`: the header's lines between the format and end_header.
    PlyWriter(std::string format, std::string_view declarations) : format_(std::move(format)) {
        bytes_ = "ply\nformat " + format_ + " 1.0\n" + std::string(declarations) + "end_header\n";
    }

    /// Appends a row whose numbers have the types "bBhHiIfd": int8, uint8, int16, ..., double.
    PlyWriter& row(std::string_view types, const std::vector<double>& values) {
        auto* type = types.data();
        for (double value : values) append(*type++, value);
        if (format_ == "ascii") bytes_.back() = '\n';
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    void append(char type, double value) {
        if (format_ == "ascii") {
            char text[32];
            auto end = std::to_chars(text, text + sizeof text, value).ptr;
            bytes_.append(text, end).push_back(' ');
            return;
        }
        switch (type) {
            case 'b':
                return append_as<std::int8_t>(value);
            case 'B':
                return append_as<std::uint8_t>(value);
            case 'h':
                return append_as<std::int16_t>(value);
            case 'H':
                return append_as<std::uint16_t>(value);
            case 'i':
                return append_as<std::int32_t>(value);
            case 'I':
                return append_as<std::uint32_t>(value);
            case 'f':
                return append_as<float>(value);
            default:
                return append_as<double>(value);
        }
    }

    template <class T>
    void append_as(double value) {
        auto number = static_cast<T>(value);
        char raw[sizeof(T)];
        std::memcpy(raw, &number, sizeof(T));
        bool little = format_ == "binary_little_endian";
        if (little != (std::endian::native == std::endian::little))
            std::reverse(raw, raw + sizeof(T));
        bytes_.append(raw, sizeof(T));
    }

    std::string format_, bytes_;
};

}  // namespace tl::test
