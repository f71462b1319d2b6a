// The order in which the tiles of a frame start.
#include "renderer/whitted/costly_tiles.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

constexpr std::size_t kGroups = kTileItems / kGroupItems;

struct Tiles {
    Device& device;
    Stream& stream;
    Scratch& scratch;
    CostlyTiles tiles;

    /// The tile order of the next frame, after groups took the given cycles. Empty for the natural
    /// order.
    std::vector<std::uint32_t> next(const PixelOrder& order,
                                    const std::vector<std::uint32_t>& cycles) {
        TileLaunch launch = tiles.next(scratch, order);
        EXPECT_EQ(launch.times.size, cycles.size());
        std::vector<std::uint32_t> times(launch.times.size), started(launch.tiles.size);
        device.download(stream, times.data(), launch.times.data, times.size() * sizeof(times[0]));
        for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], cycles[i]);
        device.upload(stream, launch.times.data, times.data(), times.size() * sizeof(times[0]));
        device.download(stream, started.data(), launch.tiles.data,
                        started.size() * sizeof(started[0]));
        return started;
    }
};

/// Tiles sorted by the cycles of their slowest group, descending, as by a stable sort of 16-bit
/// keys.
std::vector<std::uint32_t> by_slowest_group(const std::vector<std::uint32_t>& cycles) {
    std::vector<std::uint32_t> tiles(cycles.size() / kGroups);
    std::iota(tiles.begin(), tiles.end(), 0u);
    std::ranges::stable_sort(tiles, std::greater(), [&](std::uint32_t tile) {
        auto first = cycles.begin() + tile * kGroups;
        return *std::max_element(first, first + kGroups);
    });
    return tiles;
}

/// Cycles with few different values, so that keys distinguish them and some are equal.
std::vector<std::uint32_t> random_cycles(std::size_t n_tiles, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint32_t> cycles(n_tiles * kGroups);
    for (auto& c : cycles) c = 1000u << random() % 12;
    return cycles;
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(CostlyTiles, StartByTheTimeOfTheirSlowestGroup) {
    PixelOrder order({1000, 600});
    std::size_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
    Tiles tiles{device, stream, scratch, {}};
    auto cycles = random_cycles(n_tiles, 1), later = random_cycles(n_tiles, 2);
    EXPECT_TRUE(tiles.next(order, cycles).empty()) << "nothing is known before the first frame";
    for (std::uint32_t frame = 0; frame < CostlyTiles::kFrames; ++frame)
        EXPECT_EQ(tiles.next(order, later), by_slowest_group(cycles)) << frame;
    EXPECT_EQ(tiles.next(order, cycles), by_slowest_group(later)) << "times have not started anew";
}

TL_DEVICE_TEST(CostlyTiles, ForgetAnotherPicture) {
    PixelOrder small({64, 48}), large({65, 48});
    Tiles tiles{device, stream, scratch, {}};
    for (const auto& order : {small, large, small}) {
        std::size_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
        auto cycles = random_cycles(n_tiles, 3);
        EXPECT_TRUE(tiles.next(order, cycles).empty());
        EXPECT_EQ(tiles.next(order, cycles), by_slowest_group(cycles));
    }
}

TL_DEVICE_TEST(CostlyTiles, AreUnevenWhereOneGroupTakesMoreThanItsShare) {
    // Groups with 100 cycles in total on two multiprocessors: an even share is 100 / 56.
    constexpr int kProcessors = 2;
    auto with_longest = [](float shares) {
        GroupTimes times;
        times.sum = 100;
        times.longest = shares * times.sum / (kProcessors * GroupTimes::kAtOnce);
        return times;
    };
    for (bool were : {false, true}) {
        EXPECT_FALSE(with_longest(1).are_uneven(kProcessors, were));
        EXPECT_TRUE(with_longest(1.5f).are_uneven(kProcessors, were));
        EXPECT_FALSE(GroupTimes{}.are_uneven(kProcessors, were)) << "nothing was measured";
    }
    // A picture's ratio in uneven launches is larger: whatever they were, they settle.
    constexpr float kLargerInUneven = 1.13f;
    for (bool start : {false, true})
        for (float ratio : {1.04f, 1.16f}) {
            bool uneven = start;
            for (int launch = 0; launch < 4; ++launch)
                uneven = with_longest(uneven ? kLargerInUneven * ratio : ratio)
                             .are_uneven(kProcessors, uneven);
            EXPECT_EQ(uneven, ratio > GroupTimes::kUneven) << ratio << " from " << start;
        }
    EXPECT_FALSE(with_longest(1.5f).are_uneven(kProcessors / 2, false)) << "shares are larger";
}
