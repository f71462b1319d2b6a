// Stable least-significant-digit radix sort on the CPU, measured faster than the libraries'
// comparison sorts. Each pass handles 8 bits: every block of the input counts its digits, one scan
// over (digit, block) gives every block its output positions, and the blocks scatter in parallel.
// For a digit that is the same in all keys only the counting is done.
#define TL_DEVICE_CPU 1
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>

#include "core/operators/instantiate.h"
#include "core/operators/sort_keys.h"

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

/// Sorts `source`, with `target` as the second buffer. move(from, i, to, place) moves element i to
/// a slot, and keys_of(source) returns the keys. Returns the buffer that holds the result.
template <class Sorted, class KeysOf, class Move>
Sorted sort(Scratch& scratch, Sorted source, Sorted target, int begin_bit, int end_bit,
            const KeysOf& keys_of, const Move& move) {
    Scratch::Scope scope(scratch);
    std::size_t n = keys_of(source).size;
    std::size_t n_blocks = (n + kBlock - 1) / kBlock;
    auto histograms = scratch.take<Histogram>(n_blocks);
    for (int bit = begin_bit; bit < end_bit && n > 0; bit += kDigitBits) {
        auto keys = keys_of(source);
        using K = std::remove_cvref_t<decltype(keys[0])>;
        K mask = (K{1} << std::min(kDigitBits, end_bit - bit)) - 1;
        auto digit = [=](K key) { return static_cast<std::size_t>(key >> bit & mask); };
        tbb::parallel_for(std::size_t{0}, n_blocks, [&](std::size_t b) {
            Histogram counts{};
            std::size_t end = std::min(n, (b + 1) * kBlock);
            for (std::size_t i = b * kBlock; i < end; ++i) ++counts[digit(keys[i])];
            histograms[b] = counts;
        });
        if (!places_from_counts(histograms, n)) continue;
        tbb::parallel_for(std::size_t{0}, n_blocks, [&](std::size_t b) {
            Histogram places = histograms[b];
            std::size_t end = std::min(n, (b + 1) * kBlock);
            for (std::size_t i = b * kBlock; i < end; ++i)
                move(source, i, target, places[digit(keys[i])]++);
        });
        std::swap(source, target);
    }
    return source;
}

}  // namespace

template <class K>
Pairs<K> sort_pairs(Scratch& scratch, Pairs<K> pairs, Pairs<K> spare, int begin_bit, int end_bit) {
    TL_ASSERT_OP(pairs.values.size, >=, pairs.keys.size);
    TL_ASSERT_OP(spare.keys.size, >=, pairs.keys.size);
    TL_ASSERT_OP(spare.values.size, >=, pairs.keys.size);
    TL_ASSERT_OP(begin_bit, <=, end_bit);
    return sort(
        scratch, pairs, spare, begin_bit, end_bit, [](const Pairs<K>& all) { return all.keys; },
        [](const Pairs<K>& from, std::size_t i, const Pairs<K>& to, std::uint32_t place) {
            to.keys[place] = from.keys[i];
            to.values[place] = from.values[i];
        });
}

View<std::uint64_t> sort_keys(Scratch& scratch, View<std::uint64_t> keys, View<std::uint64_t> spare,
                              int begin_bit, int end_bit) {
    TL_ASSERT_OP(spare.size, >=, keys.size);
    using Keys = View<std::uint64_t>;
    return sort(
        scratch, keys, spare, begin_bit, end_bit, [](Keys all) { return all; },
        [](Keys from, std::size_t i, Keys to, std::uint32_t place) { to[place] = from[i]; });
}

TL_INSTANTIATE_SORT(std::uint32_t)
TL_INSTANTIATE_SORT(std::uint64_t)

TL_DEVICE_END
