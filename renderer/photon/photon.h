// Photons as stored at surfaces: light that has been scattered at least once, or with
// PhotonPass::with_direct any light. Photons leave the emitters on random walks (Jensen 1996,
// "Global illumination using photon maps").
#pragma once

#include "core/device/array.h"
#include "core/device/vectorized_copy.h"
#include "renderer/optics/directions.h"
#include "renderer/optics/packed_direction.h"

namespace tl {

/// A stored photon, 32 bytes.
struct alignas(16) Photon {
    vec3 position;
    std::uint32_t direction;  ///< direction of travel, pack_direction<16>
    vec3 power;               ///< W, a fraction of all power that the pass has emitted
    /// Bits 8 to 31: normal on the photon's side, pack_direction<12>. Bit 7: kCaustic. Bits 0 to 6:
    /// surfaces hit.
    std::uint32_t surface;

    /// Set if specular surfaces alone have scattered the photon.
    static constexpr std::uint32_t kCaustic = 0x80;
    static constexpr std::uint32_t kMetMask = 0x7f;

    [[nodiscard]] TL_HD static std::uint32_t surface_of(vec3 normal, std::uint32_t n_met,
                                                        bool caustic) {
        return pack_direction<12>(normal) << 8 | (caustic ? kCaustic : 0) | n_met;
    }
    [[nodiscard]] TL_HD static bool is_caustic(std::uint32_t surface) { return surface & kCaustic; }
    /// Number of surfaces that the photon has hit, including the one where it is stored.
    [[nodiscard]] TL_HD static std::uint32_t n_met(std::uint32_t surface) {
        return surface & kMetMask;
    }
    [[nodiscard]] TL_HD static vec3 normal(std::uint32_t surface) {
        return unpack_direction<12>(surface >> 8);
    }
};
static_assert(sizeof(Photon) == 32);

/// Range of kernel radii for photons with a kernel of their own.
struct BeamKernel {
    float spread = 0;  ///< radius, in distances between neighbouring photons; 0: no such kernels
    float least = 0, most = 0;  ///< bounds of the radius, m

    /// Kernel radius along an axis; `square_of_distance`: squared distance to the neighbours along
    /// it.
    [[nodiscard]] TL_HD float radius(float square_of_distance) const {
        return minimum(maximum(spread * sqrtf(maximum(square_of_distance, 0.0f)), least), most);
    }
};

/// Elliptic kernel in the photon's tangent plane, over which its power is spread.
struct alignas(16) PhotonShape {
    /// In the plane; dot(u, offset) and dot(v, offset) are kernel coordinates, with the edge at 1.
    vec3 u;
    float density;  ///< kernel value at the centre, 1/m^2
    vec3 v;
    float reach;  ///< largest radius, m; 0: no kernel of its own

    /// Circular kernel.
    [[nodiscard]] TL_HD static PhotonShape disc(vec3 normal, float radius) {
        vec3 x, y;
        basis_of(normal, x, y);
        return {x / radius, 2 / (kPi * radius * radius), y / radius, radius};
    }
};
static_assert(sizeof(PhotonShape) == 32);

/// Stored photons, in an order that differs from run to run. Their `ids` do not.
struct PhotonList {
    View<Photon> photons;
    View<std::uint32_t> ids;
    /// On the device. Photons beyond the views' size are counted, but not stored.
    std::uint32_t* count = nullptr;
    View<PhotonShape> shapes{};  ///< kernels of caustic photons; empty: not requested
};

}  // namespace tl
