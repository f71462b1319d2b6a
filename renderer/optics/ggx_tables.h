// The energy that GGX microfacets keep when light meets only one of them: the rest meets several,
// and is added as a diffuse lobe in proportion (Kulla & Conty 2017, "Revisiting physically based
// shading at Imageworks"), so that rough surfaces neither lose nor gain energy.
#pragma once

#include "accel/parallel/math.h"

namespace tl {

/// Rows of values over cosines in [0, 1], by one more parameter in [0, 1]; linear between, in the
/// square root of the cosine, since values change most at grazing angles.
template <int kRows, int kCosines>
struct AlbedoTable {
    float values[kRows][kCosines];
    float means[kRows];  ///< of the rows, weighted by the cosine: 2 * integral of value * cosine

    [[nodiscard]] TL_HD float at(float row, float cosine) const {
        float x = place(row, kRows), y = place(sqrtf(maximum(cosine, 0.0f)), kCosines);
        int i = whole(x, kRows), j = whole(y, kCosines);
        x -= static_cast<float>(i);
        y -= static_cast<float>(j);
        float low = (1 - y) * values[i][j] + y * values[i][j + 1];
        float high = (1 - y) * values[i + 1][j] + y * values[i + 1][j + 1];
        return (1 - x) * low + x * high;
    }
    [[nodiscard]] TL_HD float mean(float row) const {
        float x = place(row, kRows);
        int i = whole(x, kRows);
        x -= static_cast<float>(i);
        return (1 - x) * means[i] + x * means[i + 1];
    }
    /// Computes `means` from the values, exactly for what is linear between nodes.
    void set_means() {
        for (int i = 0; i < kRows; ++i) {
            double sum = 0, h = 1.0 / (kCosines - 1);
            for (int j = 0; j + 1 < kCosines; ++j) {
                // 4 * integral of (e + d t) (s + h t)^3 h dt, where the cosine is (s + h t)^2.
                double e = values[i][j], d = values[i][j + 1] - e, s = j * h;
                sum += 4 * h *
                       (s * s * s * (e + d / 2) + 3 * s * s * h * (e / 2 + d / 3) +
                        3 * s * h * h * (e / 3 + d / 4) + h * h * h * (e / 4 + d / 5));
            }
            means[i] = static_cast<float>(sum);
        }
    }

  private:
    TL_HD static float place(float value, int n) {
        return minimum(maximum(value, 0.0f), 1.0f) * static_cast<float>(n - 1);
    }
    TL_HD static int whole(float place, int n) {
        int i = static_cast<int>(place);
        return i < n - 2 ? i : n - 2;
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

/// Albedos of single scattering; rows by roughness, the square root of GGX's alpha.
struct GgxTables {
    static constexpr int kIndices = 16;
    /// The largest |1 - eta| / (1 + eta) in the tables: that of indices 3 and 1/3.
    static constexpr float kMostContrast = 0.5f;

    AlbedoTable<32, 32> conductor;  ///< of a surface that reflects all light
    /// The part of it that Schlick's approximation counts whatever the reflectance.
    AlbedoTable<32, 32> grazing;
    /// Reflected and transmitted light together, each weighed as energy, of a dielectric that
    /// absorbs none; by contrast of the indices, for light from the thinner and the denser side.
    AlbedoTable<24, 16> dielectric[2][kIndices];

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
    /// The albedo of a dielectric; `eta`: index on the side of the cosine divided by that beyond.
    [[nodiscard]] TL_HD float dielectric_albedo(float eta, float roughness, float cosine) const {
        return between(eta, [&](const auto& table) { return table.at(roughness, cosine); });
    }
    [[nodiscard]] TL_HD float dielectric_mean(float eta, float roughness) const {
        return between(eta, [&](const auto& table) { return table.mean(roughness); });
    }

  private:
    TL_HD static float reflected(float specular, float all, float at_grazing, float mean) {
        float once = specular * (all - at_grazing) + at_grazing;
        return once + kept_by_several(specular, mean) * (1 - all);
    }
    template <class Look>
    [[nodiscard]] TL_HD float between(float eta, Look&& look) const {
        float contrast = (1 - eta) / (1 + eta);
        auto& tables = dielectric[contrast < 0 ? 1 : 0];
        float x = minimum(fabsf(contrast) / kMostContrast, 1.0f) * (kIndices - 1);
        int i = static_cast<int>(x);
        if (i > kIndices - 2) i = kIndices - 2;
        x -= static_cast<float>(i);
        return (1 - x) * look(tables[i]) + x * look(tables[i + 1]);
    }
};

/// The tables, computed at the first call (about half a second of one core).
[[nodiscard]] const GgxTables& ggx_tables();

}  // namespace tl
