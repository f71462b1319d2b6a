// The energy that GGX microfacets keep when light meets only one of them: the rest meets several,
// and is added as a diffuse lobe in proportion (Kulla & Conty 2017, "Revisiting physically based
// shading at Imageworks"), so that rough surfaces neither lose nor gain energy.
#pragma once

#include "accel/parallel/math.h"

namespace tl {

/// Where a table's rows or columns lie beside a value: `i` and, by the part `rest`, `i` + 1.
struct TablePlace {
    int i;
    float rest;

    /// Of a value in [0, 1] among n nodes.
    [[nodiscard]] TL_HD static TablePlace of(float value, int n) {
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

/// Rows of values over cosines in [0, 1], by one more parameter in [0, 1]; linear between, in the
/// square root of the cosine, since values change most at grazing angles. `Value`: float or vec2.
template <int kRows, int kCosines, class Value = float>
struct AlbedoTable {
    Value values[kRows][kCosines];
    Value means[kRows];  ///< of the rows, weighted by the cosine: 2 * integral of value * cosine

    [[nodiscard]] TL_HD Value at(float row, float cosine) const {
        auto x = TablePlace::of(row, kRows);
        auto y = TablePlace::of(sqrtf(maximum(cosine, 0.0f)), kCosines);
        const Value *low = &values[x.i][y.i], *high = low + kCosines;
        return x.between(y.between(low[0], low[1]), y.between(high[0], high[1]));
    }
    [[nodiscard]] TL_HD Value mean(float row) const {
        auto x = TablePlace::of(row, kRows);
        return x.between(means[x.i], means[x.i + 1]);
    }
    /// Computes `means` from the values, exactly for what is linear between nodes.
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

/// What light that meets several microfacets of a conductor keeps, beside all of it; `specular`:
/// reflectance at normal incidence, `mean`: the share of light that meets only one of them.
template <class Color>
[[nodiscard]] TL_HD Color kept_by_several(Color specular, float mean) {
    // Schlick's approximation, over all angles.
    Color reflected = specular + (Color(1) - specular) / 21.0f;
    return reflected * reflected * mean / (Color(1) - reflected * (1 - mean));
}

/// How light that meets several microfacets of a rough dielectric is spread, whichever way it goes
/// (SkewedLobe in shading/lobes/skewed.h).
struct SeveralFacetsSkew {
    static constexpr int kRows = 8, kIndices = 6;
    float skew[kIndices][kRows];  ///< by contrast of the indices and roughness
};

/// Albedos of light at one microfacet; rows by roughness, the square root of GGX's alpha.
struct GgxTables {
    static constexpr int kIndices = 16;
    /// The largest |1 - eta| / (1 + eta) in the tables: that of indices 3 and 1/3.
    static constexpr float kMostContrast = 0.5f;

    AlbedoTable<32, 32> conductor;  ///< of a surface that reflects all light
    /// The part of it that Schlick's approximation counts whatever the reflectance.
    AlbedoTable<32, 32> grazing;
    /// The shares of light that stays and that crosses at the second microfacet or later, as
    /// energy, at a dielectric that absorbs none; by contrast of the indices, for light from the
    /// thinner and the denser side.
    AlbedoTable<24, 20, vec2> several[2][kIndices];
    /// Of what stays on the thinner and on the denser side, and of what crosses.
    SeveralFacetsSkew stays[2], crosses;

    /// The albedo of a ConductorLobe of that reflectance at normal incidence.
    [[nodiscard]] TL_HD float reflected(float specular, float roughness, float cosine) const {
        return reflected(specular, conductor.at(roughness, cosine), grazing.at(roughness, cosine),
                         conductor.mean(roughness));
    }
    /// Its mean over all directions, weighted by the cosine.
    [[nodiscard]] TL_HD float mean_reflected(float specular, float roughness) const {
        float mean = conductor.mean(roughness);
        return reflected(specular, mean, grazing.mean(roughness), mean);
    }
    /// The shares of `several`; `eta`: index on the side of the cosine divided by that beyond.
    [[nodiscard]] TL_HD vec2 several_facets(float eta, float roughness, float cosine) const {
        return between(eta, [&](const auto& table) { return table.at(roughness, cosine); });
    }
    /// Their means over all directions, weighted by the cosine.
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
    /// Where indices are in the tables, in [0, 1], the same for eta and 1 / eta: nodes are denser
    /// where both sides are nearly alike, since grazing light is sensitive to the difference there.
    [[nodiscard]] TL_HD static float place_of(float eta) {
        return sqrtf(fabsf((1 - eta) / (1 + eta)) / kMostContrast);
    }
    template <class Look>
    [[nodiscard]] TL_HD vec2 between(float eta, Look&& look) const {
        auto& tables = several[eta > 1 ? 1 : 0];
        auto x = TablePlace::of(place_of(eta), kIndices);
        return x.between(look(tables[x.i]), look(tables[x.i + 1]));
    }
    [[nodiscard]] TL_HD static float skew(const SeveralFacetsSkew& of, float eta, float roughness) {
        auto x = TablePlace::of(place_of(eta), SeveralFacetsSkew::kIndices);
        auto y = TablePlace::of(roughness, SeveralFacetsSkew::kRows);
        const float *low = &of.skew[x.i][y.i], *high = low + SeveralFacetsSkew::kRows;
        return x.between(y.between(low[0], low[1]), y.between(high[0], high[1]));
    }
};

/// The tables, computed at the first call (about half a second of one core).
[[nodiscard]] const GgxTables& ggx_tables();

}  // namespace tl
