#include "renderer/images/image_claims.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_memory.h"

namespace tl {
namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : std::uint8_t{0};
}

std::uint32_t big_endian_word(std::string_view bytes, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) word = word << 8 | byte_at(bytes, at + i);
    return word;
}

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Limits derived from an image's header alone.
struct Claims {
    std::int64_t least_bytes;     ///< smallest file of that picture size
    std::size_t bytes_per_pixel;  ///< memory per pixel during decoding
};

/// Bits of a pixel of a PNG, before compression.
int png_bits(std::string_view bytes) {
    constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};  // channels by colour type
    int color_type = byte_at(bytes, 25);
    return byte_at(bytes, 24) * (color_type < 7 ? kChannels[color_type] : 0);
}

/// Bytes of a PNG's rows with a filter's byte each: of the seven pictures of an interlaced one.
std::int64_t png_row_bytes(std::string_view bytes, Extent extent) {
    std::int64_t bits = png_bits(bytes);
    auto bytes_of = [&](std::int64_t width, std::int64_t height) {
        return width > 0 ? height * (1 + quotient_up(width * bits, 8)) : 0;
    };
    if (byte_at(bytes, 28) == 0) return bytes_of(extent.width, extent.height);
    constexpr int kFirstX[] = {0, 4, 0, 2, 0, 1, 0}, kStepX[] = {8, 8, 4, 4, 2, 2, 1};
    constexpr int kFirstY[] = {0, 0, 4, 0, 2, 0, 1}, kStepY[] = {8, 8, 8, 4, 4, 2, 2};
    std::int64_t sum = 0;
    for (int pass = 0; pass < 7; ++pass)
        sum += bytes_of(quotient_up(extent.width - kFirstX[pass], kStepX[pass]),
                        quotient_up(extent.height - kFirstY[pass], kStepY[pass]));
    return sum;
}

/// Calls use(piece) for the pieces of a PNG's compressed rows.
template <class Use>
void for_image_data(std::string_view bytes, const Use& use) {
    for (std::size_t at = 8; at + 12 <= bytes.size();) {
        std::size_t size = big_endian_word(bytes, at);
        auto kind = bytes.substr(at + 4, 4);
        if (kind == "IDAT") use(bytes.substr(at + 8, size));
        if (kind == "IEND") break;
        at += 12 + size;
    }
}

struct JpegHeader {
    std::size_t bytes;  ///< bytes before the first scan, or all if there is none
    bool progressive;
};

JpegHeader jpeg_header(std::string_view bytes) {
    constexpr int kMarker = 0xff, kProgressive = 0xc2, kScan = 0xda;
    bool progressive = false;
    std::size_t at = 2;
    while (at + 4 <= bytes.size()) {
        int kind = byte_at(bytes, at + 1);
        if (byte_at(bytes, at) != kMarker || kind == 0 || kind == kMarker) {
            ++at;  // between two segments
            continue;
        }
        if (kind == kScan) return {at, progressive};
        progressive |= kind == kProgressive;
        at += 2 + (std::size_t{byte_at(bytes, at + 2)} << 8) + byte_at(bytes, at + 3);
    }
    return {bytes.size(), progressive};
}

Claims claims_of(std::string_view bytes, ImageFormat format, Extent extent) {
    // Decoders hold an image twice: its rows or planes, and its pixels; then it is copied.
    constexpr std::size_t kUsual = 8, kDeep = 16;
    std::int64_t pixels = extent.pixels();
    switch (format) {
        case ImageFormat::png: {
            auto others = static_cast<std::int64_t>(bytes.size());
            for_image_data(bytes, [&](std::string_view piece) {
                others -= static_cast<std::int64_t>(piece.size());
            });
            return {others + png_row_bytes(bytes, extent) / kMostInflation,
                    byte_at(bytes, 24) == 16 ? kDeep : kUsual};
        }
        case ImageFormat::jpeg: {
            // Lower bound after headers and tables: a block of 64 pixels takes at least one bit.
            // There are half as many blocks where the two axes have their full resolution in
            // different channels.
            auto header = jpeg_header(bytes);
            return {static_cast<std::int64_t>(header.bytes) + pixels / 1024,
                    header.progressive ? kDeep : kUsual};
        }
        case ImageFormat::bmp: {
            std::size_t at = byte_at(bytes, 14) == 12 ? 24 : 28;
            int bits = std::max<int>(byte_at(bytes, at), 1);
            return {quotient_up(pixels * bits, 8), kUsual};
        }
        default: {
            // TGA: with runs, up to 128 equal pixels take a byte more than one.
            std::int64_t per_pixel = quotient_up(byte_at(bytes, 16), 8);
            bool runs = byte_at(bytes, 2) >= 8;
            return {runs ? pixels / 128 * (1 + per_pixel) : pixels * per_pixel, kUsual};
        }
    }
}

/// Throws UserError for a PNG that inflates to more than its rows: the decoder would keep all of
/// it.
void check_inflated(const std::string& name, std::string_view bytes, Extent extent) {
    constexpr std::int64_t kHarmless = 16 << 20, kMargin = 1 << 20;
    constexpr std::size_t kHeader = 2;  // bytes of zlib's header
    std::int64_t rows = png_row_bytes(bytes, extent);
    if (static_cast<std::int64_t>(bytes.size()) * kMostInflation < rows + kHarmless) return;
    std::string data;
    for_image_data(bytes, [&](std::string_view piece) { data += piece; });
    if (data.size() < kHeader) return;
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!inflater) throw std::bad_alloc();
    auto room = static_cast<std::size_t>(rows + kMargin);
    auto inflated = std::make_unique_for_overwrite<std::uint8_t[]>(room);
    std::size_t size = 0;
    auto result = libdeflate_deflate_decompress(inflater.get(), data.data() + kHeader,
                                                data.size() - kHeader, inflated.get(), room, &size);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        throw UserError(name + ": has more data than an image of its size; it is damaged");
    if (result != LIBDEFLATE_SUCCESS)
        throw UserError(name + ": cannot be decoded: its compressed data are damaged");
}

/// Throws UserError for a PNG chunk that extends past the end: the decoder would allocate all of
/// it.
void check_chunks(const std::string& name, std::string_view bytes) {
    for (std::size_t at = 8; at + 8 <= bytes.size();) {
        std::size_t size = big_endian_word(bytes, at);
        if (size > bytes.size() - at - 8)
            throw UserError(name + ": byte " + std::to_string(at) +
                            ": a chunk goes past the file's end; it is cut off or damaged");
        if (bytes.substr(at + 4, 4) == "IEND") return;
        at += 12 + size;
    }
}

/// Throws UserError for a JPEG with more scans than any encoder writes, since each processes the
/// whole picture.
void check_scans(const std::string& name, std::string_view bytes) {
    constexpr int kMost = 200;
    int count = 0;
    for (auto at = bytes.find("\xff\xda"); at != std::string_view::npos;
         at = bytes.find("\xff\xda", at + 2))
        if (++count > kMost)
            throw UserError(name + ": has more than " + std::to_string(kMost) +
                            " scans; save it again with fewer");
}

}  // namespace

ImageFormat image_format(std::string_view bytes, bool may_be_tga) {
    if (bytes.starts_with("\x89PNG")) return ImageFormat::png;
    if (bytes.starts_with("\xff\xd8")) return ImageFormat::jpeg;
    if (bytes.starts_with("BM")) return ImageFormat::bmp;
    // The header's second and third bytes distinguish TGA from other formats that the decoder
    // recognises.
    int palette = byte_at(bytes, 1), kind = byte_at(bytes, 2) & ~8;
    bool is_tga = bytes.size() >= 18 && palette <= 1 && kind >= 1 && kind <= 3;
    return may_be_tga && is_tga ? ImageFormat::tga : ImageFormat::none;
}

void check_claims(const std::string& name, std::string_view bytes, ImageFormat format,
                  Extent extent) {
    if (format == ImageFormat::png && bytes.substr(12, 4) != "IHDR")
        throw UserError(name + ": is no plain PNG: its first chunk is not IHDR; convert it");
    Claims claims = claims_of(bytes, format, extent);
    if (static_cast<std::int64_t>(bytes.size()) < claims.least_bytes)
        throw UserError(name + ": has " + std::to_string(bytes.size()) + " bytes, but " +
                        std::to_string(extent.width) + " x " + std::to_string(extent.height) +
                        " pixels take at least " + std::to_string(claims.least_bytes) +
                        "; it is cut off or damaged");
    require_image_memory(name, extent, claims.bytes_per_pixel);
    if (format == ImageFormat::png) {
        check_chunks(name, bytes);
        check_inflated(name, bytes, extent);
    }
    if (format == ImageFormat::jpeg) check_scans(name, bytes);
}

void require_image_memory(const std::string& name, Extent extent, std::size_t bytes_per_pixel) {
    require_host_memory(static_cast<std::uint64_t>(extent.pixels()) * bytes_per_pixel,
                        name + ": an image of " + std::to_string(extent.width) + " x " +
                            std::to_string(extent.height) + " pixels",
                        "make it smaller, or close other programs");
}

}  // namespace tl
