// Photons that contribute to the irradiance at a surface point, and their kernel weights
// (Epanechnikov's kernel in the tangent plane).
#pragma once

#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

/// Search over the photon grids with orientation, plane and path length tests.
struct NearPhotons {
    PhotonGridView indirect, caustic;
    std::uint32_t max_met;  ///< most surfaces that light hits on its whole path
    /// with_caustics: caustic photons count; with_indirect: all others count.
    bool with_caustics = true, with_indirect = true;

    /// Calls use(index, power, direction of travel as in Photon, weight, s) for each photon near
    /// `p`, from one thread of the team. `side`: unit normal; `depth`: bounces from the camera. The
    /// sum of the powers, W/m^2, is the irradiance. `weight`: the kernel's value, 1/m^2; `s`:
    /// squared distance in the tangent plane divided by the squared radius.
    ///
    /// Powers are weighted by Epanechnikov's kernel in the tangent plane: for a radius of 1 it
    /// falls from 2 / pi to 0 with the square of the distance. Photons count if their surface has
    /// about the same orientation and lies near the tangent plane. This keeps light from leaking
    /// through walls and around corners.
    ///
    /// Returns false where a table has more than `most_candidates` photons in the cells around `p`;
    /// photons of other tables may have been used then. Only on a GPU.
    template <class AnyTeam, class Use>
    TL_D bool for_each(const AnyTeam& team, vec3 p, vec3 side, std::uint32_t depth, Use&& use,
                       std::uint32_t most_candidates = ~0u) const {
        return for_each_table(p, [&](const PhotonGridView& grid, float) {
            return grid.for_each_near(team, p, grid.radius,
                                      weighted(grid, grid.radius, side, depth, use), side,
                                      kThickness * grid.radius, most_candidates);
        });
    }
    /// for_each with another search radius, which may exceed the grid's. For caustics the radius is
    /// scaled by their ratio.
    template <class AnyTeam, class Use>
    TL_D bool for_each_within(const AnyTeam& team, float radius, vec3 p, vec3 side,
                              std::uint32_t depth, Use&& use,
                              std::uint32_t most_candidates = ~0u) const {
        return for_each_table(p, [&](const PhotonGridView& grid, float ratio) {
            float reach = ratio * radius;
            auto weigh = weighted(grid, reach, side, depth, use);
            if (reach <= grid.radius)
                return grid.for_each_near(team, p, reach, weigh, side, kThickness * reach,
                                          most_candidates);
            grid.for_each_far(team, p, reach, weigh);
            return true;
        });
    }
    /// Calls use(slot) for the slots that for_each may search, or for_each_within where `radius` is
    /// positive. Slots of the grid's first table come first, then those of caustics. For caustics
    /// with kernels of their own, it is the slot of the first-size cell that contains `p`.
    template <class Use>
    TL_D void for_each_slot(float radius, vec3 p, vec3 side, Use&& use) const {
        for (int k = 0; k < 2; ++k) {
            if (!(k == 0 ? with_indirect : with_caustics)) continue;
            const PhotonGridView grid = (k == 0 ? indirect : caustic).with_search_radius();
            std::uint32_t first = k == 0 ? 0 : indirect.slot_mask + 1;
            auto use_slot = [&](std::uint32_t slot) { use(first + slot); };
            float reach =
                radius > 0 ? (grid.radius_ratio ? *grid.radius_ratio : 1.0f) * radius : grid.radius;
            if (grid.sizes)
                use_slot(grid.slot_at(p));
            else if (reach <= grid.radius)
                grid.for_each_reached(p, reach, use_slot, side, kThickness * reach);
            else
                grid.for_each_cell(p, reach,
                                   [&](int x, int y, int z) { use_slot(grid.slot_of(x, y, z)); });
        }
    }
    /// Search radius for a photon with that `surface` word, m.
    [[nodiscard]] TL_D float radius_of(std::uint32_t surface) const {
        return (Photon::is_caustic(surface) ? caustic : indirect).with_search_radius().radius;
    }

    /// Ratio of the search radius of photons that are no caustics to the given radius.
    [[nodiscard]] TL_D float indirect_ratio() const {
        return indirect.radius_ratio ? *indirect.radius_ratio : 1.0f;
    }

  private:
    /// Largest distance of a photon from the tangent plane, divided by the radius.
    static constexpr float kThickness = 0.25f;

    /// Calls search(grid, radius ratio) for each table that may have photons whose kernels reach
    /// `p`, until it returns false; returns whether it has not.
    template <class Search>
    TL_D bool for_each_table(vec3 p, Search&& search) const {
        std::uint32_t tables = with_indirect && *indirect.is_used ? 1 : 0;
        if (with_caustics && *caustic.is_used) tables |= caustic.sizes_near(p) << 1;
            // Keeps the loop rolled, so that its body is compiled once.
#pragma unroll 1
        for (int k = 0; tables >> k; ++k) {
            if (!(tables >> k & 1)) continue;
            PhotonGridView grid = k == 0 ? indirect : k == 1 ? caustic : caustic.level(k - 1);
            if (!search(grid.with_search_radius(), grid.radius_ratio ? *grid.radius_ratio : 1.0f))
                return false;
        }
        return true;
    }
    template <class Use>
    TL_D auto weighted(const PhotonGridView& grid, float radius, vec3 side, std::uint32_t depth,
                       Use& use) const {
        constexpr float kLeastCosine = 0.7f;
        float r2 = radius * radius;
        std::uint32_t most_met = max_met - depth;
        const PhotonLight* lights = grid.lights;
        const PhotonShape* shapes = grid.shapes;
        return
            [=, &use](std::uint32_t k, const PhotonPosition& photon, vec3 offset, float distance2) {
                float height = glm::dot(offset, side);
                if (distance2 >= r2 || height * height > kThickness * kThickness * r2 ||
                    Photon::n_met(photon.surface) > most_met)
                    return;
                float s = (distance2 - height * height) / r2, middle = 2 / kPi / r2;
                if (shapes) {
                    PhotonShape shape = load_vectorized(shapes[k]);
                    float u = glm::dot(shape.u, offset), v = glm::dot(shape.v, offset);
                    s = u * u + v * v;
                    middle = shape.density;
                    if (s >= 1) return;
                }
                if (glm::dot(Photon::normal(photon.surface), side) < kLeastCosine) return;
                float weight = middle * (1 - s);
                PhotonLight light = load_vectorized(lights[k]);
                use(k, weight * light.power, light.direction, weight, s);
            };
    }
};

TL_DEVICE_END
