// RGB transmittance packed in one 32-bit word.
#pragma once

#include "core/base/math.h"

namespace tl {

/// RGB transmittance, 10 bits a channel. Stores square roots, which keep precision of small values.
class PackedTransmittance {
  public:
    PackedTransmittance() = default;
    TL_HD explicit PackedTransmittance(vec3 transmittance) {
        for (int c = 0; c < 3; ++c) {
            float root = sqrtf(minimum(maximum(transmittance[c], 0.0f), 1.0f));
            bits_ |= static_cast<std::uint32_t>(root * kOne + 0.5f) << kBits * c;
        }
    }
    [[nodiscard]] TL_HD vec3 unpacked() const {
        vec3 transmittance;
        for (int c = 0; c < 3; ++c) transmittance[c] = (*this)[c];
        return transmittance;
    }
    /// Transmittance of one colour channel, 0 to 2.
    [[nodiscard]] TL_HD float operator[](int c) const {
        constexpr std::uint32_t kMask = (1u << kBits) - 1;
        float root = static_cast<float>(bits_ >> kBits * c & kMask) / kOne;
        return root * root;
    }

  private:
    static constexpr int kBits = 10;
    static constexpr float kOne = (1 << kBits) - 1;

    std::uint32_t bits_ = 0;
};
static_assert(sizeof(PackedTransmittance) == 4);

}  // namespace tl
