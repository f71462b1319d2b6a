// The photons whose light counts at a place of a surface, and for how much.
#pragma once

#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

struct NearPhotons {
    PhotonGridView grid;
    float caustic_radius;   ///< of photons that mirrors and glass alone have turned
    std::uint32_t max_met;  ///< surfaces that light meets on its whole way
    bool with_caustics = true, with_indirect = true;  ///< which photons count

    /// Calls use(index, power, direction of travel as Photon has it) for each photon at the place
    /// `p` of normal `side`, `depth` bounces from the camera, from one thread of the team; the sum
    /// of the powers, W/m^2, is the irradiance.
    ///
    /// Powers are weighted by Epanechnikov's kernel in the tangent plane: for a radius of 1 it
    /// falls from 2 / pi to 0 with the square of the distance. Photons count on the same side of a
    /// surface of about the same orientation, near its plane, so that none shine through a wall or
    /// around a corner.
    template <class Use>
    TL_D void for_each(const Team& team, vec3 p, vec3 side, std::uint32_t depth, Use&& use) const {
        constexpr float kLeastCosine = 0.7f, kThickness = 0.25f;
        float r2 = grid.radius * grid.radius, caustic_r2 = caustic_radius * caustic_radius;
        std::uint32_t most_met = max_met - depth;
        grid.for_each_near(
            team, p, [&](std::uint32_t k, const PhotonPlace& photon, vec3 offset, float distance2) {
                bool is_caustic = Photon::is_caustic(photon.surface);
                if (!(is_caustic ? with_caustics : with_indirect)) return;
                float own_r2 = is_caustic ? caustic_r2 : r2;
                float height = glm::dot(offset, side);
                if (distance2 >= own_r2 || height * height > kThickness * kThickness * own_r2 ||
                    Photon::n_met(photon.surface) > most_met)
                    return;
                if (glm::dot(Photon::normal(photon.surface), side) < kLeastCosine) return;
                float weight = 2 / kPi * (1 - (distance2 - height * height) / own_r2) / own_r2;
                PhotonLight light = load_whole(grid.lights[k]);
                use(k, weight * light.power, light.direction);
            });
    }
};

TL_DEVICE_END
