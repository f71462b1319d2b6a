// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as
// easy as 1, 2, 3"). A number depends only on its seed and counter, so both devices, in any order
// and on any number of threads, draw the same stream.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

namespace tl {

struct Philox4 {
    std::uint32_t v[4];
};

/// Ten rounds of Philox4x32 on the 128-bit counter (c0..c3) under the 64-bit key (k0, k1).
TL_HD inline Philox4 philox4x32(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                std::uint32_t c3, std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
        std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
        std::uint32_t high0 = static_cast<std::uint32_t>(p0 >> 32);
        std::uint32_t high1 = static_cast<std::uint32_t>(p1 >> 32);
        c0 = high1 ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = high0 ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

/// Maps the upper 24 bits to a float, uniform in [0, 1).
TL_HD inline float to_unit_float(std::uint32_t bits) {
    return static_cast<float>(bits >> 8) * 0x1p-24f;
}

/// The random numbers of one (seed, item, sample), e.g. pixel and frame. Numbers are drawn in
/// order, four from each counter value.
class RandomStream {
  public:
    TL_HD RandomStream(std::uint64_t seed, std::uint32_t item, std::uint32_t sample)
        : key0_(static_cast<std::uint32_t>(seed)),
          key1_(static_cast<std::uint32_t>(seed >> 32)),
          item_(item),
          sample_(sample) {}

    TL_HD std::uint32_t next_uint() {
        if (left_ == 0) {
            block_ = philox4x32(counter_++, 0, item_, sample_, key0_, key1_);
            left_ = 4;
        }
        // Selected without indexing, so that the block stays in registers.
        --left_;
        return left_ == 3   ? block_.v[0]
               : left_ == 2 ? block_.v[1]
               : left_ == 1 ? block_.v[2]
                            : block_.v[3];
    }
    TL_HD float next() { return to_unit_float(next_uint()); }

  private:
    std::uint32_t key0_, key1_, item_, sample_;
    std::uint32_t counter_ = 0;
    int left_ = 0;
    Philox4 block_{};
};

}  // namespace tl
