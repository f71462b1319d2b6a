// Lobes of surfaces: samples follow their stated density, reflected and refracted light is at most
// the incident light, and equals it where nothing absorbs.
#include <cmath>
#include <optional>

#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "renderer/optics/facet_walk.h"
#include "renderer/shading/bsdf.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/unit/shading/chi_square.h"

namespace tl::TL_DEVICE_NAME {

/// A surface seen at an angle.
struct Seen {
    MaterialData material{};
    float cosine = 1;  ///< cosine of the viewer's angle to the normal
    float eta = 1;
    std::optional<LayersData> layers{};
};

constexpr float kCosines[] = {0.05f, 0.3f, 0.6f, 0.9f, 1.0f};

MaterialData material_of(MaterialKind kind, float alpha) {
    MaterialData m{};
    m.kind = kind;
    m.diffuse = vec3(0.8f);
    m.specular = m.transmission = vec3(1);
    m.alpha = alpha;
    return m;
}

/// Runs a Bsdf's functions on the device, with directions in the frame of the surface.
class Bench {
  public:
    Bench(Stream& stream, const Seen& seen)
        : stream_(stream),
          material_(stream, std::vector{seen.material}),
          tables_(stream, std::vector{ggx_tables()}),
          layers_(stream, std::vector{seen.layers.value_or(LayersData{})}),
          seen_(seen) {}

    /// Draws n directions; (0, 0, 0) where the sampler returns none.
    std::vector<vec3> draw(std::uint32_t n, std::uint64_t seed, std::vector<vec3>& weights) {
        DeviceArray<vec3> directions(stream_, n), of(stream_, n);
        auto to = directions.view(), weight = of.view();
        vec3 viewer = this->viewer();
        Bsdf bsdf = this->bsdf();
        parallel_for(
            stream_, "draw", n, TL_LAMBDA(std::uint32_t i) {
                RandomStream random(seed, i, 0);
                float choice = random.next();
                vec2 r(random.next(), 0);
                r.y = random.next();
                BsdfSample s{};
                NormalFrame frame(bsdf.normal);
                bool drawn = bsdf.sample(frame.world(viewer), choice, r, s);
                to[i] = drawn ? frame.local(s.direction) : vec3(0);
                weight[i] = drawn ? s.weight : vec3(0);
            });
        weights = of.download(stream_);
        return directions.download(stream_);
    }
    std::vector<float> pdf(const std::vector<vec3>& lights) {
        DeviceArray<vec3> places(stream_, lights);
        DeviceArray<float> out(stream_, lights.size());
        auto from = places.view();
        auto to = out.view();
        vec3 viewer = this->viewer();
        Bsdf bsdf = this->bsdf();
        parallel_for(
            stream_, "pdf", static_cast<std::uint32_t>(lights.size()), TL_LAMBDA(std::uint32_t i) {
                NormalFrame frame(bsdf.normal);
                to[i] = bsdf.pdf(frame.world(viewer), frame.world(from[i]));
            });
        return out.download(stream_);
    }
    /// Albedo of the wide lobes, found in two ways: the mean of wide_lobe_albedo()
    /// over a grid of n_side^2 numbers, and that of eval_wide() over as many cosine-distributed
    /// directions.
    std::pair<vec3, vec3> wide_lobe_albedos(std::uint32_t n_side) {
        std::uint32_t n = n_side * n_side;
        DeviceArray<vec3> by_closed_form(stream_, n), by_directions(stream_, n);
        auto closed = by_closed_form.view(), drawn = by_directions.view();
        vec3 viewer = this->viewer();
        Bsdf bsdf = this->bsdf();
        parallel_for(
            stream_, "albedos of wide lobes", n, TL_LAMBDA(std::uint32_t i) {
                vec2 r = (vec2(i % n_side, i / n_side) + 0.5f) / static_cast<float>(n_side);
                vec3 o = NormalFrame(bsdf.normal).world(viewer);
                closed[i] = bsdf.wide_lobe_albedo(o, r);
                vec3 light = cosine_direction(bsdf.normal, r);
                float cosine = maximum(fused_dot(bsdf.normal, light), 1e-6f);
                drawn[i] = bsdf.eval_wide(o, light) * (kPi / cosine);
            });
        glm::dvec3 sums[2] = {};
        for (vec3 v : by_closed_form.download(stream_)) sums[0] += glm::dvec3(v) / double(n);
        for (vec3 v : by_directions.download(stream_)) sums[1] += glm::dvec3(v) / double(n);
        return {vec3(sums[0]), vec3(sums[1])};
    }
    /// Relative differences of eval_with_pdf() to eval() and pdf().
    std::vector<vec2> apart(const std::vector<vec3>& lights) {
        DeviceArray<vec3> places(stream_, lights);
        DeviceArray<vec2> out(stream_, lights.size());
        auto from = places.view();
        auto to = out.view();
        vec3 viewer = this->viewer();
        Bsdf bsdf = this->bsdf();
        parallel_for(
            stream_, "both", static_cast<std::uint32_t>(lights.size()), TL_LAMBDA(std::uint32_t i) {
                NormalFrame frame(bsdf.normal);
                vec3 o = frame.world(viewer), l = frame.world(from[i]);
                BsdfValue both = bsdf.eval_with_pdf(o, l);
                float f = bsdf.eval(o, l).x, density = bsdf.pdf(o, l);
                auto off = [](float a, float b) { return (a - b) / maximum(1e-6f, maximum(a, b)); };
                to[i] = {off(both.fraction.x, f), off(both.pdf, density)};
            });
        return out.download(stream_);
    }
    /// The BSDF without the cosine, for pairs of directions.
    std::vector<vec3> eval(const std::vector<vec3>& viewers, const std::vector<vec3>& lights) {
        DeviceArray<vec3> places(stream_, lights), eyes(stream_, viewers);
        DeviceArray<vec3> out(stream_, lights.size());
        auto light = places.view(), eye = eyes.view(), to = out.view();
        Bsdf bsdf = this->bsdf();
        parallel_for(
            stream_, "eval", static_cast<std::uint32_t>(lights.size()), TL_LAMBDA(std::uint32_t i) {
                // The viewer is on the normal's side.
                Bsdf seen = bsdf;
                NormalFrame frame(bsdf.normal);
                vec3 o = frame.world(eye[i]), l = frame.world(light[i]);
                if (eye[i].z < 0) {
                    seen.normal = -bsdf.normal;
                    seen.eta = 1 / bsdf.eta;
                }
                to[i] = seen.eval(o, l) / fabsf(light[i].z);
            });
        return out.download(stream_);
    }

  private:
    [[nodiscard]] Bsdf bsdf() const {
        vec3 normal = glm::normalize(vec3(0.3f, -0.8f, 0.5f));
        LayersAtPoint layers;
        if (seen_.layers)
            layers = {layers_.data(), seen_.layers->metallic, seen_.layers->roughness};
        vec3 color = seen_.layers ? seen_.layers->base : seen_.material.diffuse;
        return {material_.data(), color, normal, seen_.eta, tables_.data(), layers};
    }
    [[nodiscard]] vec3 viewer() const {
        return {std::sqrt(1 - seen_.cosine * seen_.cosine), 0, seen_.cosine};
    }

    Stream& stream_;
    DeviceArray<MaterialData> material_;
    DeviceArray<GgxTables> tables_;
    DeviceArray<LayersData> layers_;
    Seen seen_;
};

/// Tests a million samples at five angles, of every second surface at two. The bound is passed by
/// chance once in 10,000 tests.
void expect_samples_follow_density(Stream& stream, const std::vector<Seen>& surfaces) {
    constexpr std::uint32_t kSamples = 1000000, kPilot = 200000;
    constexpr double kMostSigmas = 3.72;
    for (std::size_t i = 0; i < surfaces.size(); ++i)
        for (float cosine : kCosines) {
            if (test::kSanitized && cosine != kCosines[1]) continue;
            if (i % 2 == 1 && cosine != kCosines[0] && cosine != kCosines[3]) continue;
            auto seen = surfaces[i];
            seen.cosine = cosine;
            Bench bench(stream, seen);
            std::vector<vec3> weights;
            auto pilot = bench.draw(kPilot, 1, weights), samples = bench.draw(kSamples, 2, weights);
            // No microfacet leans beyond the horizon, which refracted light shows at this height.
            double jump = seen.eta < 1 ? -double(seen.eta * cosine) : 0;
            auto result = test::chi_square(pilot, samples, jump,
                                           [&](const auto& at) { return bench.pdf(at); });
            EXPECT_LT(result.sigmas(), kMostSigmas)
                << "alpha " << seen.material.alpha << " exponent " << seen.material.exponent
                << " eta " << seen.eta << " cosine " << cosine << ": " << result.statistic << " in "
                << result.n_cells << " cells";
            EXPECT_GT(result.n_cells, 500);
        }
}

/// Histogram of scattered light over the cosine and azimuth of its direction, on both sides.
class SpreadOfLight {
  public:
    void add(vec3 to, double share) {
        int height = std::min(static_cast<int>(std::abs(to.z) * kHeights), kHeights - 1);
        auto turn = static_cast<int>((std::atan2(to.y, to.x) / kPi + 1) / 2 * kTurns);
        cells_[to.z < 0][height][std::min(turn, kTurns - 1)] += share;
    }
    /// Fraction of the light that is in other cells: half the sum of absolute differences.
    [[nodiscard]] double apart(const SpreadOfLight& other) const {
        double sum = 0;
        for (int side = 0; side < 2; ++side)
            for (int i = 0; i < kHeights; ++i)
                for (int j = 0; j < kTurns; ++j)
                    sum += std::abs(cells_[side][i][j] - other.cells_[side][i][j]);
        return sum / 2;
    }

  private:
    static constexpr int kHeights = 8, kTurns = 12;
    double cells_[2][kHeights][kTurns] = {};
};

/// Difference between a rough dielectric's lobe and simulated walks from facet to facet, as a
/// fraction of the light.
double apart_from_walks(Stream& stream, float roughness, float eta, float cosine) {
    constexpr std::uint32_t kSamples = 100000;
    Seen seen{material_of(MaterialKind::dielectric, roughness * roughness), cosine, eta};
    std::vector<vec3> weights;
    auto directions = Bench(stream, seen).draw(kSamples, 5, weights);
    SpreadOfLight lobe, walks;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        double share = double(weights[i].x) / (directions[i].z < 0 ? double(eta * eta) : 1.0);
        lobe.add(directions[i], share / kSamples);
    }
    walk_facets({roughness * roughness}, eta, cosine, kSamples,
                [&](const LeavingLight& light) { walks.add(light.to, light.share); });
    return lobe.apart(walks);
}

/// Light that leaves a surface per unit of incident light, with radiance beyond it taken as energy.
double albedo_of(Stream& stream, const Seen& seen) {
    constexpr std::uint32_t kSamples = test::kSanitized ? 20000 : 100000;
    Bench bench(stream, seen);
    std::vector<vec3> weights;
    auto directions = bench.draw(kSamples, 3, weights);
    double sum = 0;
    for (std::size_t i = 0; i < directions.size(); ++i)
        sum += double(weights[i].x) / (directions[i].z < 0 ? double(seen.eta * seen.eta) : 1.0);
    return sum / kSamples;
}

/// Checks pairs of directions for reciprocity: light passes both ways alike.
void expect_reciprocity(Stream& stream, const Seen& seen) {
    constexpr std::uint32_t kPairs = 2000;
    std::vector<vec3> a, b;
    RandomStream random(7, 0, 0);
    auto direction = [&](bool both_sides) {
        float z = both_sides ? 2 * random.next() - 1 : random.next();
        float angle = 2 * kPi * random.next(), ring = std::sqrt(1 - z * z);
        return vec3(ring * std::cos(angle), ring * std::sin(angle), z);
    };
    for (std::uint32_t i = 0; i < kPairs; ++i) {
        a.push_back(direction(false));
        b.push_back(direction(seen.layers ? seen.layers->transmission > 0
                                          : seen.material.kind == MaterialKind::dielectric));
    }
    Bench bench(stream, seen);
    auto there = bench.eval(a, b), back = bench.eval(b, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
        double f = double(there[i].x), g = double(back[i].x);
        if (b[i].z < 0) f /= double(seen.eta * seen.eta);  // radiance becomes energy
        // Half vectors at grazing angles lose digits.
        ASSERT_NEAR(f, g, 2e-3 * std::max(f, g) + 1e-5)
            << a[i].x << " " << a[i].y << " " << a[i].z << "; " << b[i].x << " " << b[i].y << " "
            << b[i].z;
    }
}

std::vector<Seen> lambert_surfaces() {
    std::vector<Seen> all(4);
    float albedo = 0.2f;
    for (auto& seen : all) {
        seen.material = material_of(MaterialKind::diffuse, 0);
        seen.material.diffuse = vec3(albedo += 0.2f);
    }
    return all;
}
std::vector<Seen> phong_surfaces() {
    std::vector<Seen> all;
    for (float exponent : {1.0f, 8.0f, 60.0f, 500.0f}) {
        Seen seen{material_of(MaterialKind::phong, 0)};
        seen.material.diffuse = vec3(0.3f);
        seen.material.specular = vec3(0.6f);
        seen.material.exponent = exponent;
        all.push_back(seen);
    }
    return all;
}
std::vector<Seen> conductors() {
    std::vector<Seen> all;
    for (float roughness : {0.2f, 0.4f, 0.7f, 1.0f})
        all.push_back({material_of(MaterialKind::mirror, roughness * roughness)});
    return all;
}
std::vector<Seen> rough_dielectrics() {
    std::vector<Seen> all;
    for (vec2 of : {vec2(0.25f, 1 / 1.5f), vec2(0.5f, 1.5f), vec2(0.8f, 1 / 1.33f), vec2(1, 2.2f)})
        all.push_back({material_of(MaterialKind::dielectric, of.x * of.x), 1, of.y});
    return all;
}

Seen layered(const LayersData& layers) {
    Seen seen{material_of(MaterialKind::diffuse, 0)};
    seen.layers = layers;
    return seen;
}
/// In order: base, metallic, reflectance, roughness, transmission, coat, the coat's alpha.
std::vector<Seen> layered_surfaces() {
    return {layered({vec3(0.7f), 0, vec3(0.04f), 0.4f, 0, 0, 0, -1}),
            layered({vec3(0.5f), 0.6f, vec3(0.08f), 0.7f, 0, 0.8f, 0.04f, -1}),
            layered({vec3(0.9f), 0.2f, vec3(0.04f), 0.5f, 0.6f, 0, 0, -1}),
            layered({vec3(0.8f), 0.1f, vec3(0.2f), 0.8f, 0.9f, 1, 0.2f, -1})};
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Lambert, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    expect_samples_follow_density(stream, lambert_surfaces());
}
TL_DEVICE_TEST(Phong, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    expect_samples_follow_density(stream, phong_surfaces());
}
TL_DEVICE_TEST(Conductor, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    expect_samples_follow_density(stream, conductors());
}
TL_DEVICE_TEST(RoughDielectric, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    expect_samples_follow_density(stream, rough_dielectrics());
}
TL_DEVICE_TEST(RoughDielectric, LightGoesWhereItDoesFromFacetToFacet) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "takes minutes";
    // The difference left is noise, about 0.01, and a model error: light of a few facets is not
    // quite a product of two directions' factors. Lobes of uniform azimuth fail at every roughness.
    for (vec2 most : {vec2(0.2f, 0.015f), vec2(0.4f, 0.03f), vec2(0.6f, 0.04f), vec2(0.8f, 0.09f),
                      vec2(1, 0.14f)})
        for (float eta : {1 / 1.5f, 1.5f, 1 / 1.33f, 2.0f})
            for (float cosine : {0.2f, 0.5f, 0.9f})
                EXPECT_LT(apart_from_walks(stream, most.x, eta, cosine), most.y)
                    << "roughness " << most.x << " eta " << eta << " cosine " << cosine;
}
TL_DEVICE_TEST(Layered, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    expect_samples_follow_density(stream, layered_surfaces());
}

TL_DEVICE_TEST(Layered, WhiteSurfacesWithoutACoatKeepAllLight) {
    TL_LONG_TEST();
    for (float roughness : {0.1f, 0.4f, 0.7f, 1.0f})
        for (float metallic : {0.0f, 0.5f, 1.0f})
            for (float transmission : {0.0f, 0.4f, 1.0f})
                for (float cosine : {0.1f, 0.4f, 1.0f}) {
                    auto seen = layered(
                        {vec3(1), metallic, vec3(0.04f), roughness, transmission, 0, 0.001f, -1});
                    seen.cosine = cosine;
                    EXPECT_NEAR(albedo_of(stream, seen), 1, 0.01)
                        << roughness << " " << metallic << " " << transmission << " " << cosine;
                }
}

TL_DEVICE_TEST(Layered, WhiteSurfacesUnderACoatKeepAllLight) {
    TL_LONG_TEST();
    for (float roughness : {0.1f, 0.4f, 1.0f})
        for (float metallic : {0.0f, 1.0f})
            for (float cosine : {0.1f, 0.4f, 1.0f}) {
                auto seen = layered({vec3(1), metallic, vec3(0.04f), roughness, 0, 1, 0.001f, -1});
                seen.cosine = cosine;
                // Exact above a diffuse base. Above metals, light that is reflected to and fro is
                // distributed by a rule (LayeredLobe::several_share), as oblique light shows.
                EXPECT_NEAR(albedo_of(stream, seen), 1, cosine < 1 ? 0.04 : 0.015)
                    << roughness << " " << metallic << " " << cosine;
            }
}

TL_DEVICE_TEST(Bsdf, LightIsTheSameBothWays) {
    for (auto& surfaces : {lambert_surfaces(), phong_surfaces(), conductors(), rough_dielectrics(),
                           layered_surfaces()})
        for (auto& seen : surfaces) expect_reciprocity(stream, seen);
}

TL_DEVICE_TEST(Bsdf, BothAtOnceAreWhatEachIsAlone) {
    for (auto& surfaces : {lambert_surfaces(), phong_surfaces(), conductors(), rough_dielectrics(),
                           layered_surfaces()})
        for (auto seen : surfaces) {
            seen.cosine = 0.6f;
            Bench bench(stream, seen);
            std::vector<vec3> weights;
            auto lights = bench.draw(500, 4, weights);
            for (int i = 0; i < 50; ++i)
                lights.push_back(glm::normalize(vec3(0.1f * float(i) - 2, 0.3f, 1 - 0.04f * i)));
            for (vec2 off : bench.apart(lights)) {
                ASSERT_NEAR(off.x, 0, 1e-4f);
                ASSERT_NEAR(off.y, 0, 1e-4f);
            }
        }
}

TL_DEVICE_TEST(Bsdf, WhatIsScatteredBroadlyHasItsAlbedo) {
    constexpr std::uint32_t kSide = 64;
    for (auto& surfaces : {lambert_surfaces(), phong_surfaces(), conductors(), layered_surfaces()})
        for (auto seen : surfaces)
            for (float cosine : {0.3f, 0.9f}) {
                seen.cosine = cosine;
                auto [closed, drawn] = Bench(stream, seen).wide_lobe_albedos(kSide);
                // Below a coat, light that is reflected to and fro is distributed by a rule.
                EXPECT_NEAR(closed.x, drawn.x, 0.01f)
                    << "alpha " << seen.material.alpha << " exponent " << seen.material.exponent
                    << " layers " << seen.layers.has_value() << " cosine " << cosine;
            }
}

TL_DEVICE_TEST(Bsdf, NoMoreLightLeavesThanArrives) {
    TL_LONG_TEST();
    for (auto& surfaces : {lambert_surfaces(), phong_surfaces(), layered_surfaces()})
        for (auto seen : surfaces)
            for (float cosine : kCosines) {
                seen.cosine = cosine;
                EXPECT_LE(albedo_of(stream, seen), 1.001) << cosine;
            }
}

TL_DEVICE_TEST(Bsdf, TheRoughestMetalKeepsTwoFifthsOfTheLightAtOneMicrofacet) {
    EXPECT_NEAR(ggx_tables().conductor.mean(1), 0.41f, 0.005f);
}

TL_DEVICE_TEST(Bsdf, RoughSurfacesThatAbsorbNothingKeepAllLight) {
    TL_LONG_TEST();
    for (auto kind : {MaterialKind::mirror, MaterialKind::dielectric})
        for (float roughness : {0.05f, 0.13f, 0.3f, 0.55f, 0.77f, 1.0f})
            for (float eta : {1 / 1.5f, 1.5f, 1 / 1.1f, 2.4f}) {
                if (kind == MaterialKind::mirror && eta > 1 / 1.5f) continue;  // has no index
                for (float cosine : {0.04f, 0.2f, 0.33f, 0.6f, 0.87f, 1.0f}) {
                    Seen seen{material_of(kind, roughness * roughness), cosine, eta};
                    // Tables are interpolated, at worst at grazing angles.
                    double tolerance = cosine < 0.1f ? 0.01 : 0.006;
                    if (test::kSanitized) tolerance *= 10;
                    EXPECT_NEAR(albedo_of(stream, seen), 1, tolerance)
                        << "roughness " << roughness << " eta " << eta << " cosine " << cosine;
                }
            }
}
