// The photons whose light counts at a place of a surface, and for how much.
#pragma once

#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

struct NearPhotons {
    PhotonGridView indirect, caustic;
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
        for_each_table(p, [&](const PhotonGridView& grid, float) {
            grid.for_each_near(team, p, grid.radius, weighted(grid, grid.radius, side, depth, use),
                               side, kThickness * grid.radius);
        });
    }
    /// The same within another radius, whatever that of the grid, of which caustics have their
    /// share.
    template <class Use>
    TL_D void for_each_within(const Team& team, float radius, vec3 p, vec3 side,
                              std::uint32_t depth, Use&& use) const {
        for_each_table(p, [&](const PhotonGridView& grid, float share) {
            float reach = share * radius;
            auto weigh = weighted(grid, reach, side, depth, use);
            if (reach <= grid.radius)
                grid.for_each_near(team, p, reach, weigh, side, kThickness * reach);
            else
                grid.for_each_far(team, p, reach, weigh);
        });
    }
    /// Calls use(slot) for the slots that for_each, or with a `radius` for_each_within, may look
    /// into: those of the grid's first table, and then those of caustics. Of caustics with kernels
    /// of their own: the cell of the first size in which `p` lies.
    template <class Use>
    TL_D void for_each_slot(float radius, vec3 p, vec3 side, Use&& use) const {
        for (int k = 0; k < 2; ++k) {
            if (!(k == 0 ? with_indirect : with_caustics)) continue;
            const PhotonGridView grid = (k == 0 ? indirect : caustic).scaled();
            std::uint32_t first = k == 0 ? 0 : indirect.slot_mask + 1;
            auto use_slot = [&](std::uint32_t slot) { use(first + slot); };
            float reach = radius > 0 ? (grid.share ? *grid.share : 1.0f) * radius : grid.radius;
            if (grid.sizes)
                use_slot(grid.slot_at(p));
            else if (reach <= grid.radius)
                grid.for_each_reached(p, reach, use_slot, side, kThickness * reach);
            else
                grid.for_each_cell(p, reach,
                                   [&](int x, int y, int z) { use_slot(grid.slot_of(x, y, z)); });
        }
    }
    /// Within which a photon of that surface counts, m.
    [[nodiscard]] TL_D float radius_of(std::uint32_t surface) const {
        return (Photon::is_caustic(surface) ? caustic : indirect).scaled().radius;
    }

    /// Of a radius, within which those that are no caustics count.
    [[nodiscard]] TL_D float indirect_share() const {
        return indirect.share ? *indirect.share : 1.0f;
    }

  private:
    /// How far from the tangent plane photons count, as a part of the radius.
    static constexpr float kThickness = 0.25f;

    /// search(grid, share of the radius), for the tables that may have photons which reach `p`.
    template <class Search>
    TL_D void for_each_table(vec3 p, Search&& search) const {
        std::uint32_t tables = with_indirect && *indirect.is_used ? 1 : 0;
        if (with_caustics && *caustic.is_used) tables |= caustic.sizes_near(p) << 1;
            // Compiled once.
#pragma unroll 1
        for (int k = 0; tables >> k; ++k) {
            if (!(tables >> k & 1)) continue;
            PhotonGridView grid = k == 0 ? indirect : k == 1 ? caustic : caustic.level(k - 1);
            search(grid.scaled(), grid.share ? *grid.share : 1.0f);
        }
    }
    template <class Use>
    TL_D auto weighted(const PhotonGridView& grid, float radius, vec3 side, std::uint32_t depth,
                       Use& use) const {
        constexpr float kLeastCosine = 0.7f;
        float r2 = radius * radius;
        std::uint32_t most_met = max_met - depth;
        const PhotonLight* lights = grid.lights;
        const PhotonShape* shapes = grid.shapes;
        return [=, &use](std::uint32_t k, const PhotonPlace& photon, vec3 offset, float distance2) {
            float height = glm::dot(offset, side);
            if (distance2 >= r2 || height * height > kThickness * kThickness * r2 ||
                Photon::n_met(photon.surface) > most_met)
                return;
            float s = (distance2 - height * height) / r2, middle = 2 / kPi / r2;
            if (shapes) {
                PhotonShape shape = load_whole(shapes[k]);
                float u = glm::dot(shape.u, offset), v = glm::dot(shape.v, offset);
                s = u * u + v * v;
                middle = shape.density;
                if (s >= 1) return;
            }
            if (glm::dot(Photon::normal(photon.surface), side) < kLeastCosine) return;
            float weight = middle * (1 - s);
            PhotonLight light = load_whole(lights[k]);
            use(k, weight * light.power, light.direction, weight, s);
        };
    }
};

TL_DEVICE_END
