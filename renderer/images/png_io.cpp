#include "renderer/images/png_io.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace tl {
namespace {

void append_word(std::string& bytes, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
}

/// Completes the chunk appended after `begin`: length, name, data, checksum.
void close_chunk(std::string& bytes, std::size_t begin) {
    std::string length;
    append_word(length, static_cast<std::uint32_t>(bytes.size() - begin - 8));
    bytes.replace(begin, 4, length);
    append_word(bytes, libdeflate_crc32(0, bytes.data() + begin + 4, bytes.size() - begin - 4));
}
std::size_t open_chunk(std::string& bytes, const char* name) {
    std::size_t begin = bytes.size();
    append_word(bytes, 0);
    bytes += name;
    return begin;
}

/// Encodes a row: the filter's byte, then differences from the pixel to the left.
template <int kChannels>
void filter_row(const std::uint8_t* from, int width, std::uint8_t* to) {
    constexpr std::uint8_t kFromTheLeft = 1;
    *to++ = kFromTheLeft;
    std::uint8_t left[kChannels] = {};
    for (int x = 0; x < width; ++x, from += 4, to += kChannels)
        for (int c = 0; c < kChannels; ++c) {
            to[c] = static_cast<std::uint8_t>(from[c] - left[c]);
            left[c] = from[c];
        }
}

std::vector<std::uint8_t> filtered_rows(const Image8& image, int n_channels) {
    auto [width, height] = image.extent;
    std::size_t row_bytes = static_cast<std::size_t>(width) * n_channels + 1;
    std::vector<std::uint8_t> rows(row_bytes * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* from = &image.rgba[4 * static_cast<std::size_t>(y) * width];
        std::uint8_t* to = &rows[row_bytes * static_cast<std::size_t>(y)];
        n_channels == 3 ? filter_row<3>(from, width, to) : filter_row<4>(from, width, to);
    }
    return rows;
}

/// Appends image data of at most 1 GiB, compressed.
void append_deflated(std::string& bytes, const std::vector<std::uint8_t>& rows) {
    // Level 2 takes half the time of level 6 and makes rendered pictures a tenth larger.
    constexpr int kLevel = 2;
    std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(kLevel), &libdeflate_free_compressor);
    if (!compressor) throw std::bad_alloc();
    std::size_t begin = bytes.size();
    std::size_t room = libdeflate_zlib_compress_bound(compressor.get(), rows.size());
    bytes.resize(begin + room);
    std::size_t size = libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(),
                                                bytes.data() + begin, room);
    bytes.resize(begin + size);
}

}  // namespace

std::string encode_png(const Image8& image) {
    bool opaque = is_opaque(image.rgba);
    std::string bytes = "\x89PNG\r\n\x1a\n";
    std::size_t chunk = open_chunk(bytes, "IHDR");
    append_word(bytes, static_cast<std::uint32_t>(image.extent.width));
    append_word(bytes, static_cast<std::uint32_t>(image.extent.height));
    // 8 bits, RGB or RGBA; deflated, filtered by rows, not interlaced.
    constexpr char kRgb = 2, kRgba = 6;
    bytes += {8, opaque ? kRgb : kRgba, 0, 0, 0};
    close_chunk(bytes, chunk);
    chunk = open_chunk(bytes, "IDAT");
    append_deflated(bytes, filtered_rows(image, opaque ? 3 : 4));
    close_chunk(bytes, chunk);
    close_chunk(bytes, open_chunk(bytes, "IEND"));
    return bytes;
}

}  // namespace tl
