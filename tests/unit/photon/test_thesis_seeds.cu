// Irradiance seeds of the thesis' mode. They lie closer where positions and normals vary more; a
// final gather in a sphere is compared with its closed form; interpolation averages the seeds
// around a query point.
#include <cmath>
#include <random>

#include "renderer/photon/thesis/interpolate.h"
#include "renderer/photon/thesis/seeds.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"
#include "tests/image/light_scenes.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

constexpr int kPictureSide = 64;

/// A shading point for each slot of a picture's grid, by its pixel; `make` returns one that does
/// not exist for none.
template <class Make>
std::vector<ShadingPoint> points_of_picture(const ShadingGrid& grid, Make&& make) {
    std::vector<ShadingPoint> points(grid.n_slots());
    for (std::uint32_t slot = 0; slot < grid.n_slots(); ++slot) {
        std::uint32_t x, y;
        if (grid.pixel(slot, x, y)) points[slot] = make(int(x), int(y));
    }
    return points;
}

ShadingPoint shading_point(vec3 position, vec3 normal) {
    ShadingPoint point{};
    point.position = position;
    point.normal = point.horizon_normal = pack_direction<16>(normal);
    point.origin = position + 1e-4f * normal;
    point.exists = 1;
    return point;
}

std::vector<std::uint32_t> seeds_of(Scratch& scratch, const ShadingGrid& grid,
                                    const std::vector<ShadingPoint>& points, std::size_t n,
                                    std::uint32_t numbers = 0) {
    auto& stream = scratch.stream();
    DeviceArray<ShadingPoint> given(stream, std::span<const ShadingPoint>(points));
    DeviceArray<std::uint32_t> seeds(stream, n);
    choose_seeds(scratch, grid, given.view(), numbers, seeds.view());
    return seeds.download(stream);
}

/// Fraction of the seeds whose pixel is in the right half of the picture.
double share_on_the_right(const ShadingGrid& grid, const std::vector<std::uint32_t>& seeds) {
    double n = 0;
    for (std::uint32_t slot : seeds) {
        std::uint32_t x, y;
        EXPECT_TRUE(grid.pixel(slot, x, y));
        n += x >= kPictureSide / 2;
    }
    return n / double(seeds.size());
}

const ShadingGrid kGrid(Extent{kPictureSide, kPictureSide});

/// Position of a pixel on a square of side 1.
vec3 on_square(int x, int y) {
    return {(float(x) + 0.5f) / kPictureSide, 0, (float(y) + 0.5f) / kPictureSide};
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(ThesisSeeds, LieCloserWhereNormalsVaryMore) {
    // On the right, normals lean by 60 degrees to either side, so that points deviate by 1 from
    // their mean direction. The positions in a quarter of the picture deviate by 1 as well: half of
    // the whole picture's deviation, which is normalised to 2. So the right half has twice the
    // seeds.
    auto points = points_of_picture(kGrid, [](int x, int y) {
        float lean = x < kPictureSide / 2 ? 0.0f : (x + y) % 2 ? 1.0f : -1.0f;
        float angle = lean * kPi / 3;
        return shading_point(on_square(x, y), {std::sin(angle), std::cos(angle), 0});
    });
    EXPECT_NEAR(share_on_the_right(kGrid, seeds_of(scratch, kGrid, points, 600)), 2.0 / 3, 0.02);
}

TL_DEVICE_TEST(ThesisSeeds, LieCloserWherePlacesVaryMore) {
    // The left half shows a square a tenth as wide as the right half does.
    auto points = points_of_picture(kGrid, [](int x, int y) {
        vec3 p = on_square(x, y);
        return shading_point((x < kPictureSide / 2 ? 0.1f : 1.0f) * p, {0, 1, 0});
    });
    EXPECT_NEAR(share_on_the_right(kGrid, seeds_of(scratch, kGrid, points, 600)), 10.0 / 11, 0.02);
}

TL_DEVICE_TEST(ThesisSeeds, LieInTheMiddleOfThePointsThatAreNearestToThem) {
    auto points = points_of_picture(kGrid, [](int x, int y) {
        return shading_point(on_square(x, y), {0, 1, 0});
    });
    auto seeds = seeds_of(scratch, kGrid, points, 256);
    double mean = 0;
    for (const ShadingPoint& point : points) {
        float least = kInfinity;
        for (std::uint32_t slot : seeds)
            least = std::min(least, glm::length(point.position - points[slot].position));
        mean += double(least) * kPictureSide / double(points.size());
    }
    // Mean distance in pixels, with 16 to a seed: 1.5 if seeds were the centres of squares; 1.72 if
    // k-means does not move them.
    EXPECT_LT(mean, 1.64);
}

TL_DEVICE_TEST(ThesisSeeds, AreAmongThePointsThatThereAre) {
    // A picture with surfaces only in a ring of pixels.
    auto points = points_of_picture(kGrid, [](int x, int y) {
        double away = std::hypot(x - 31.5, y - 31.5);
        return away > 20 && away < 28 ? shading_point(on_square(x, y), {0, 1, 0}) : ShadingPoint{};
    });
    auto seeds = seeds_of(scratch, kGrid, points, 500);
    for (std::uint32_t slot : seeds) {
        ASSERT_LT(slot, points.size());
        EXPECT_TRUE(points[slot].exists);
    }
    EXPECT_EQ(seeds, seeds_of(scratch, kGrid, points, 500)) << "the same numbers";
    EXPECT_NE(seeds, seeds_of(scratch, kGrid, points, 500, 1)) << "other numbers";
    for (std::uint32_t slot :
         seeds_of(scratch, kGrid, std::vector<ShadingPoint>(kGrid.n_slots()), 20))
        EXPECT_EQ(slot, ~0u) << "nothing is seen";
}

TL_DEVICE_TEST(ThesisGather, InASphereFindsItsIrradianceAndTheMeanOfDistances) {
    // Rays from a point of a sphere of radius 1 hit it after 2 cos(a). With directions proportional
    // to the cosine, the harmonic mean of that distance is 1. All photons hold the irradiance 3.
    Scene scene;
    scene.materials = {test::diffuse(0.5f)};
    scene.spheres = {{{0, 0, 0}, 1, 0}};
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("hploc", device));
    StageTimer timer(stream);
    live.update(scratch, timer);
    constexpr std::uint32_t kPhotons = 2000, kSeeds = 8, kRays = 256;
    std::mt19937 engine(5);
    std::normal_distribution<float> normal;
    auto on_sphere = [&] {
        return glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
    };
    std::vector<Photon> photons;
    for (std::uint32_t i = 0; i < kPhotons; ++i) {
        vec3 p = on_sphere();
        photons.push_back({p, bits_of_float(0.1f), vec3(3), Photon::surface_of(-p, 2, false)});
    }
    std::vector<ShadingPoint> points;
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t i = 0; i < kSeeds; ++i) {
        vec3 p = on_sphere();
        points.push_back(shading_point(p, -p));
        seeds.push_back(kSeeds - 1 - i);
    }
    DeviceArray<Photon> stored(stream, std::span<const Photon>(photons));
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&kPhotons, 1));
    PhotonTree radiance;
    radiance.build(scratch, stored.view(), count.data());
    DeviceArray<ShadingPoint> at(stream, std::span<const ShadingPoint>(points));
    DeviceArray<std::uint32_t> chosen(stream, std::span<const std::uint32_t>(seeds));
    const PathTracerFrame frame{{live.view(), SamplePattern::sobol, 1, 0, PackedCone::of({0, 0})},
                                {}};
    IrradianceSeeds gathered;
    gathered.gather(scratch, frame, radiance.view(), {0.5f}, {at.view(), chosen.view()}, kRays,
                    nullptr);
    EXPECT_EQ(gathered.n_seeds(stream), kSeeds);
    std::vector<IrradianceSeed> found(kSeeds);
    device.download(stream, found.data(), gathered.view().seeds.data,
                    kSeeds * sizeof(IrradianceSeed));
    for (std::uint32_t k = 0; k < kSeeds; ++k) {
        EXPECT_EQ(found[k].position, points[seeds[k]].position);
        // The sphere reflects half of the irradiance there.
        EXPECT_NEAR(found[k].irradiance.y, 1.5f, 0.01f) << "seed " << k;
        EXPECT_NEAR(found[k].distance, 1, 0.1f) << "seed " << k;
    }
}

namespace tl::TL_DEVICE_NAME {
namespace {

struct Interpolate {
    IrradianceSeedsView seeds;
    View<const vec3> places;
    View<vec3> found;
    vec3 normal;

    TL_D void operator()(const Team& team, SeedSearch::Storage& storage, std::uint32_t i) const {
        vec3 irradiance = SeedSearch{seeds}.irradiance(team, storage, places[i], normal);
        if (Team::rank() == 0) found[i] = irradiance;
    }
};

/// Interpolated irradiance at query points whose normal is +y.
std::vector<vec3> interpolated(Scratch& scratch, const std::vector<IrradianceSeed>& seeds,
                               const std::vector<vec3>& places) {
    auto& stream = scratch.stream();
    std::vector<vec3> positions;
    for (auto& seed : seeds) positions.push_back(seed.position);
    auto n_seeds = static_cast<std::uint32_t>(seeds.size());
    auto n_places = static_cast<std::uint32_t>(places.size());
    DeviceArray<vec3> at(stream, std::span<const vec3>(positions));
    DeviceArray<std::uint32_t> n(stream, std::span<const std::uint32_t>(&n_seeds, 1));
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n_places, 1));
    DeviceArray<IrradianceSeed> known(stream, std::span<const IrradianceSeed>(seeds));
    PointTree tree;
    tree.build(scratch, at.view(), n.data());
    DeviceArray<vec3> where(stream, std::span<const vec3>(places)), found(stream, places.size());
    for_each_search<SeedSearch::Storage>(
        stream, "interpolate", count.data(), n_places,
        Interpolate{{tree.view(), known.view()}, where.view(), found.view(), {0, 1, 0}});
    return found.download(stream);
}

IrradianceSeed seed_at(vec3 position, vec3 irradiance, float distance, vec3 normal = {0, 1, 0}) {
    return {position, pack_direction<16>(normal), irradiance, distance};
}

const vec3 kRed(1, 0, 0), kGreen(0, 1, 0);

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(ThesisInterpolation, WeighsSeedsByWardsEstimateOfTheirError) {
    // The error estimate is a sum: the distance divided by the surfaces' harmonic mean distance,
    // the deviation of the normals, and here a hundredth. Weights are one over its square (Ward's
    // irradiance caching).
    auto weight = [](double far, double distance, double cosine = 1) {
        return std::pow(far / distance + std::sqrt(1 - cosine) + 0.01, -2);
    };
    auto share_of_red = [&](const IrradianceSeed& red, const IrradianceSeed& green) {
        vec3 found = interpolated(scratch, {red, green}, {vec3(0)})[0];
        EXPECT_NEAR(found.x + found.y, 1, 1e-5f);
        return double(found.x);
    };
    auto share = [](double own, double other) { return own / (own + other); };
    EXPECT_NEAR(share_of_red(seed_at({0.1f, 0, 0}, kRed, 1), seed_at({0, 0, 0.3f}, kGreen, 5)),
                share(weight(0.1, 1), weight(0.3, 5)), 1e-4)
        << "a seed in the open counts from farther away";
    EXPECT_NEAR(share_of_red(seed_at({0.2f, 0, 0}, kRed, 1), seed_at({-0.2f, 0, 0}, kGreen, 0.25f)),
                share(weight(0.2, 1), weight(0.2, 0.25)), 1e-4)
        << "one in a corner counts for less";
    // Normals more than 45 degrees apart have no weight, and the weight falls towards that angle.
    float sine = std::sqrt(1 - 0.85f * 0.85f);
    EXPECT_NEAR(share_of_red(seed_at({0.1f, 0, 0}, kRed, 1, {0, 0.85f, sine}),
                             seed_at({-0.1f, 0, 0}, kGreen, 1)),
                share(weight(0.1, 1, 0.85) * 0.5, weight(0.1, 1)), 1e-3)
        << "one of another orientation counts for less";
}

TL_DEVICE_TEST(ThesisInterpolation, TakesSeedsOfOtherSurfacesOnlyWhereThereAreNoOthers) {
    auto above = seed_at({0.05f, 0.1f, 0}, kRed, 1), turned = seed_at({0.01f, 0, 0}, kRed, 1, kRed),
         own = seed_at({0.3f, 0, 0}, kGreen, 1);
    EXPECT_EQ(interpolated(scratch, {above, turned, own}, {vec3(0)})[0], kGreen);
    EXPECT_EQ(interpolated(scratch, {above, turned}, {vec3(0)})[0], kRed);
    EXPECT_EQ(interpolated(scratch, {seed_at(vec3(0), kRed, 1, {0, -1, 0})}, {vec3(0)})[0], vec3(0))
        << "the other side of a sheet";
}

TL_DEVICE_TEST(ThesisInterpolation, HasNoSeams) {
    // Along a line between many seeds of random irradiance, where the nearest ones change.
    constexpr unsigned kSeed = 3;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937 engine(kSeed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<IrradianceSeed> seeds;
    for (int i = 0; i < 400; ++i)
        seeds.push_back(seed_at({uniform(engine), 0, uniform(engine)},
                                vec3(uniform(engine) > 0 ? 1.0f : 0.0f), 0.2f));
    constexpr int kPlaces = 20'000;
    std::vector<vec3> places;
    for (int i = 0; i < kPlaces; ++i)
        places.emplace_back(-0.7f + 1.4f * float(i) / kPlaces, 0, 0.123f);
    auto found = interpolated(scratch, seeds, places);
    float step = 0, least = 1, most = 0;
    for (int i = 1; i < kPlaces; ++i) {
        auto k = static_cast<std::size_t>(i);
        step = std::max(step, std::abs(found[k].x - found[k - 1].x));
        least = std::min(least, found[k].x);
        most = std::max(most, found[k].x);
    }
    EXPECT_GT(most - least, 0.5f);
    EXPECT_LT(step, 0.005f);
}
