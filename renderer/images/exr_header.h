// The header of an OpenEXR file, and its chunks: blocks of lines or tiles, which may lie in any
// order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// A rectangle of pixels, as stored in the file: the corners are inclusive, y grows downwards.
struct ExrWindow {
    std::int32_t left = 0, top = 0, right = -1, bottom = -1;

    [[nodiscard]] std::int64_t width() const { return std::int64_t{right} - left + 1; }
    [[nodiscard]] std::int64_t height() const { return std::int64_t{bottom} - top + 1; }
    [[nodiscard]] Extent extent() const {
        return {static_cast<int>(width()), static_cast<int>(height())};
    }
};

/// Header of a file of one part, scanlines or tiles, whose channels all have the full resolution.
struct ExrHeader {
    std::string_view channels;  ///< checked value of the attribute
    std::size_t n_channels = 0;
    std::int64_t bytes_per_pixel = 0;  ///< bytes of all channels before compression
    char compression = 0;              ///< none, RLE, ZIPS, ZIP, PIZ
    ExrWindow data;                    ///< pixels stored in the file
    ExrWindow display;                 ///< pixels of the picture
    bool is_tiled = false;
    bool has_levels = false;  ///< tiles of coarser levels follow those of the finest
    Extent chunk;             ///< size of a block of lines or of a tile, at most the data window's
    std::size_t table_byte = 0;  ///< start of the table of chunks

    [[nodiscard]] std::int64_t columns() const { return chunks_along(data.width(), chunk.width); }
    [[nodiscard]] std::int64_t rows() const { return chunks_along(data.height(), chunk.height); }

  private:
    [[nodiscard]] static std::int64_t chunks_along(std::int64_t size, std::int64_t part) {
        return (size + part - 1) / part;
    }
};

/// Reads a header. Throws UserError, with `path` and the byte, for unsupported kinds of files and
/// for sizes that exceed the file.
[[nodiscard]] ExrHeader read_exr_header(const std::string& path, std::string_view bytes);

/// Returns the data of each chunk of the finest level, row by row, whatever their order in the
/// file. Throws UserError, with `path` and the byte, where a chunk is missing or broken.
[[nodiscard]] std::vector<std::string_view> find_exr_chunks(const std::string& path,
                                                            std::string_view bytes,
                                                            const ExrHeader& header);

}  // namespace tl
