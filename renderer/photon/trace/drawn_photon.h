// Weighted reservoir sampling of one photon while photons are gathered.
#pragma once

#include "core/device/team.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

/// Sum of the photons' light, and one photon drawn in proportion to its contribution.
class DrawnPhoton {
  public:
    TL_D explicit DrawnPhoton(std::uint32_t random) : random_(random) {}
    /// Adds photon k. Has the interface of the sums that Near::sum_at returns; the kernel weight
    /// and the distance are not used.
    TL_D void add(std::uint32_t k, vec3 light_of_photon, float = 0, float = 0) {
        light += light_of_photon;
        float weight = largest(light_of_photon);
        total_ += weight;
        if (to_unit_float(hash_bits(random_ + k)) * total_ < weight) index_ = k;
    }
    /// Returns the photon drawn by the whole team, the same on all threads; kNone where no photon
    /// counts.
    template <class AnyTeam>
    [[nodiscard]] TL_D std::uint32_t of([[maybe_unused]] const AnyTeam& team) const {
#if defined(__CUDA_ARCH__)
        // Exponential race: the thread with the smallest variate, scaled by its total, wins.
        float u = to_unit_float(hash_bits(random_ ^ (AnyTeam::rank() + 1)));
        std::uint32_t key = index_ == kNone ? kNone - 1 : bits_of_float(-logf(1 - u) / total_);
        std::uint32_t least = team.minimum_of(key);
        return team.minimum_of(key == least ? index_ : kNone);
#else
        return index_;
#endif
    }
    [[nodiscard]] TL_D std::uint32_t random() const {
        return random_;
    }

    static constexpr std::uint32_t kNone = ~0u;
    vec3 light{0};

  private:
    std::uint32_t random_, index_ = kNone;
    float total_ = 0;
};

TL_DEVICE_END
