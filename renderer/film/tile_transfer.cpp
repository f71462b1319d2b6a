#include "renderer/film/tile_transfer.h"

#include <vector>

#include "core/device/copy_across.h"

namespace tl {
namespace {

constexpr std::uint32_t kTilePixels = FilmShare::kTile * FilmShare::kTile;

}  // namespace

void TileTransfer::list_tiles(Stream& from_stream, Stream& to_stream, Extent extent,
                              const FilmShare& share) {
    if (extent == extent_ && share == share_ && !sent_tiles_.empty()) return;
    width_ = tiles_along(extent.width);
    auto tiles = share.tiles_of(extent);
    n_tiles_ = static_cast<std::uint32_t>(tiles.size());
    sent_tiles_.assign(from_stream, tiles);
    taken_tiles_.assign(to_stream, tiles);
    share_ = share;
    extent_ = extent;
}

void TileTransfer::copy_array(const void* from, Stream& from_stream, void* to, Stream& to_stream,
                              std::uint32_t entry_words, bool bottom_up) {
    std::size_t n = std::size_t{n_tiles_} * kTilePixels * entry_words;
    sent_.resize_discard(from_stream, n);
    taken_.resize_discard(to_stream, n);
    TL_DISPATCH(from_stream.device(),
                pack_tiles(from_stream,
                           {sent_tiles_.view(), width_, extent_, entry_words, false, share_.region},
                           static_cast<const std::uint32_t*>(from), sent_.data()));
    copy_across(from_stream, sent_.data(), to_stream, taken_.data(), n * sizeof(std::uint32_t));
    TL_DISPATCH(to_stream.device(), unpack_tiles(to_stream,
                                                 {taken_tiles_.view(), width_, extent_, entry_words,
                                                  bottom_up, share_.region},
                                                 taken_.data(), static_cast<std::uint32_t*>(to)));
}

void TileTransfer::copy(Film& from, Stream& from_stream, Film& to, Stream& to_stream,
                        const FilmShare& share) {
    TL_ASSERT_OP(from.extent().pixels(), ==, to.extent().pixels());
    list_tiles(from_stream, to_stream, from.extent(), share);
    if (n_tiles_ == 0) return;
    auto sources = from.pixel_arrays(), targets = to.pixel_arrays();
    TL_ASSERT_OP(sources.size(), ==, targets.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
        copy_array(sources[i].data, from_stream, targets[i].data, to_stream, sources[i].entry_words,
                   false);
}

void TileTransfer::copy_picture(View<const std::uint32_t> from, Stream& from_stream,
                                View<std::uint32_t> to, Stream& to_stream, Extent extent,
                                const FilmShare& share, bool bottom_up) {
    list_tiles(from_stream, to_stream, extent, share);
    if (n_tiles_ > 0) copy_array(from.data, from_stream, to.data, to_stream, 1, bottom_up);
}

}  // namespace tl
