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

/// Encodes a row of pixels of kFrom bytes, of which kTo are kept: the filter's byte, then
/// differences from the left neighbours.
template <int kFrom, int kTo>
void filter_row(const std::uint8_t* from, int width, std::uint8_t* to) {
    constexpr std::uint8_t kFromTheLeft = 1;
    *to++ = kFromTheLeft;
    std::uint8_t left[kTo] = {};
    for (int x = 0; x < width; ++x, from += kFrom, to += kTo)
        for (int c = 0; c < kTo; ++c) {
            to[c] = static_cast<std::uint8_t>(from[c] - left[c]);
            left[c] = from[c];
        }
}

/// Pixels of an image in the file's layout; the alpha channel is dropped if all pixels are opaque.
struct PngPixels {
    Extent extent;
    const std::vector<std::uint8_t>& bytes;
    bool is_opaque, is_deep;
};

std::vector<std::uint8_t> filtered_rows(const PngPixels& pixels) {
    auto [width, height] = pixels.extent;
    int depth = pixels.is_deep ? 2 : 1, n_channels = pixels.is_opaque ? 3 : 4;
    auto row_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(depth);
    std::size_t row_size = row_bytes * static_cast<std::size_t>(n_channels) + 1;
    std::vector<std::uint8_t> rows(row_size * static_cast<std::size_t>(height));
    auto filter = pixels.is_deep ? (pixels.is_opaque ? &filter_row<8, 6> : &filter_row<8, 8>)
                                 : (pixels.is_opaque ? &filter_row<4, 3> : &filter_row<4, 4>);
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
        filter(&pixels.bytes[4 * y * row_bytes], width, &rows[row_size * y]);
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

std::string encode_pixels(const PngPixels& pixels) {
    std::string bytes = "\x89PNG\r\n\x1a\n";
    std::size_t chunk = open_chunk(bytes, "IHDR");
    append_word(bytes, static_cast<std::uint32_t>(pixels.extent.width));
    append_word(bytes, static_cast<std::uint32_t>(pixels.extent.height));
    // RGB or RGBA; deflated, filtered by rows, not interlaced.
    constexpr char kRgb = 2, kRgba = 6;
    bytes += {static_cast<char>(pixels.is_deep ? 16 : 8), pixels.is_opaque ? kRgb : kRgba, 0, 0, 0};
    close_chunk(bytes, chunk);
    chunk = open_chunk(bytes, "IDAT");
    append_deflated(bytes, filtered_rows(pixels));
    close_chunk(bytes, chunk);
    close_chunk(bytes, open_chunk(bytes, "IEND"));
    return bytes;
}

}  // namespace

std::string encode_png(const Image8& image) {
    return encode_pixels({image.extent, image.rgba, is_opaque(image.rgba), false});
}

std::string encode_png(const Image16& image) {
    if (image.lower.empty())
        return encode_pixels({image.extent, image.rgba, is_opaque(image.rgba), false});
    std::vector<std::uint8_t> bytes;  // upper ones first
    bytes.reserve(2 * image.rgba.size());
    for (std::size_t i = 0; i < image.rgba.size(); ++i)
        bytes.insert(bytes.end(), {image.rgba[i], image.lower[i]});
    return encode_pixels(
        {image.extent, bytes, is_opaque(image.rgba) && is_opaque(image.lower), true});
}

}  // namespace tl
