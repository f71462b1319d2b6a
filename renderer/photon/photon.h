// Photons as they are stored: light that has arrived at a surface after it was scattered at least
// once. They come from sources by random walks (Jensen 1996, "Global illumination using photon
// maps").
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/whole_copy.h"
#include "renderer/optics/directions.h"
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

/// How wide the kernels of photons are.
struct BeamKernel {
    float spread = 0;           ///< radius, in distances between neighbours; 0: there are none
    float least = 0, most = 0;  ///< radii, m

    /// Of an axis along which neighbours are that far away.
    [[nodiscard]] TL_HD float radius(float square_of_distance) const {
        return minimum(maximum(spread * sqrtf(maximum(square_of_distance, 0.0f)), least), most);
    }
};

/// The ellipse in a photon's tangent plane over which its power is spread: a kernel of its own.
struct alignas(16) PhotonShape {
    vec3 u;         ///< in the plane: a place is as far from the photon along u and v as the dot
    float density;  ///< products say, the edge being at 1; the kernel's value in the middle, 1/m^2
    vec3 v;
    float reach;  ///< greatest radius, m; 0: it has no kernel of its own

    /// A disc.
    [[nodiscard]] TL_HD static PhotonShape disc(vec3 normal, float radius) {
        vec3 x, y;
        basis_of(normal, x, y);
        return {x / radius, 2 / (kPi * radius * radius), y / radius, radius};
    }
};
static_assert(sizeof(PhotonShape) == 32);

/// Photons in the order in which they were stored, which differs from run to run; `ids` do not.
struct PhotonList {
    View<Photon> photons;
    View<std::uint32_t> ids;
    std::uint32_t* count = nullptr;  ///< on the device; those beyond the views are not stored
    View<PhotonShape> shapes{};      ///< of those that are caustics; empty: not asked for
};

}  // namespace tl
