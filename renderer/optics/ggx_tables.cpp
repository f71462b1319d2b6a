#include "renderer/optics/ggx_tables.h"

#include <tbb/parallel_for.h>

#include <memory>

#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx.h"

namespace tl {
namespace {

/// Visits points of the normals m that are visible from a direction w at that cosine:
/// visit(w, m, the point's weight); weights sum to 1. Points are denser where normals lean away, as
/// few do: those send light below the horizon.
template <class Visit>
void for_normals(const GgxNormals& normals, float cosine, Visit&& visit) {
    constexpr int kPoints = 1600;
    constexpr double kGoldenRatio = 1.618033988749895;  // makes a lattice of even density
    vec3 w(std::sqrt(1 - cosine * cosine), 0, cosine);
    double total = 0;
    auto rest_at = [](int i) { return (i + 0.5) / kPoints; };
    for (int i = 0; i < kPoints; ++i) total += std::pow(rest_at(i), 3);
    for (int i = 0; i < kPoints; ++i) {
        double weight = std::pow(rest_at(i), 3);
        vec2 r(1 - weight * rest_at(i), i * kGoldenRatio - std::floor(i * kGoldenRatio));
        visit(w, normals.sample_visible(w, r), weight / total);
    }
}

/// The share of normals visible from w that are visible from `v` too, on its side of the surface.
float seen_from(const GgxNormals& normals, vec3 w, vec3 v, bool same_side) {
    if (same_side ? v.z <= 0 : v.z >= 0) return 0;
    return normals.visible_both(w, v) / normals.visible(w);
}

/// Calls fill(row, column, normals, cosine) for the nodes of a table, on all cores.
template <int kRows, int kCosines, class Fill>
void for_nodes(const AlbedoTable<kRows, kCosines>&, Fill&& fill) {
    constexpr float kGrazing = 1e-3f;  // in place of a cosine of 0
    tbb::parallel_for(0, kRows * kCosines, [&](int node) {
        int i = node / kCosines, j = node % kCosines;
        float roughness = static_cast<float>(i) / (kRows - 1);
        float root = static_cast<float>(j) / (kCosines - 1);
        GgxNormals normals{std::max(roughness * roughness, GgxNormals::kLeastAlpha)};
        fill(i, j, normals, std::max(root * root, kGrazing));
    });
}

void fill_conductor(GgxTables& tables) {
    for_nodes(tables.conductor, [&](int i, int j, const GgxNormals& normals, float cosine) {
        double sum = 0, grazing = 0;
        for_normals(normals, cosine, [&](vec3 w, vec3 m, double weight) {
            double seen = weight * seen_from(normals, w, -reflect_direction(w, m), true);
            sum += seen;
            grazing += seen * std::pow(1 - std::min(fused_dot(w, m), 1.0f), 5);
        });
        tables.conductor.values[i][j] = static_cast<float>(std::min(sum, 1.0));
        tables.grazing.values[i][j] = static_cast<float>(grazing);
    });
    tables.conductor.set_means();
    tables.grazing.set_means();
}

void fill_dielectrics(GgxTables& tables) {
    constexpr int kIndices = GgxTables::kIndices;
    // Indices of both sides; all share the normals.
    float etas[2][kIndices];
    for (int k = 0; k < kIndices; ++k) {
        float contrast = GgxTables::kMostContrast * static_cast<float>(k) / (kIndices - 1);
        etas[0][k] = (1 - contrast) / (1 + contrast);
        etas[1][k] = 1 / etas[0][k];
    }
    for_nodes(tables.dielectric[0][0], [&](int i, int j, const GgxNormals& normals, float cosine) {
        double sums[2][kIndices] = {};
        for_normals(normals, cosine, [&](vec3 w, vec3 m, double weight) {
            float reflected = seen_from(normals, w, -reflect_direction(w, m), true);
            for (int side = 0; side < 2; ++side)
                for (int k = 0; k < kIndices; ++k) {
                    vec3 refracted;
                    float cos_t, kept = reflected, eta = etas[side][k];
                    if (refract_direction(-w, m, eta, refracted, cos_t)) {
                        float reflectance = fresnel_dielectric(fused_dot(w, m), cos_t, eta);
                        kept = reflectance * reflected +
                               (1 - reflectance) * seen_from(normals, w, refracted, false);
                    }
                    sums[side][k] += weight * kept;
                }
        });
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < kIndices; ++k)
                tables.dielectric[side][k].values[i][j] =
                    static_cast<float>(std::min(sums[side][k], 1.0));
    });
    for (auto& side : tables.dielectric)
        for (auto& table : side) table.set_means();
}

}  // namespace

const GgxTables& ggx_tables() {
    static const std::unique_ptr<const GgxTables> tables = [] {
        auto made = std::make_unique<GgxTables>();
        fill_conductor(*made);
        fill_dielectrics(*made);
        return made;
    }();
    return *tables;
}

}  // namespace tl
