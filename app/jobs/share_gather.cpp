#include "app/jobs/share_gather.h"

#include <algorithm>
#include <vector>

#include "app/jobs/rank_progress.h"
#include "renderer/film/film_share.h"

namespace tl {
namespace {

FilmShare share_of(const RankGroup& ranks, int rank) {
    return FilmShare::of(static_cast<std::uint32_t>(rank),
                         static_cast<std::uint32_t>(ranks.size()));
}

/// Calls use(first, count) for each row of each tile of the share, in the order of pixels.
template <class Use>
void for_each_span(const FilmShare& share, Extent extent, const Use& use) {
    constexpr auto kTile = static_cast<int>(FilmShare::kTile);
    for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; x += kTile)
            if (share.owns(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)))
                use(static_cast<std::size_t>(y) * static_cast<std::size_t>(extent.width) +
                        static_cast<std::size_t>(x),
                    static_cast<std::size_t>(std::min(kTile, extent.width - x)));
}

std::size_t count_pixels(const FilmShare& share, Extent extent) {
    std::size_t pixels = 0;
    for_each_span(share, extent, [&](std::size_t, std::size_t count) { pixels += count; });
    return pixels;
}

/// A rank's packed pixels, on their way.
struct PackedShare {
    std::vector<float> numbers;
    RankRequest receiving{};
};

void send_share(RankGroup& ranks, Extent extent, const float* numbers, std::size_t per_pixel) {
    auto share = share_of(ranks, ranks.rank());
    std::vector<float> packed;
    packed.reserve(count_pixels(share, extent) * per_pixel);
    for_each_span(share, extent, [&](std::size_t first, std::size_t count) {
        packed.insert(packed.end(), numbers + first * per_pixel,
                      numbers + (first + count) * per_pixel);
    });
    ranks.send(packed.data(), packed.size() * sizeof(float), 0, kPixelsTag);
}

}  // namespace

void gather_shares(RankGroup& ranks, Extent extent, float* numbers, std::size_t per_pixel) {
    if (!ranks.is_root()) return send_share(ranks, extent, numbers, per_pixel);
    std::vector<PackedShare> shares(static_cast<std::size_t>(ranks.size()));
    for (int rank = 1; rank < ranks.size(); ++rank) {
        auto& share = shares[static_cast<std::size_t>(rank)];
        share.numbers.resize(count_pixels(share_of(ranks, rank), extent) * per_pixel);
        share.receiving = ranks.start_receive(
            share.numbers.data(), share.numbers.size() * sizeof(float), rank, kPixelsTag);
    }
    for (int rank = 1; rank < ranks.size(); ++rank) {
        auto& share = shares[static_cast<std::size_t>(rank)];
        ranks.wait(share.receiving);
        const float* next = share.numbers.data();
        for_each_span(share_of(ranks, rank), extent, [&](std::size_t first, std::size_t count) {
            std::copy_n(next, count * per_pixel, numbers + first * per_pixel);
            next += count * per_pixel;
        });
        share.numbers = {};
    }
}

}  // namespace tl
