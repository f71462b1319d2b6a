#include "core/device/parallel_for.h"
#include "renderer/film/tile_transfer.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kTile = FilmShare::kTile;

/// Calls `visit(word of the array, word of the packed pixels)` in parallel for each word of the
/// tiles that lies in the film. Neighbouring threads take neighbouring words of a row.
template <class Visit>
void for_each_word(Stream& stream, const char* name, const TileWords& words, const Visit& visit) {
    auto n = static_cast<std::uint32_t>(words.tiles.size) * kTile * kTile * words.entry_words;
    parallel_for(
        stream, name, n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t word = i % words.entry_words, pixel = i / words.entry_words;
            std::uint32_t tile = words.tiles[pixel / (kTile * kTile)];
            std::uint32_t within = pixel % (kTile * kTile);
            std::uint32_t x = tile % words.tiles_in_row * kTile + within % kTile;
            std::uint32_t y = tile / words.tiles_in_row * kTile + within / kTile;
            auto width = static_cast<std::uint32_t>(words.extent.width);
            if (x >= width || y >= static_cast<std::uint32_t>(words.extent.height)) return;
            if (!words.region.holds(x, y)) return;
            if (words.bottom_up) y = static_cast<std::uint32_t>(words.extent.height) - 1 - y;
            visit((y * width + x) * words.entry_words + word, i);
        });
}

}  // namespace

void pack_tiles(Stream& stream, TileWords words, const std::uint32_t* pixels,
                std::uint32_t* packed) {
    for_each_word(
        stream, "pack tiles", words,
        TL_LAMBDA(std::uint32_t at, std::uint32_t i) { packed[i] = pixels[at]; });
}

void unpack_tiles(Stream& stream, TileWords words, const std::uint32_t* packed,
                  std::uint32_t* pixels) {
    for_each_word(
        stream, "unpack tiles", words,
        TL_LAMBDA(std::uint32_t at, std::uint32_t i) { pixels[at] = packed[i]; });
}

TL_DEVICE_END
