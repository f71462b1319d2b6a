// Albedo tables of GGX microfacets under single scattering, and multiple-scattering fractions for
// dielectrics. The energy of multiple scattering is added as a diffuse lobe (Kulla & Conty 2017,
// "Revisiting physically based shading at Imageworks"), so that rough surfaces neither lose nor
// gain energy.
#pragma once

#include "core/base/math.h"

namespace tl {

/// Interpolation position in a table: between nodes `i` and `i` + 1, at the fraction `rest`.
struct TablePosition {
    int i;
    float rest;

    /// Position of a value in [0, 1] among n nodes.
    [[nodiscard]] TL_HD static TablePosition of(float value, int n) {
        float place = minimum(maximum(value, 0.0f), 1.0f) * static_cast<float>(n - 1);
        int i = static_cast<int>(place);
        i = i < n - 2 ? i : n - 2;
        return {i, place - static_cast<float>(i)};
    }
    template <class Value>
    [[nodiscard]] TL_HD Value between(const Value& low, const Value& high) const {
        return (1 - rest) * low + rest * high;
    }
};

/// A table over cosines in [0, 1] (columns) and one more parameter in [0, 1] (rows). Interpolation
/// is linear in the square root of the cosine, since values change most at grazing angles. `Value`:
/// float or vec2.
template <int kRows, int kCosines, class Value = float>
struct AlbedoTable {
    Value values[kRows][kCosines];
    /// Mean of each row, weighted by the cosine: 2 * integral of value * cosine.
    Value means[kRows];

    [[nodiscard]] TL_HD Value at(float row, float cosine) const {
        auto x = TablePosition::of(row, kRows);
        auto y = TablePosition::of(sqrtf(maximum(cosine, 0.0f)), kCosines);
        const Value *low = &values[x.i][y.i], *high = low + kCosines;
        return x.between(y.between(low[0], low[1]), y.between(high[0], high[1]));
    }
    [[nodiscard]] TL_HD Value mean(float row) const {
        auto x = TablePosition::of(row, kRows);
        return x.between(means[x.i], means[x.i + 1]);
    }
    /// Computes `means` from the values, exactly for the linear interpolant.
    void set_means() {
        for (int i = 0; i < kRows; ++i) {
            means[i] = Value(0);
            constexpr double h = 1.0 / (kCosines - 1);
            for (int j = 0; j + 1 < kCosines; ++j) {
                // 4 * integral of (e + d t) (s + h t)^3 h dt, where the cosine is (s + h t)^2.
                double s = j * h;
                double of_e = s * s * s + 1.5 * s * s * h + s * h * h + h * h * h / 4;
                double of_d = s * s * s / 2 + s * s * h + 0.75 * s * h * h + h * h * h / 5;
                means[i] += values[i][j] * static_cast<float>(4 * h * (of_e - of_d)) +
                            values[i][j + 1] * static_cast<float>(4 * h * of_d);
            }
        }
    }
};

/// Energy kept by multiple scattering between a conductor's microfacets, relative to a surface
/// without absorption. `specular`: reflectance at normal incidence; `mean`: fraction of light that
/// is scattered only once.
template <class Color>
[[nodiscard]] TL_HD Color kept_by_several(Color specular, float mean) {
    // Mean of Schlick's approximation over all directions.
    Color reflected = specular + (Color(1) - specular) / 21.0f;
    return reflected * reflected * mean / (Color(1) - reflected * (1 - mean));
}

/// Skew (SkewedLobe in shading/lobes/skewed.h) of light scattered several times at a rough
/// dielectric. It is reciprocal.
struct SeveralFacetsSkew {
    static constexpr int kRows = 8, kIndices = 6;
    float skew[kIndices][kRows];  ///< rows: contrast of the indices; columns: roughness
};

/// Albedo tables of GGX surfaces; rows by roughness, the square root of GGX's alpha.
struct GgxTables {
    static constexpr int kIndices = 16;
    /// Largest |1 - eta| / (1 + eta) in the tables: that of indices 3 and 1/3.
    static constexpr float kMostContrast = 0.5f;

    /// Single-scattering albedo of a surface that reflects all light.
    AlbedoTable<32, 32> conductor;
    /// Part of `conductor` that Schlick's approximation adds whatever the reflectance: weighted by
    /// (1 - cosine)^5.
    AlbedoTable<32, 32> grazing;
    /// Multiple scattering at a dielectric without absorption. x and y are the fractions of energy
    /// that stay and that cross at the second microfacet or later. By contrast of the indices, for
    /// light from the thinner side [0] and the denser side [1].
    AlbedoTable<24, 20, vec2> several[2][kIndices];
    /// Skew of light that stays on the thinner and on the denser side, and of light that crosses.
    SeveralFacetsSkew stays[2], crosses;

    /// Albedo of a ConductorLobe of that reflectance at normal incidence.
    [[nodiscard]] TL_HD float reflected(float specular, float roughness, float cosine) const {
        return reflected(specular, conductor.at(roughness, cosine), grazing.at(roughness, cosine),
                         conductor.mean(roughness));
    }
    /// Mean of reflected() over all directions, weighted by the cosine.
    [[nodiscard]] TL_HD float mean_reflected(float specular, float roughness) const {
        float mean = conductor.mean(roughness);
        return reflected(specular, mean, grazing.mean(roughness), mean);
    }
    /// Fractions of `several`; `eta`: index on the side of the cosine divided by that on the far
    /// side.
    [[nodiscard]] TL_HD vec2 several_facets(float eta, float roughness, float cosine) const {
        return between(eta, [&](const auto& table) { return table.at(roughness, cosine); });
    }
    /// Means of several_facets() over all directions, weighted by the cosine.
    [[nodiscard]] TL_HD vec2 mean_several_facets(float eta, float roughness) const {
        return between(eta, [&](const auto& table) { return table.mean(roughness); });
    }
    [[nodiscard]] TL_HD float stays_skew(float eta, float roughness) const {
        return skew(stays[eta > 1 ? 1 : 0], eta, roughness);
    }
    [[nodiscard]] TL_HD float crosses_skew(float eta, float roughness) const {
        return skew(crosses, eta, roughness);
    }

  private:
    TL_HD static float reflected(float specular, float all, float at_grazing, float mean) {
        float once = specular * (all - at_grazing) + at_grazing;
        return once + kept_by_several(specular, mean) * (1 - all);
    }
    /// Table coordinate of an index ratio, in [0, 1], the same for eta and 1 / eta. Nodes are
    /// denser where both indices are nearly equal, since grazing light is sensitive to the
    /// difference there.
    [[nodiscard]] TL_HD static float place_of(float eta) {
        return sqrtf(fabsf((1 - eta) / (1 + eta)) / kMostContrast);
    }
    template <class Look>
    [[nodiscard]] TL_HD vec2 between(float eta, Look&& look) const {
        auto& tables = several[eta > 1 ? 1 : 0];
        auto x = TablePosition::of(place_of(eta), kIndices);
        return x.between(look(tables[x.i]), look(tables[x.i + 1]));
    }
    [[nodiscard]] TL_HD static float skew(const SeveralFacetsSkew& of, float eta, float roughness) {
        auto x = TablePosition::of(place_of(eta), SeveralFacetsSkew::kIndices);
        auto y = TablePosition::of(roughness, SeveralFacetsSkew::kRows);
        const float *low = &of.skew[x.i][y.i], *high = low + SeveralFacetsSkew::kRows;
        return x.between(y.between(low[0], low[1]), y.between(high[0], high[1]));
    }
};

/// Returns the tables. The build has computed them (compute_ggx_tables.h).
[[nodiscard]] const GgxTables& ggx_tables();

}  // namespace tl
