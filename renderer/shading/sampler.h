// Sample points. Each pair of dimensions (a position in the pixel, one on a light) has its own
// points: the first two dimensions of Sobol's sequence, shuffled and Owen-scrambled for every pixel
// and pair, so that pairs are independent (Burley 2020, "Practical hash-based Owen scrambling").
// The points of one pair are a (0, 2)-sequence over the samples of a pixel. Of 4, 16, 64... points
// exactly one falls into each cell of the grid.
#pragma once

#include "core/base/math.h"
#include "core/base/random.h"
#include "renderer/shading/sampling_config.h"

namespace tl {

/// Reverses the bits: bit 31 becomes bit 0.
TL_HD inline std::uint32_t reverse_bits(std::uint32_t x) {
#ifdef __CUDA_ARCH__
    return __brev(x);
#else
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
#endif
}

// `Word` is an unsigned number, or eight of them in a register, for packets
// (renderer/shading/camera_rays8.h).

/// Wellons' lowbias32.
template <class Word>
TL_HD inline Word hash_bits(Word x) {
    x = (x ^ x >> 16) * Word(0x7feb352du);
    x = (x ^ x >> 15) * Word(0x846ca68bu);
    return x ^ x >> 16;
}

/// Stafford's mix13, as in SplitMix64 (Steele, Lea & Flood 2014), of 64-bit words.
template <class Word>
TL_HD inline Word hash_64(Word x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// Flips each bit depending on the seed and the bits below it: Owen scrambling of reversed digits
/// (Laine & Karras 2011, with the constants of Vegdahl 2021, "Building a better LK hash").
template <class Word>
TL_HD inline Word scramble_reversed(Word x, Word seed) {
    x = x ^ x * Word(0x3d20adeau);
    x = (x + seed) * (seed >> 16 | Word(1));
    x = x ^ x * Word(0x05526c56u);
    return x ^ x * Word(0x53a22864u);
}

/// Sobol's second dimension of point `i`, bits reversed: the generating matrix is Pascal's triangle
/// modulo 2, the fifth Kronecker power of ((1, 1), (0, 1)), so that five steps multiply by it.
template <class Word>
TL_HD inline Word sobol_second_reversed(Word i) {
    i = i ^ (i >> 1 & Word(0x55555555u));
    i = i ^ (i >> 2 & Word(0x33333333u));
    i = i ^ (i >> 4 & Word(0x0f0f0f0fu));
    i = i ^ (i >> 8 & Word(0x00ff00ffu));
    return i ^ i >> 16;
}

/// One pair of dimensions.
class SamplePair {
  public:
    TL_HD SamplePair(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                     std::uint32_t pair)
        : pattern_(pattern), seed_(seed), item_(item), pair_(pair) {}

    /// Point `i`, in [0, 1) x [0, 1).
    [[nodiscard]] TL_HD vec2 point(std::uint32_t i) const {
        if (pattern_ == SamplePattern::random) {
            auto low = static_cast<std::uint32_t>(seed_);
            auto high = static_cast<std::uint32_t>(seed_ >> 32);
            Philox4 r = philox4x32(pair_, 0, item_, i, low, high);
            return {to_unit_float(r.v[0]), to_unit_float(r.v[1])};
        }
        std::uint64_t hash = hash_64((seed_ + pair_ * 0x9e3779b97f4a7c15u) ^
                                     static_cast<std::uint64_t>(item_) * 0xd1342543de82ef95u);
        auto low = static_cast<std::uint32_t>(hash), high = static_cast<std::uint32_t>(hash >> 32);
        std::uint32_t shuffled = reverse_bits(scramble_reversed(reverse_bits(i), low ^ high));
        std::uint32_t x = scramble_reversed(shuffled, low);
        std::uint32_t y = scramble_reversed(sobol_second_reversed(shuffled), high);
        return {to_unit_float(reverse_bits(x)), to_unit_float(reverse_bits(y))};
    }

  private:
    SamplePattern pattern_;
    std::uint64_t seed_;
    std::uint32_t item_, pair_;
};

/// The pairs of one sample of one item (a pixel), in the order in which they are drawn.
class Sampler {
  public:
    /// `path` distinguishes rays of a sample that draw numbers in no fixed order.
    TL_HD Sampler(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                  std::uint32_t sample, std::uint32_t path = 0)
        : pattern_(pattern),
          seed_(seed ^ static_cast<std::uint64_t>(path) << 32),
          item_(item),
          sample_(sample) {}

    /// The next pair's point of the sample.
    TL_HD vec2 next() { return next_pair().point(sample_); }
    /// The next pair; point (n * sample() + j) is the sample's `j`th of `n`.
    TL_HD SamplePair next_pair() { return {pattern_, seed_, item_, n_pairs_++}; }
    /// Pair `k`, from 0, of those that next_pair() would give from here on.
    [[nodiscard]] TL_HD SamplePair pair(std::uint32_t k) const {
        return {pattern_, seed_, item_, n_pairs_ + k};
    }
    [[nodiscard]] TL_HD std::uint32_t sample() const { return sample_; }

  private:
    SamplePattern pattern_;
    std::uint64_t seed_;
    std::uint32_t item_, sample_, n_pairs_ = 0;
};

}  // namespace tl
