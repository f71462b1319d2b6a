// Vertex connection and merging. Its weights are compared with explicit products of densities; its
// pictures with closed formulas and the path tracer's, for each choice of techniques.
#include <gtest/gtest.h>

#include <random>

#include "renderer/images/metrics.h"
#include "renderer/photon/vcm/mis_weights.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/image/room_scenes.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::vcm_tests {
namespace {

using test::diffuse;
using test::mean_of;
using test::point_light;

/// Kind of emitter, by which it can be hit and sampled.
enum class Source { surface, point, direction, map, background };

/// A path from vertex 0 on a source to the camera, with random densities of all steps.
struct RandomPath {
    int n;  ///< vertices
    Source source;
    /// Whether the vertex is a mirror or smooth glass, a Dirac delta.
    std::vector<bool> turns;
    /// Refractive index on the light's side over that beyond, at Dirac deltas.
    std::vector<double> eta;
    /// Densities of scattering forwards and backwards at a vertex, 1/sr.
    std::vector<double> onward, back;
    std::vector<double> distance2;        ///< squared distance from each vertex to the next
    std::vector<double> leaves, arrives;  ///< cosines of that segment at its two ends
    double place, direction;              ///< densities of the position and direction of emission
    double sampled;                       ///< density of next-event estimation: 1/sr or probability
    double camera;                        ///< density of the camera's ray, 1/sr

    RandomPath(std::mt19937& random, int n, Source source) : n(n), source(source) {
        auto draw = [&](double low, double high) {
            return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
        };
        for (int i = 0; i < n; ++i) {
            turns.push_back(i > 0 && i + 1 < n && draw(1, 2) < 1.2);
            eta.push_back(draw(0.5, 2));
            distance2.push_back(draw(0.1, 10));
            leaves.push_back(draw(0.1, 1));
            arrives.push_back(draw(0.1, 1));
            onward.push_back(draw(0.05, 5));
            // A Dirac delta has the same density both ways, converted to the measure of the
            // incident direction.
            back.push_back(turns[std::size_t(i)] ? onward.back() * eta.back() * eta.back() *
                                                       arrives[std::size_t(i - 1)] / leaves.back()
                                                 : draw(0.05, 5));
        }
        place = source == Source::point ? 0.3 : draw(0.1, 5);
        direction = source == Source::direction ? 0.4 : draw(0.05, 5);
        sampled = source == Source::background ? 0 : draw(0.05, 5);
        camera = draw(1, 100);
    }
    [[nodiscard]] bool is_far() const { return source >= Source::direction; }
    [[nodiscard]] bool can_be_met() const {
        return source != Source::point && source != Source::direction;
    }
    /// Spread of the emission and density of next-event estimation, as the renderer defines them.
    [[nodiscard]] double spread() const {
        return (source == Source::surface ? leaves[0] : 1) / (place * direction);
    }
    [[nodiscard]] double direct() const {
        return source == Source::point ? sampled * distance2[0] : sampled;
    }
    /// The density per area of the first `s` vertices as a light sub-path.
    [[nodiscard]] double light(int s) const {
        if (s == 0) return 1;
        if (s == 1) return source == Source::surface ? sampled * leaves[0] / distance2[0] : sampled;
        double p = place * direction * arrives[0] / (is_far() ? 1 : distance2[0]);
        for (auto i = std::size_t(1); i + 1 < std::size_t(s); ++i)
            p *= onward[i] * arrives[i] / distance2[i];
        return p;
    }
    /// The same for the last `t` vertices as a camera sub-path.
    [[nodiscard]] double seen(int t) const {
        double p = 1;
        for (int i = n - 1; i > n - t; --i) {
            auto k = std::size_t(i);
            p *= k + 1 == std::size_t(n) ? camera : back[k];
            if (k > 1 || !is_far()) p *= leaves[k - 1] / distance2[k - 1];
        }
        return p;
    }
};

/// Density and weight of each technique, the weight from the recursive sums. Indexed by the number
/// of light vertices, first for connections, then for merges.
struct Techniques {
    std::vector<double> densities, weights;

    Techniques(const RandomPath& path, const VcmBalance& balance) {
        auto n = std::size_t(path.n);
        std::vector<SubPathSums> light(n), camera(n);  // sums on arrival at each vertex
        SubPathSums sums = SubPathSums::of_source(float(path.spread()), path.can_be_met());
        for (std::size_t i = 1; i + 1 < n; ++i) {
            if (path.turns[i]) {
                sums = sums.turned(float(path.eta[i]));
                continue;
            }
            light[i] = sums.arrived(float(i == 1 ? path.direct() : path.distance2[i - 1]),
                                    float(path.arrives[i - 1]));
            sums = light[i].scattered(balance, balance.merges_at(std::uint32_t(i)),
                                      float(path.leaves[i]), float(path.onward[i]),
                                      float(path.back[i]));
        }
        sums = SubPathSums::of_camera(balance, float(path.camera));
        float merges = 0;  // at the vertex before, if another surface follows
        for (std::size_t i = n - 2; i > 0; --i) {
            sums.rest += merges;
            merges = 0;
            if (path.turns[i]) {
                sums = sums.turned(1 / float(path.eta[i]));
                continue;
            }
            camera[i] = sums.arrived(float(path.distance2[i]), float(path.leaves[i]));
            sums = camera[i].scattered(balance, 0, float(path.arrives[i - 1]), float(path.back[i]),
                                       float(path.onward[i]));
            merges = balance.merges * float(path.arrives[i - 1] / path.back[i]);
        }
        auto add = [&](double density, float weight) {
            densities.push_back(density);
            weights.push_back(double(weight));
        };
        auto k = [](int i) { return std::size_t(i); };
        if (path.can_be_met())
            add(path.seen(path.n), weight_of_hit(sums, path.turns[1] ? 0 : float(path.back[1]),
                                                 float(path.direct()), float(path.spread())));
        if (path.sampled > 0 && !path.turns[1])
            add(path.light(1) * path.seen(path.n - 1),
                weight_of_sample(camera[1], float(path.direct()),
                                 path.can_be_met() ? float(path.back[1]) : 0, float(path.spread()),
                                 float(path.arrives[0]), float(path.onward[1])));
        for (int s = 2; s <= path.n - 2; ++s)
            if (balance.connections > 0 && !path.turns[k(s - 1)] && !path.turns[k(s)])
                add(path.light(s) * path.seen(path.n - s),
                    weight_of_connection(
                        balance, light[k(s - 1)], balance.merges_at(std::uint32_t(s - 1)),
                        float(path.back[k(s)] * path.leaves[k(s - 1)] / path.distance2[k(s - 1)]),
                        float(path.back[k(s - 1)]), camera[k(s)],
                        float(path.onward[k(s - 1)] * path.arrives[k(s - 1)] /
                              path.distance2[k(s - 1)]),
                        float(path.onward[k(s)])));
        if (balance.n_splats > 0 && !path.turns[n - 2])
            add(path.light(path.n - 1) * double(balance.n_splats),
                weight_of_splat(balance, light[n - 2], balance.merges_at(std::uint32_t(n - 2)),
                                float(path.camera * path.leaves[n - 2] / path.distance2[n - 2]),
                                float(path.back[n - 2])));
        for (int i = 2; i <= path.n - 2; ++i)
            if (balance.merges > 0 && !path.turns[k(i)])
                add(path.light(i + 1) * path.seen(path.n - i) * double(balance.merges),
                    weight_of_merge(balance, light[k(i)], float(path.back[k(i)]), camera[k(i)],
                                    float(path.onward[k(i)])));
    }
};

TEST(Vcm, WeightsAreTheTechniquesDensitiesOverTheirSum) {
    constexpr unsigned kSeed = 7;
    std::mt19937 random(kSeed);
    int n_compared = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        auto source = static_cast<Source>(trial % 5);
        RandomPath path(random, 3 + int(random() % 6), source);
        // All combinations: light sub-paths to the camera, connections, merges.
        VcmBalance balance;
        if (trial / 5 % 2) balance.n_splats = 40;
        if (trial / 10 % 2) balance.connections = 1;
        if (trial / 20 % 2) balance.merges = 0.7f;
        Techniques techniques(path, balance);
        double all = 0, sum = 0;
        for (double p : techniques.densities) all += p;
        for (std::size_t i = 0; i < techniques.weights.size(); ++i) {
            EXPECT_NEAR(techniques.weights[i], techniques.densities[i] / all, 1e-4)
                << "technique " << i << " of trial " << trial << ", seed " << kSeed;
            sum += techniques.weights[i];
            ++n_compared;
        }
        if (all > 0) {
            EXPECT_NEAR(sum, 1, 1e-4) << "trial " << trial << ", seed " << kSeed;
        }
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(n_compared, 50'000);
}

/// Factor for tolerances under sanitizers, where only one or few passes are run.
constexpr double kWider = test::kSanitized ? 100 : 1;

ImageF render(Device& device, const Scene& given, const char* renderer, Extent extent, int spp,
              const char* photons = "2000", const char* techniques = "all") {
    Scene scene = given;
    scene.settings["render"]["renderer"] = renderer;
    auto& settings = scene.settings["photon"];
    settings.emplace("mode", "vcm");
    settings["vcm-techniques"] = techniques;
    settings["photons"] = photons;
    // Narrow, so that estimates at edges, to which one side contributes, are hardly too dark: half
    // of this, by the default of caustic-radius.
    settings.emplace("radius", "0.2");
    if (scene.settings["path"].contains("max-depth"))
        settings["max-depth"] = scene.settings["path"]["max-depth"];
    if (test::kSanitized) {
        spp = (spp + 63) / 64;
        settings["photons"] = "500";
    }
    return test::render_radiance(device, std::make_shared<Scene>(std::move(scene)), extent, spp);
}

void expect_near(vec3 seen, vec3 expected, double tolerance, const std::string& what) {
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(seen[c]) / double(expected[c]), 1, tolerance * kWider)
            << what << ", channel " << c;
}

/// Compares means over tiles of 8 x 8 pixels, where the noise of both is small.
void expect_tiles_near(const ImageF& seen, const ImageF& expected, double tolerance,
                       const std::string& what) {
    if (test::kSanitized) return;
    int width = seen.extent.width / 8;
    for (int tile = 0; tile < width * (seen.extent.height / 8); ++tile) {
        double a = 0, b = 0;
        for (int i = 0; i < 64; ++i) {
            auto at = std::size_t((tile / width * 8 + i / 8) * seen.extent.width +
                                  tile % width * 8 + i % 8);
            a += double(seen.rgb[at].y);
            b += double(expected.rgb[at].y);
        }
        EXPECT_NEAR(a / b, 1, tolerance) << "tile " << tile << ", " << what;
    }
}

constexpr const char* kChoices[] = {"paths", "light-tracing", "connect", "merge", "all"};

TEST(Vcm, ASphereFromWithinHasTheRadianceThatIsKnown) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene lit;
        lit.materials = {diffuse(0.5f)};
        lit.spheres = {{{0, 0, 0}, 1, 0}};
        lit.lights = {point_light(vec3(0), float(kPi))};
        lit.camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
        lit.settings["path"]["max-depth"] = "40";
        for (const char* choice : kChoices) {
            auto what = std::string(choice) + " on " + device->name();
            expect_near(mean_of(render(*device, lit, "photon", {32, 32}, 32, "2000", choice)),
                        vec3(1), 0.005, "lit, " + what);
            auto glowing = test::sphere_from_within(0.5f);
            expect_near(mean_of(render(*device, *glowing, "photon", {32, 32}, 16, "2000", choice)),
                        vec3(1), 0.005, "glowing, " + what);
        }
    }
}

TEST(Vcm, SurfacesOfAllKindsLookLikeInThePathTracerWithAnyTechniques) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        auto paths = render(*device, *scene, "path", {64, 48}, 1536);
        for (const char* choice : kChoices) {
            // Path tracing alone is noisier, and costs less.
            int spp = choice == std::string("paths") ? 1024 : 288;
            auto joined = render(*device, *scene, "photon", {64, 48}, spp, "4000", choice);
            auto what = std::string(choice) + " on " + device->name();
            expect_near(mean_of(joined), mean_of(paths), 0.01, what);
            expect_tiles_near(joined, paths, 0.05, what);
        }
    }
}

TEST(Vcm, TechniquesAreThoseThatAreChosen) {
    // The first count of a pass is the number of light paths, the others count their stored
    // vertices.
    struct Kept {
        const char* choice;
        bool connects, merges;
    };
    auto scene = test::room_of_surfaces();
    scene->settings["render"]["renderer"] = "photon";
    scene->settings["photon"]["mode"] = "vcm";
    scene->settings["photon"]["photons"] = "500";
    for (Device* device : devices())
        for (auto [choice, connects, merges] :
             {Kept{"light-tracing", true, false}, Kept{"connect", true, false},
              Kept{"merge", false, true}, Kept{"all", true, true}}) {
            scene->settings["photon"]["vcm-techniques"] = choice;
            Session session(*device);
            session.set_scene(scene);
            session.resize({16, 12});
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            auto counts = session.inspection().frame_counts();
            ASSERT_EQ(counts.size(), 3u) << choice;
            EXPECT_EQ(counts[0].value, 500u) << choice;
            EXPECT_EQ(counts[1].value > 0, connects) << choice << " on " << device->name();
            EXPECT_EQ(counts[2].value > 0, merges) << choice << " on " << device->name();
            session.settings().set("photon", "vcm-techniques", "paths");
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            EXPECT_TRUE(session.inspection().frame_counts().empty()) << "no light paths";
        }
}

TEST(Vcm, TogetherTechniquesAreLessNoisyThanEachOfThoseWithoutBias) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    auto scene = test::room_of_surfaces();
    constexpr Extent kExtent{64, 48};
    for (Device* device : devices()) {
        auto reference = render(*device, *scene, "photon", kExtent, 512, "4000");
        std::map<std::string, double> errors;
        for (std::string choice : kChoices)
            errors[choice] =
                relative_squared_errors(reference, render(*device, *scene, "photon", kExtent, 16,
                                                          "4000", choice.c_str()))
                    .mean();
        for (const char* choice : {"paths", "light-tracing", "connect"})
            EXPECT_LT(errors["all"], 0.9 * errors[choice]) << choice << " on " << device->name();
    }
}

TEST(Vcm, LightThatReachesTheLensFallsIntoTheRightPixels) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (const char* filter : {"box", "blackman-harris"}) {
            auto scene = test::rooms_of_sources().at("spot");
            scene->camera.lens_radius = 0.1f;
            scene->settings["sampling"]["filter"] = filter;
            auto paths = render(*device, *scene, "path", {48, 32}, 2048);
            auto joined =
                render(*device, *scene, "photon", {48, 32}, 192, "20000", "light-tracing");
            expect_tiles_near(joined, paths, 0.03, filter + (" on " + device->name()));
        }
}

TEST(Vcm, TheCornellBoxIsThatOfThePathTracer) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene scene = load_scene(source_path("scenes/cornell-box.toml"));
        scene.settings["path"]["max-depth"] = "8";
        scene.settings["photon"]["radius"] = "0.03";
        auto paths = render(*device, scene, "path", {32, 32}, 8192);
        auto joined = render(*device, scene, "photon", {32, 32}, 512);
        EXPECT_LT(relative_squared_errors(paths, joined).mean(), 1e-3 * kWider) << device->name();
    }
}

TEST(Vcm, ASeedGivesTheSameBits) {
    for (Device* device : devices()) {
        auto scene = test::room_of_surfaces();
        auto image = [&] { return render(*device, *scene, "photon", {48, 36}, 2, "5000").rgb; };
        EXPECT_EQ(image(), image()) << device->name();
    }
}

}  // namespace
}  // namespace tl::vcm_tests
