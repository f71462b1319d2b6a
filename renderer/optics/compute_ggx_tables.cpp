#include "renderer/optics/compute_ggx_tables.h"

#include <tbb/parallel_for.h>

#include "renderer/optics/beta_function.h"
#include "renderer/optics/facet_walk.h"
#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx.h"

namespace tl {
namespace {

vec3 direction_at(float cosine) {
    return {std::sqrt(1 - cosine * cosine), 0, cosine};
}

/// Integrates over the normals m visible from a direction w: calls visit(m, weight) for sample
/// normals; weights sum to 1. Samples are denser where normals lean away. Few normals do, but these
/// scatter light below the horizon.
template <class Visit>
void for_normals(const GgxNormals& normals, vec3 w, Visit&& visit) {
    constexpr int kPoints = 1600;
    constexpr double kGoldenRatio = 1.618033988749895;  // Kronecker lattice of uniform density
    double total = 0;
    auto rest_at = [](int i) { return (i + 0.5) / kPoints; };
    for (int i = 0; i < kPoints; ++i) total += std::pow(rest_at(i), 3);
    for (int i = 0; i < kPoints; ++i) {
        double weight = std::pow(rest_at(i), 3);
        vec2 r(1 - weight * rest_at(i), i * kGoldenRatio - std::floor(i * kGoldenRatio));
        visit(normals.sample_visible(w, r), weight / total);
    }
}

/// Conditional visibility: fraction of the normals visible from w that are visible from `v` too.
class SeenFrom {
  public:
    SeenFrom(const GgxNormals& normals, vec3 w) : normals_(normals), w_(w) {
        constexpr float kMost = 1e5f;
        float here = 1 + std::min(normals.hidden(w), kMost);
        for (int i = 1; i <= kIntervals; ++i)
            through_[i] = here * beta_function(here, float{kIntervals} / static_cast<float>(i));
    }
    /// For `v` on the side of w.
    [[nodiscard]] float above(vec3 v) const {
        return v.z > 0 ? normals_.visible_both(w_, v) / normals_.visible(w_) : 0;
    }
    /// For `v` on the other side: GgxNormals::visible_through, interpolated.
    [[nodiscard]] float below(vec3 v) const {
        auto place = TablePosition::of(v.z < 0 ? normals_.visible(v) : 0, kIntervals + 1);
        return place.between(through_[place.i], through_[place.i + 1]);
    }

  private:
    static constexpr int kIntervals = 128;  // intervals of the fraction visible from `v`
    GgxNormals normals_;
    vec3 w_;
    float through_[kIntervals + 1] = {};
};

/// Calls fill(row, column, normals, cosine) for the nodes of a table, on all cores.
template <int kRows, int kCosines, class Value, class Fill>
void for_nodes(const AlbedoTable<kRows, kCosines, Value>&, Fill&& fill) {
    constexpr float kGrazing = 1e-3f;  // least cosine, instead of 0
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
        vec3 w = direction_at(cosine);
        SeenFrom seen_from(normals, w);
        for_normals(normals, w, [&](vec3 m, double weight) {
            double seen = weight * seen_from.above(-reflect_direction(w, m));
            sum += seen;
            grazing += seen * std::pow(1 - std::min(fused_dot(w, m), 1.0f), 5);
        });
        tables.conductor.values[i][j] = static_cast<float>(std::min(sum, 1.0));
        tables.grazing.values[i][j] = static_cast<float>(grazing);
    });
    tables.conductor.set_means();
    tables.grazing.set_means();
}

/// Index ratio at node k of n: that of the incident side divided by that of the far side. `side` 1:
/// the incident side is the denser one.
float eta_at(int side, int k, int n) {
    float place = static_cast<float>(k) / static_cast<float>(n - 1);
    float contrast = GgxTables::kMostContrast * place * place;
    float eta = (1 - contrast) / (1 + contrast);
    return side == 0 ? eta : 1 / eta;
}

/// Fraction of multiply scattered light that crosses the interface, by random walks. It changes
/// slowly, so that it has fewer nodes than the tables.
struct CrossingParts {
    static constexpr int kIndices = SeveralFacetsSkew::kIndices;
    static constexpr int kRows = SeveralFacetsSkew::kRows, kCosines = 6;
    AlbedoTable<kRows, kCosines> of[2][kIndices];

    [[nodiscard]] float at(int side, float place, float roughness, float cosine) const {
        auto x = TablePosition::of(place, kIndices);
        return x.between(of[side][x.i].at(roughness, cosine),
                         of[side][x.i + 1].at(roughness, cosine));
    }
};

/// Sums over light that leaves on one side after several facets.
struct SeveralSum {
    double share = 0;
    /// Sums of the fraction times -(o_xy . i_xy), positive for forward scattering, and of the
    /// fraction times (o_xy . o_xy) (i_xy . i_xy). o and i are directions towards origin and
    /// destination of the light.
    double ahead = 0, spread = 0;

    void add(const SeveralSum& other, double weight) {
        share += weight * other.share;
        ahead += weight * other.ahead;
        spread += weight * other.spread;
    }
    /// Skew of the lobe with the same mean azimuth.
    [[nodiscard]] float skew() const {
        constexpr double kMost = 0.95;
        return spread > 0 ? static_cast<float>(std::clamp(ahead / spread, 0.0, kMost)) : 0.0f;
    }
};

/// Runs random walks at the nodes of CrossingParts, and fits the lobes' skew.
CrossingParts follow_walks(GgxTables& tables) {
    constexpr int kRows = CrossingParts::kRows, kCosines = CrossingParts::kCosines;
    constexpr float kGrazing = 0.02f, kSmooth = 0.35f;
    CrossingParts parts;
    tbb::parallel_for(0, CrossingParts::kIndices * kRows, [&](int node) {
        int k = node / kRows, row = node % kRows;
        // Smoother rows reuse the fractions of kSmooth: next to no light is scattered several times
        // there.
        float roughness = static_cast<float>(row) / (kRows - 1);
        int n_walks = roughness < kSmooth ? 200 : 768;
        auto normals = GgxNormals::of_roughness(std::max(roughness, kSmooth));
        SeveralSum stays[2], crosses;
        for (int side = 0; side < 2; ++side)
            for (int j = 0; j < kCosines; ++j) {
                float root = static_cast<float>(j) / (kCosines - 1);
                float cosine = std::clamp(root * root, kGrazing, 0.999f);
                float eta = eta_at(side, k, CrossingParts::kIndices);
                double ahead = std::sqrt(1 - cosine * cosine);
                SeveralSum here, beyond;
                walk_facets(normals, eta, cosine, n_walks, [&](const LeavingLight& light) {
                    if (light.n_facets == 1) return;
                    (light.to.z > 0 ? here : beyond)
                        .add(
                            {1, -ahead * light.to.x, ahead * ahead * (1 - light.to.z * light.to.z)},
                            light.share);
                });
                double all = here.share + beyond.share;
                parts.of[side][k].values[row][j] =
                    all > 0 ? static_cast<float>(beyond.share / all) : 0.5f;
                double arrives = root * root * root;  // weight: cosine times the spacing of nodes
                stays[side].add(here, arrives);
                crosses.add(beyond, arrives);
            }
        for (int side = 0; side < 2; ++side) tables.stays[side].skew[k][row] = stays[side].skew();
        tables.crosses.skew[k][row] = crosses.skew();
    });
    return parts;
}

/// Makes the crossing fractions reciprocal: the means of both sides become proportional to 1 / n^2,
/// n their index of refraction. The rest stays, of which a little remains everywhere.
template <class Table>
void make_reciprocal(Table& thin, Table& dense, float eta) {
    constexpr int kRounds = 6;
    constexpr float kMost = 0.98f;  // largest crossing fraction of multiply scattered light
    auto scale = [](auto& row, float by) {
        for (vec2& cell : row) {
            float all = cell.x + cell.y, crosses = std::min(cell.y * by, kMost * all);
            cell = {all - crosses, crosses};
        }
    };
    for (int round = 0; round < kRounds; ++round) {
        thin.set_means();
        dense.set_means();
        int row = 0;
        for (auto& values : thin.values) {
            float here = thin.means[row].y, beyond = dense.means[row].y;
            float factor = here > 0 && beyond > 0 ? std::sqrt(beyond / here) / eta : 1.0f;
            scale(values, factor);
            scale(dense.values[row++], 1 / factor);
        }
    }
    thin.set_means();
    dense.set_means();
}

void fill_dielectrics(GgxTables& tables) {
    constexpr int kIndices = GgxTables::kIndices;
    CrossingParts parts = follow_walks(tables);
    // Indices of both sides; all share the normals.
    for_nodes(tables.several[0][0], [&](int i, int j, const GgxNormals& normals, float cosine) {
        double sums[2][kIndices] = {};
        vec3 w = direction_at(cosine);
        SeenFrom seen_from(normals, w);
        for_normals(normals, w, [&](vec3 m, double weight) {
            float reflected = seen_from.above(-reflect_direction(w, m));
            for (int side = 0; side < 2; ++side)
                for (int k = 0; k < kIndices; ++k) {
                    vec3 refracted;
                    float cos_t, kept = reflected, eta = eta_at(side, k, kIndices);
                    if (refract_direction(-w, m, eta, refracted, cos_t)) {
                        float reflectance = fresnel_dielectric(fused_dot(w, m), cos_t, eta);
                        kept = reflectance * reflected +
                               (1 - reflectance) * seen_from.below(refracted);
                    }
                    sums[side][k] += weight * kept;
                }
        });
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < kIndices; ++k) {
                float lost = static_cast<float>(1 - std::min(sums[side][k], 1.0));
                float place = static_cast<float>(k) / (kIndices - 1);
                float crosses = lost * parts.at(side, place, std::sqrt(normals.alpha), cosine);
                tables.several[side][k].values[i][j] = {lost - crosses, crosses};
            }
    });
    for (int k = 0; k < kIndices; ++k)
        make_reciprocal(tables.several[0][k], tables.several[1][k], eta_at(0, k, kIndices));
}

}  // namespace

std::unique_ptr<const GgxTables> compute_ggx_tables() {
    auto made = std::make_unique<GgxTables>();
    fill_conductor(*made);
    fill_dielectrics(*made);
    return made;
}

}  // namespace tl
