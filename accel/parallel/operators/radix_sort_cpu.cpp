// Stable least-significant-digit radix sort on the CPU, measured faster than the libraries'
// comparison sorts. Each pass handles 8 bits: every block of the input counts its digits, one scan
// over (digit, block) gives every block its output positions, and the blocks scatter in parallel.
// For a digit that is the same in all keys only the counting is done.
#define TL_DEVICE_CPU 1
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>

#include "accel/parallel/operators/instantiate.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// Keys per block: two copies of a block's 64-bit keys and values fit a core's 512 KB cache.
constexpr std::size_t kBlock = 16384;

using Histogram = std::array<std::uint32_t, kDigits>;

/// Turns counts into first output positions, by digit and block. False if one digit has all keys.
bool places_from_counts(View<Histogram> blocks, std::size_t n) {
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < kDigits; ++d) {
        std::uint32_t first = place;
        for (std::size_t b = 0; b < blocks.size; ++b) {
            std::uint32_t count = blocks[b][d];
            blocks[b][d] = place;
            place += count;
        }
        if (place - first == n) return false;
    }
    return true;
}

}  // namespace

template <class K>
Pairs<K> sort_pairs(Scratch& scratch, Pairs<K> source, Pairs<K> target, int begin_bit,
                    int end_bit) {
    Scratch::Scope scope(scratch);
    std::size_t n = source.keys.size;
    std::size_t n_blocks = (n + kBlock - 1) / kBlock;
    auto histograms = scratch.take<Histogram>(n_blocks);
    for (int bit = begin_bit; bit < end_bit && n > 0; bit += kDigitBits) {
        K mask = (K{1} << std::min(kDigitBits, end_bit - bit)) - 1;
        auto digit = [=](K key) { return static_cast<std::size_t>(key >> bit & mask); };
        tbb::parallel_for(std::size_t{0}, n_blocks, [&](std::size_t b) {
            Histogram counts{};
            std::size_t end = std::min(n, (b + 1) * kBlock);
            for (std::size_t i = b * kBlock; i < end; ++i) ++counts[digit(source.keys[i])];
            histograms[b] = counts;
        });
        if (!places_from_counts(histograms, n)) continue;
        tbb::parallel_for(std::size_t{0}, n_blocks, [&](std::size_t b) {
            Histogram places = histograms[b];
            std::size_t end = std::min(n, (b + 1) * kBlock);
            for (std::size_t i = b * kBlock; i < end; ++i) {
                std::uint32_t place = places[digit(source.keys[i])]++;
                target.keys[place] = source.keys[i];
                target.values[place] = source.values[i];
            }
        });
        std::swap(source, target);
    }
    return source;
}

TL_INSTANTIATE_SORT(std::uint32_t)
TL_INSTANTIATE_SORT(std::uint64_t)

TL_DEVICE_END
