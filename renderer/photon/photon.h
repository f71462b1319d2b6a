// Photons as they are stored: light that has arrived at a surface after it was scattered at least
// once. They come from sources by random walks (Jensen 1996, "Global illumination using photon
// maps").
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/whole_copy.h"
#include "renderer/optics/packed_direction.h"

namespace tl {

struct alignas(16) Photon {
    vec3 position;
    std::uint32_t direction;  ///< of travel, pack_direction<16>
    vec3 power;               ///< W, of all that the pass has emitted
    std::uint32_t surface;    ///< the normal on its side, pack_direction<12>; then, in the lower
                              ///< bits, see below

    /// Whether mirrors and glass alone have turned it.
    static constexpr std::uint32_t kCaustic = 0x80;
    static constexpr std::uint32_t kMetMask = 0x7f;

    [[nodiscard]] TL_HD static std::uint32_t surface_of(vec3 normal, std::uint32_t n_met,
                                                        bool caustic) {
        return pack_direction<12>(normal) << 8 | (caustic ? kCaustic : 0) | n_met;
    }
    [[nodiscard]] TL_HD static bool is_caustic(std::uint32_t surface) { return surface & kCaustic; }
    /// The number of surfaces that it has met, with the one where it lies.
    [[nodiscard]] TL_HD static std::uint32_t n_met(std::uint32_t surface) {
        return surface & kMetMask;
    }
    [[nodiscard]] TL_HD static vec3 normal(std::uint32_t surface) {
        return unpack_direction<12>(surface >> 8);
    }
};
static_assert(sizeof(Photon) == 32);

/// Photons in the order in which they were stored, which differs from run to run; `ids` do not.
struct PhotonList {
    View<Photon> photons;
    View<std::uint32_t> ids;
    std::uint32_t* count = nullptr;  ///< on the device; those beyond the views are not stored
};

}  // namespace tl
