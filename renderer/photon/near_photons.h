// The photons whose light counts at a place of a surface, and for how much.
#pragma once

#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

struct NearPhotons {
    PhotonGridView grid;
    float caustic_share;    ///< of the radius, for photons that mirrors and glass alone have turned
    std::uint32_t max_met;  ///< surfaces that light meets on its whole way
    bool with_caustics = true, with_indirect = true;  ///< which photons count

    /// Calls use(index, power, direction of travel as Photon has it, weight, s) for each photon at
    /// the place `p` of normal `side`, `depth` bounces from the camera, from one thread of the
    /// team: the sum of the powers, W/m^2, is the irradiance. `weight`: the kernel's value, 1/m^2;
    /// `s`: the square of the distance in the tangent plane as a part of that of the radius.
    ///
    /// Powers are weighted by Epanechnikov's kernel in the tangent plane: for a radius of 1 it
    /// falls from 2 / pi to 0 with the square of the distance. Photons count on the same side of a
    /// surface of about the same orientation, near its plane, so that none shine through a wall or
    /// around a corner.
    template <class Use>
    TL_D void for_each(const Team& team, vec3 p, vec3 side, std::uint32_t depth, Use&& use) const {
        grid.for_each_near(team, p, grid.radius, weighted(grid.radius, side, depth, use));
    }
    /// The same within another radius, whatever the grid's.
    template <class Use>
    TL_D void for_each_within(const Team& team, float radius, vec3 p, vec3 side,
                              std::uint32_t depth, Use&& use) const {
        auto weigh = weighted(radius, side, depth, use);
        if (radius <= grid.radius)
            grid.for_each_near(team, p, radius, weigh);
        else
            grid.for_each_far(team, p, radius, weigh);
    }

  private:
    template <class Use>
    [[nodiscard]] TL_D auto weighted(float radius, vec3 side, std::uint32_t depth, Use& use) const {
        constexpr float kLeastCosine = 0.7f, kThickness = 0.25f;
        float r2 = radius * radius, caustic_r2 = caustic_share * caustic_share * r2;
        std::uint32_t most_met = max_met - depth;
        return [=, this, &use](std::uint32_t k, const PhotonPlace& photon, vec3 offset,
                               float distance2) {
            bool is_caustic = Photon::is_caustic(photon.surface);
            if (!(is_caustic ? with_caustics : with_indirect)) return;
            float own_r2 = is_caustic ? caustic_r2 : r2;
            float height = glm::dot(offset, side);
            if (distance2 >= own_r2 || height * height > kThickness * kThickness * own_r2 ||
                Photon::n_met(photon.surface) > most_met)
                return;
            if (glm::dot(Photon::normal(photon.surface), side) < kLeastCosine) return;
            float s = (distance2 - height * height) / own_r2;
            float weight = 2 / kPi * (1 - s) / own_r2;
            PhotonLight light = load_whole(grid.lights[k]);
            use(k, weight * light.power, light.direction, weight, s);
        };
    }
};

TL_DEVICE_END
