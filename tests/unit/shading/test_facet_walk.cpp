// Light followed from facet to facet, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/optics/facet_walk.h"
#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx_tables.h"

namespace tl {
namespace {

constexpr float kRoughnesses[] = {0.3f, 0.6f, 1.0f}, kEtas[] = {1 / 1.5f, 1.5f, 1 / 1.1f, 2.0f};

/// Fractions of light that stays on its side and that crosses.
struct Sides {
    double stays = 0, crosses = 0;
    void add(bool stay, double share) { (stay ? stays : crosses) += share; }
};

TEST(BetaFunction, IsThatOfTheStandardLibrary) {
    for (float x : {1.0f, 1.3f, 2.0f, 7.0f, 40.0f, 1000.0f, 1e5f})
        for (float y : {1.0f, 1.1f, 3.0f, 8.5f, 40.0f}) {
            double known = std::beta(double(x), double(y));
            if (known < 1e-30) continue;  // floats end soon
            // Floats of logarithms lose digits as their arguments grow.
            double tolerance = 5e-6 + 2e-7 * double(x + y);
            EXPECT_NEAR(double(beta_function(x, y)) / known, 1, tolerance) << x << " " << y;
        }
}

TEST(FacetWalk, AllLightLeaves) {
    for (float roughness : kRoughnesses)
        for (float eta : kEtas) {
            double sum = 0;
            walk_facets(GgxNormals::of_roughness(roughness), eta, 0.3f, 2000,
                        [&](const LeavingLight& light) { sum += light.share; });
            // A walk ends with at most 0.3 % of its light left.
            EXPECT_LE(sum, 1 + 1e-9) << roughness << " " << eta;
            EXPECT_GE(sum, 0.997) << roughness << " " << eta;
        }
}

TEST(FacetWalk, LightOfOneFacetIsThatOfTheFormulas) {
    constexpr int kSide = 300;
    for (float roughness : kRoughnesses)
        for (float eta : kEtas)
            for (float cosine : {0.2f, 0.7f}) {
                auto normals = GgxNormals::of_roughness(roughness);
                vec3 o(std::sqrt(1 - cosine * cosine), 0, cosine);
                Sides known, walked;
                for (int k = 0; k < kSide * kSide; ++k) {
                    vec2 r = (vec2(k % kSide, k / kSide) + 0.5f) / float{kSide};
                    vec3 m = normals.sample_visible(o, r), refracted;
                    vec3 reflected = -reflect_direction(o, m);
                    float cos_t, reflectance = 1, seen = normals.visible(o) * kSide * kSide;
                    if (refract_direction(-o, m, eta, refracted, cos_t)) {
                        reflectance = fresnel_dielectric(fused_dot(o, m), cos_t, eta);
                        if (refracted.z < 0)
                            known.add(false, double((1 - reflectance) / seen *
                                                    normals.visible_through(o, refracted)));
                    }
                    if (reflected.z > 0)
                        known.add(true,
                                  double(reflectance / seen * normals.visible_both(o, reflected)));
                }
                walk_facets(normals, eta, cosine, 40000, [&](const LeavingLight& light) {
                    if (light.n_facets == 1) walked.add(light.to.z > 0, light.share);
                });
                // Four standard deviations of shares drawn 40,000 times are at most 0.01.
                EXPECT_NEAR(walked.stays, known.stays, 0.01) << roughness << " " << eta;
                EXPECT_NEAR(walked.crosses, known.crosses, 0.01) << roughness << " " << eta;
            }
}

TEST(FacetWalk, LightOfSeveralFacetsCrossesAlikeBothWays) {
    constexpr int kCosines = 32, kWalks = 4000;
    for (float roughness : {0.6f, 1.0f})
        for (float eta : {1 / 1.5f, 1 / 1.1f}) {
            auto crosses = [&](float of_eta) {
                double sum = 0;
                for (int i = 0; i < kCosines; ++i) {
                    float cosine = (float(i) + 0.5f) / kCosines;
                    walk_facets(GgxNormals::of_roughness(roughness), of_eta, cosine, kWalks,
                                [&](const LeavingLight& light) {
                                    if (light.n_facets > 1 && light.to.z < 0)
                                        sum += light.share * 2 * double(cosine) / kCosines;
                                });
                }
                return sum;
            };
            // In proportion to 1 / n^2 of the side that light comes from.
            double here = crosses(eta), beyond = crosses(1 / eta);
            EXPECT_NEAR(beyond / (here * double(eta * eta)), 1, 0.03) << roughness << " " << eta;
        }
}

TEST(GgxTables, MuchOfTheLightOfRoughGlassMeetsSeveralFacets) {
    auto part = [](float eta, float roughness) {
        vec2 shares = ggx_tables().mean_several_facets(eta, roughness);
        return shares.x + shares.y;
    };
    EXPECT_NEAR(part(1 / 1.5f, 1), 0.30f, 0.01f);
    EXPECT_NEAR(part(1.5f, 1), 0.56f, 0.01f);
    EXPECT_NEAR(part(1 / 1.5f, 0.6f), 0.06f, 0.005f);
    EXPECT_NEAR(part(1.5f, 0.6f), 0.22f, 0.005f);
}

}  // namespace
}  // namespace tl
