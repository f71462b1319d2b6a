// Copies of tiles from one device's film to that of another, for split-frame rendering.
#pragma once

#include <cstdint>

#include "core/device/array.h"
#include "renderer/film/film.h"

namespace tl {

/// Copies the pixels of a share between two films of equal size. Tiles are packed before the copy,
/// so that the bytes that cross from device to device are those of the share alone. Owns memory on
/// both streams, which must be the same in all calls and outlive it.
class TileTransfer {
  public:
    /// Copies sums and ray counts of the pixels of `share` in the order of both streams, as
    /// copy_across() does. Allocates where film or share are larger than before; throws UserError
    /// if that fails.
    void copy(Film& from, Stream& from_stream, Film& to, Stream& to_stream, const FilmShare& share);
    /// Copies the share's pixels between tone-mapped pictures of films of this size, likewise.
    /// `from` has row 0 at the top, and so has `to`, unless `bottom_up`.
    void copy_picture(View<const std::uint32_t> from, Stream& from_stream, View<std::uint32_t> to,
                      Stream& to_stream, Extent extent, const FilmShare& share, bool bottom_up);

  private:
    void copy_array(const void* from, Stream& from_stream, void* to, Stream& to_stream,
                    std::uint32_t entry_words, bool bottom_up);
    void list_tiles(Stream& from_stream, Stream& to_stream, Extent extent, const FilmShare& share);

    FilmShare share_;          ///< of the list
    Extent extent_{};          ///< of the list
    std::uint32_t width_ = 0;  ///< tiles in a row
    std::uint32_t n_tiles_ = 0;
    /// Numbers of the tiles, row by row, on either device.
    DeviceArray<std::uint32_t> sent_tiles_, taken_tiles_;
    DeviceArray<std::uint32_t> sent_, taken_;  ///< words of packed pixels on either device
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Layout of the pixels of some tiles, in an array over a film's pixels and packed. A word has 4
    /// bytes.
    struct TileWords {
        View<const std::uint32_t> tiles;
        std::uint32_t tiles_in_row;
        Extent extent;
        std::uint32_t entry_words;  ///< of a pixel
        bool bottom_up = false;     ///< whether row 0 of the array is at the bottom
        FilmRegion region{};        ///< pixels outside of it are neither read nor written
    };
    /// Packs an array's pixels: tile by tile, row by row. Words outside of the film are left as they
    /// are.
    void pack_tiles(Stream& stream, TileWords words, const std::uint32_t* pixels,
                    std::uint32_t* packed);
    /// Writes packed pixels to an array.
    void unpack_tiles(Stream& stream, TileWords words, const std::uint32_t* packed,
                      std::uint32_t* pixels);
)
// clang-format on
